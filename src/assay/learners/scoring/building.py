"""A scorer from its name and settings; mistakes get the nearest name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from assay.errors import AssayError, SettingError, UnknownName, did_you_mean, listed
from assay.learners.base import _described, _fits, _settings_of
from assay.learners.scoring.base import EdgeScorer

SCORERS = {
    "correlation": "assay.learners.scoring.associations:Correlation",
    "partial-correlation": "assay.learners.scoring.associations:PartialCorrelation",
    "notears-lite": "assay.learners.scoring.associations:NotearsLite",
    "notears": "assay.learners.scoring.wrapped:NOTEARS",
    "dagma": "assay.learners.scoring.wrapped:DAGMA",
    "lingam": "assay.learners.scoring.wrapped:LiNGAM",
    "pc": "assay.learners.scoring.wrapped:PC",
    "fci": "assay.learners.scoring.wrapped:FCI",
    "granger": "assay.learners.scoring.granger:Granger",
    "pcmci+": "assay.learners.scoring.pcmci:PCMCIPlus",
    "rc-gnn": "assay.learners.scoring.rcgnn:RCGNN",
}


def build_scorer(name: str, settings: Mapping[str, Any] | None = None, where: str = "") -> EdgeScorer:
    """The scorer of that name with its settings checked."""
    if name not in SCORERS:
        raise UnknownName("scorer", name, SCORERS)
    module, attribute = SCORERS[name].split(":")
    made = getattr(importlib.import_module(module), attribute)
    known, place = _settings_of(made), f"  ({where})" if where else ""
    for key, value in (settings or {}).items():
        if key not in known:
            nearest = did_you_mean(key, known) or f"It has: {listed(known) or 'none'}."
            raise SettingError(f"{key!r} is not a setting of {name}. {nearest}{place}")
        if not _fits(value, known[key]):
            raise SettingError(f"{key!r} of {name} must be {_described(known[key])}, got {value!r}.{place}")
    try:
        return made(**dict(settings or {}))  # type: ignore[no-any-return]
    except AssayError as error:
        raise type(error)(f"{error}{place}") from None


def scorer(name: str, **settings: Any) -> EdgeScorer:
    """The scorer of that name, e.g. scorer("granger", lags=2)."""
    return build_scorer(name, settings)
