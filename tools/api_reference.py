"""docs/api.md: the public names of `import trueness`, each with its signature and its docstring, from the code itself.

python tools/api_reference.py            (make docs)
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import trueness

PAGE = Path(__file__).resolve().parents[1] / "docs" / "api.md"
HEAD = """# The public names

Made from the code by `make docs`; do not edit. `import trueness` offers these names and no others; each is imported
when it is first used. What stands elsewhere in the package may change without notice.
"""


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    things = {name: getattr(trueness, name) for name in trueness.__all__}
    things["analyse"] = things["analyse"].__call__  # a package that can be called
    rows = [f"| [`{name}`](#{name.lower()}) | {_first_line(thing)} |" for name, thing in things.items()]
    parts = [HEAD, "\n".join(["| name | |", "|---|---|", *rows])]
    parts += [_section(name, thing) for name, thing in things.items()]
    return "\n\n".join(part.strip() for part in (*parts, "[All pages](index.md)")) + "\n"


def _first_line(thing: Any) -> str:
    return _doc(thing).split("\n\n")[0].replace("\n", " ").replace("|", "\\|").replace("<", "&lt;")


def _doc(thing: Any) -> str:
    """Its own docstring: none that a base class or a decorator wrote."""
    text = inspect.cleandoc(thing.__doc__ or "")
    made = inspect.isclass(thing) and (text.startswith(f"{thing.__name__}(") or "__doc__" not in vars(thing))
    return "" if made or text.startswith("Enum where") else text


def _section(name: str, thing: Any, mark: str = "##") -> str:
    """A name; below it the public methods of a class, inherited ones too, or the functions of a module."""
    lines = [f"{mark} {name}", _text(name, thing)]
    if isinstance(thing, ModuleType):
        lines += [_section(f"{name}.{part}", getattr(thing, part), "###") for part in thing.__all__]
    elif inspect.isclass(thing) and mark == "##":
        ours = [base for base in thing.__mro__ if base.__module__.startswith("trueness")]
        members = {part: member for base in reversed(ours) for part, member in vars(base).items() if part[0] != "_"}
        lines += [_text(f"{name}.{part}", member) for part, member in members.items() if _is_method(member)]
    return "\n\n".join(lines)


def _is_method(member: Any) -> bool:
    return inspect.isfunction(member) or isinstance(member, (classmethod, staticmethod, property))


def _text(name: str, thing: Any) -> str:
    """Signature and docstring as they stand in the code; a docstring here is set with care, so it is not set anew."""
    plain = thing.fget if isinstance(thing, property) else getattr(thing, "__func__", thing)
    signature = "" if isinstance(thing, property) else _signature(plain)
    text = _doc(plain)
    return "\n".join(["```text", f"{name}{signature}", *(["", text] if text else []), "```"])


def _signature(function: Any) -> str:
    """Annotations without their quotes; a line a parameter where one line is too long."""
    try:
        parameters = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    parts = [str(part) for part in parameters.parameters.values() if part.name not in ("self", "cls")]
    if any(part.kind is part.KEYWORD_ONLY for part in parameters.parameters.values()):
        kinds = [part.kind for part in parameters.parameters.values() if part.name not in ("self", "cls")]
        if inspect.Parameter.VAR_POSITIONAL not in kinds:
            parts.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    parts = [re.sub(r"""(: )(['"])(.*?)\2(?= = |$)""", r"\1\3", part) for part in parts]
    end = str(parameters.return_annotation) if parameters.return_annotation is not inspect.Signature.empty else ""
    end = f" -> {end}" if end not in ("", "None") else ""
    line = f"({', '.join(parts)}){end}"
    return line if len(line) < 90 else "(\n" + "".join(f"    {part},\n" for part in parts) + f"){end}"


if __name__ == "__main__":
    main()
