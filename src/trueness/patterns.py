"""Patterns that are compiled when they are first used: of those that a command imports it uses one in ten.

late(r"\\d+")        as re.compile(r"\\d+")
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any


class _LatePattern:
    def __init__(self, pattern: str, flags: int | re.RegexFlag = 0):
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """Of the compiled pattern; what was used once stands here, so that it costs no more than the pattern's own."""
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    late = re.compile
else:
    late = _LatePattern
