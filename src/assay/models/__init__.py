"""Models: text in, text out. They know nothing of what is asked about.

model = build("embedded/smollm2")
model.ask([Message("user", "Hello.")], Settings()).text
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay import registry
from assay.errors import AssayError
from assay.models.base import Message, Model, Reply, Settings, TokenLogprob
from assay.models.prices import Price, price

__all__ = [
    "Message",
    "Model",
    "Price",
    "Reply",
    "Settings",
    "TokenLogprob",
    "build",
    "catalogue",
    "check_ready",
    "price",
]


def build(name: str, options: Mapping[str, Any] | None = None, folder: Path | str = ".") -> Model:
    """The model of a name, `provider/model`; an AssayError where it cannot be used (no key, no weights).

    The path of `my_file.py:MyModel` starts at `folder`, its name stays as it is.
    """
    if ".py:" in name or name in registry.names("model"):
        made = registry.resolve("model", registry.located(name, Path(folder)))
        return made(name, options)  # type: ignore[no-any-return]
    provider = name.split("/")[0]
    if provider == "embedded":
        from assay.models.embedded import Embedded

        return Embedded(name, options)
    if provider == "mock":
        from assay.models.mock import Mock

        return Mock(name, options)
    from assay.models.provider import Provided

    return Provided(name, options)


def check_ready(name: str, options: Mapping[str, Any] | None = None, folder: Path | str = ".") -> str | None:
    """One line on what is missing (a key, a package, a file), or None. Nothing is called and nothing loaded."""
    try:
        _check(name, options or {}, folder)
    except AssayError as error:
        return str(error)
    return None


def catalogue() -> list[dict[str, Any]]:
    """Rows for `assay list models`: the built-in ones and, by example, the providers."""
    from assay.models.mock import BUILT_IN
    from assay.models.services import SERVICES

    rows = [_row("embedded/smollm2", "SmolLM2-135M-Instruct, in this process; tiny", "no key, no network")]
    rows += [_row(service.example, service.title, service.needs()) for service in SERVICES.values()]
    rows += [_row(f"mock/{name}", f"scripted: {words}", "") for name, (words, _) in BUILT_IN.items()]
    return rows


def _row(name: str, title: str, needs: str) -> dict[str, Any]:
    known = price(name)
    return {
        "name": name,
        "title": title,
        "needs": needs,
        "usd_per_1e6_in": known.input if known else None,
        "usd_per_1e6_out": known.output if known else None,
        "ready": "yes" if check_ready(name) is None else "no",
    }


def _check(name: str, options: Mapping[str, Any], folder: Path | str) -> None:
    provider = name.split("/")[0]
    if ".py:" in name or name in registry.names("model") or provider in ("embedded", "mock"):
        build(name, options, folder)  # cheap: weights are loaded at the first question
        return
    from assay.models.services import check_service

    check_service(name, options)
