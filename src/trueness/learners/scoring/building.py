"""A scorer from its name and settings; mistakes get the nearest name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trueness import registry
from trueness.errors import SettingError, TruenessError, listed
from trueness.learners.scoring.base import EdgeScorer
from trueness.settings import checked_settings

SCORERS = registry.SCORERS


def build_scorer(name: str, settings: Mapping[str, Any] | None = None, where: str = "") -> EdgeScorer:
    """The scorer of that name, or `my_file.py:MyScorer`, with its settings checked."""
    made, place = registry.resolve("scorer", name), f"  ({where})" if where else ""
    given = dict(settings or {})
    if isinstance(made, type):
        given = checked_settings(made, given, name, place)
        try:
            made = made(**given)
        except TruenessError as error:
            raise type(error)(f"{error}{place}") from None
    elif given:
        raise SettingError(f"scorer {name!r} takes no settings, got {listed(given)}.{place}")
    if not hasattr(made, "card") or not hasattr(made, "scores"):
        raise TruenessError(f"scorer {name!r} must have a 'card' and 'scores(data, rng)'. See docs/rcgnn.md.{place}")
    return made  # type: ignore[no-any-return]


def scorer(name: str, **settings: Any) -> EdgeScorer:
    """The scorer of that name, e.g. scorer("granger", lags=2)."""
    return build_scorer(name, settings)
