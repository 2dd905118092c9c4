"""docs/cli.md: every command, argument, option, default and exit code, from the argument parser itself.

python tools/cli_reference.py            (make docs)
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from trueness import cli
from trueness.models.services import SERVICES
from trueness.terminal.options import command_line

PAGE = Path(__file__).resolve().parents[1] / "docs" / "cli.md"

_TOLD = re.compile(r" \(default:? [^);]+\)|^default: [^;]+; ")  # it stands in a column of its own
HEAD = """# The command line

Made from the code by `make docs`; do not edit. `trueness COMMAND --help` says the same in the terminal.
"""
ENVIRONMENT = """## Environment

| variable | what it does |
|---|---|
{rows}

No key is in a message, a log or a study folder. Every worker process has one thread
(`OMP_NUM_THREADS` and the like are set to 1 for it), and so have numpy's matrices in the command itself
(`OPENBLAS_NUM_THREADS`, unless you set it: more threads wait for one another where the machine is busy).

[All pages](index.md)
"""


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    parser = command_line()
    commands = _commands(parser)
    contents = [f"| [`trueness {name}`](#trueness-{name}) | {_cell(about)} |" for name, (_, about) in commands.items()]
    parts = [HEAD, _overview(parser), "\n".join(["| command | |", "|---|---|", *contents])]
    parts += [_command(name, command, about) for name, (command, about) in commands.items()]
    return "\n\n".join(part.strip() for part in (*parts, _exit_codes(), _environment())) + "\n"


def _commands(parser: argparse.ArgumentParser) -> dict[str, tuple[argparse.ArgumentParser, str]]:
    action = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    abouts = {choice.dest: choice.help or "" for choice in action._choices_actions}
    return {name: (command, abouts[name]) for name, command in action.choices.items()}


def _overview(parser: argparse.ArgumentParser) -> str:
    rows = [_row(action) for action in parser._actions if action.option_strings and action.dest != "help"]
    return f"{parser.description}\n\n{_table(rows)}"


def _command(name: str, command: argparse.ArgumentParser, about: str) -> str:
    usage = " ".join(command.format_usage().removeprefix("usage: ").replace("[-h] ", "").split())
    rows = [_row(action) for action in command._actions if action.dest != "help"]
    return f"## `trueness {name}`\n\n{about[:1].upper()}{about[1:]}.\n\n`{usage}`\n\n{_table(rows)}"


def _row(action: argparse.Action) -> tuple[str, str, str]:
    takes = action.metavar or (action.dest.upper() if action.nargs != 0 else "")
    if action.option_strings:
        name = ", ".join(action.option_strings) + (f" {takes}" if action.nargs != 0 else "")
    else:
        name = str(action.metavar or action.dest).upper()
    text = action.help or ""
    return f"`{name}`", _default(action, text), _cell(_TOLD.sub("", text))


def _default(action: argparse.Action, text: str) -> str:
    """What the help says it is, or what the parser holds."""
    said = re.search(r"default:? ([^);]+)", text)
    if said:
        return _cell(said[1])
    if not action.option_strings:
        return "-" if action.nargs in ("?", "*") else "required"
    if action.nargs == 0:
        return "off"
    return "-" if action.default is None else f"`{action.default}`"


def _table(rows: list[tuple[str, str, str]]) -> str:
    lines = ["| argument | default | |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("show program's version number and exit", "the version")


def _exit_codes() -> str:
    """From the first lines of the command line's own module."""
    codes = " ".join((cli.__doc__ or "").split()).partition("Exit codes: ")[2].rstrip(".").split("; ")
    rows = "\n".join(f"| {code.split(' ', 1)[0]} | {code.split(' ', 1)[1]} |" for code in codes)
    return f"## Exit codes\n\n| code | |\n|---|---|\n{rows}"


def _environment() -> str:
    rows = []
    for service in SERVICES.values():
        if service.keys:
            rows.append((" or ".join(f"`{key}`" for key in service.keys), f"the key of {service.title}"))
        rows.append((f"`{service.url_variable}`", f"another address for {service.title}"))
    rows += [
        ("`SERVICE_API_KEY`, `SERVICE_BASE_URL`", "the same of `openai-api/SERVICE/...`"),
    ]
    return ENVIRONMENT.format(rows="\n".join(f"| {name} | {what} |" for name, what in rows))


if __name__ == "__main__":
    main()
