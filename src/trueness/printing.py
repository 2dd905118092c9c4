"""Plain lines for stdout and stderr; tables and colours are terminal_output's. Nothing else in the program prints
(tests/hostile/test_names_that_act.py): no name, reply or message can drive a terminal.
"""

from __future__ import annotations

import sys

from trueness.texts import printable_json, printable_lines


def say(text: object = "", *, stderr: bool = False, end: str = "\n") -> None:
    print(printable_lines(str(text)), end=end, file=sys.stderr if stderr else sys.stdout, flush=stderr)


def say_json(value: object, *, indent: int | None = 2) -> None:
    print(printable_json(value, indent=indent, default=str))
