"""Models: text in, text out. They know nothing of what is asked about.

model = build("embedded/smollm2")
model.ask([Message("user", "Hello.")], Settings()).text
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from trueness import registry, texts
from trueness.errors import SettingError, TruenessError
from trueness.models import services
from trueness.models.base import Message, Model, Price, Reply, Settings, TokenLogprob, checked_concurrency, price
from trueness.models.services import allow
from trueness.outside import Json

__all__ = ["Message", "Model", "Price", "Reply", "Settings", "TokenLogprob", "allow", "build", "catalogue", "check",
           "check_ready", "elsewhere", "price"]  # fmt: skip

_PARTS = ("name", "concurrency", "offers_schema", "offers_logprobs", "ask", "close")


def build(name: str, options: Mapping[str, Json] | None = None, folder: Path | str = ".") -> Model:
    """The model of a name, `provider/model`; an TruenessError where it cannot be used (no key, no weights).

    The path of `my_file.py:MyModel` starts at `folder`, its name stays as it is.
    """
    if _is_of_user(name):
        return _of_user(name, options, Path(folder))
    provider = name.split("/")[0]
    if provider == "embedded":
        from trueness.models.embedded import Embedded

        return Embedded(name, options)
    if provider == "mock":
        from trueness.models.mock import Mock

        return Mock(name, options)
    from trueness.models.provider import Provided

    return Provided(name, options)


def check_ready(name: str, options: Mapping[str, Json] | None = None, folder: Path | str = ".") -> str | None:
    """One line on what is missing (a key, a package, a file), or None. Nothing is called and nothing loaded."""
    try:
        check(name, options or {}, folder)
    except TruenessError as error:
        return str(error)
    return None


def check(name: str, options: Mapping[str, Json], folder: Path | str = ".") -> None:
    """An TruenessError where something is missing, or not allowed; as `build` would raise it."""
    if _is_of_user(name) or name.split("/")[0] in ("embedded", "mock"):
        build(name, options, folder)  # cheap: weights are loaded at the first question
        return
    services.check_service(name, options)


def elsewhere(name: str, options: Mapping[str, Json] | None = None) -> str:
    """One line on the address and the variable of a model, where either is not its provider's own; else ''.

    Also '' where it cannot be used: what stands in the way names both (`check_ready`).
    """
    if _is_of_user(name) or name.split("/")[0] in ("embedded", "mock"):
        return ""
    try:
        return texts.printable(services.access(name, options or {}).elsewhere())
    except TruenessError:
        return ""


def catalogue() -> list[dict[str, object]]:
    """Rows for `trueness list models`: the built-in ones and, by example, the providers."""
    from trueness.models.mock import BUILT_IN

    rows = [_row("embedded/smollm2", "SmolLM2-135M-Instruct, in this process; tiny", "no key, no network")]
    rows += [_row(service.example, service.title, service.needs()) for service in services.SERVICES.values()]
    rows += [_row(f"mock/{name}", f"scripted: {words}", "") for name, (words, _) in BUILT_IN.items()]
    return rows


def _row(name: str, title: str, needs: str) -> dict[str, object]:
    known = price(name)
    return {
        "name": name,
        "title": title,
        "needs": needs,
        "usd_per_1e6_in": known.input if known else None,
        "usd_per_1e6_out": known.output if known else None,
        "ready": "yes" if check_ready(name) is None else "no",
    }


def _is_of_user(name: str) -> bool:
    return ".py:" in name or name in registry.names("model")


def _of_user(name: str, options: Mapping[str, Json] | None, folder: Path) -> Model:
    """A model of the user's own: whatever it is, it has the parts that are used, or is refused in one line."""
    services.hide_keys()
    made = registry.resolve("model", registry.locate(name, folder))
    try:
        model: Model = made(name, options)
    except TruenessError:
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {texts.arriving(str(error))}"
        raise TruenessError(f"model {name} cannot be made: {why}") from error
    missing = [part for part in _PARTS if not hasattr(model, part)]
    if missing:
        raise SettingError(f"model {name} must have {', '.join(_PARTS)}, got none of {', '.join(missing)}.")
    checked_concurrency(model.concurrency, name)
    return model
