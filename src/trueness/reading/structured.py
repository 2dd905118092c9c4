"""JSON as models write it: with comments, trailing commas, single quotes, text around it, or cut off.

    recover_json(text) -> the objects that stand in the text, each value with its span and whether it was complete

The work is linear in the text: after a mistake reading goes on behind it and never starts over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from trueness.patterns import late

OBJECT, ARRAY, STRING, NUMBER, WORD = "object", "array", "string", "number", "word"
_MAX_DEPTH = 24
_new = tuple.__new__  # half the time of a named tuple's own
_BEGINS = late(r"[{\[]\s*(?:[\"'\u201c{/#]|[^\W\d]\w*\s*:)")
_TOKEN = late(  # numbers possessive: shorter ones are never followed by what must follow, and need no try
    r"""[\s,]*(?:
      (?P<comment>//[^\n]*|\#[^\n]*|/\*)
    | (?P<string>"[^"\\\n]*"|'[^'\\\n]*'|\u201c[^\u201c\u201d\n]*\u201d)
    | (?P<escaped>")
    | (?P<number>[-+]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][-+]?\d++)?+(?=\s*+(?:[,}\])]|//|/\*|\#|$)))
    | (?P<open>[{\[(])
    | (?P<close>[}\])])
    | (?P<colon>:)
    | (?P<word>[^\s,:{}\[\]()"'][^\n,:{}\[\]()"']*)
    | (?P<other>\S)
    )""",
    re.VERBOSE,
)
_KEY = late(r'[\s,]*"([^"\\\n]*)"[\s,]*:')  # what most keys are, and most values of an answer
_PAIR = late(r"[\s,]*(\[\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*\])")
_ESCAPED = late(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


class Node(NamedTuple):
    """A value of a JSON text with its span. An object holds (key, node) pairs, an array holds nodes."""

    kind: str
    start: int
    end: int
    text: str = ""
    items: tuple[Node, ...] = ()
    keys: tuple[str, ...] = ()
    complete: bool = True

    @property
    def pairs(self) -> Iterator[tuple[str, Node]]:
        return zip(self.keys, self.items, strict=True)


def unescaped(text: str) -> str:
    """What a string of JSON stands for; the string itself where its escapes are wrong."""
    try:
        return str(json.loads(f'"{text}"')) if "\\" in text else text
    except ValueError:
        return text


def recover_json(text: str, start: int = 0) -> list[Node]:
    """The objects (and arrays of objects) of a text, in order."""
    nodes: list[Node] = []
    while True:
        match = _BEGINS.search(text, start)
        if match is None:
            return nodes
        node = _Reader(text, match.start()).value(0)
        start = max(node.end, match.end())
        if node.keys or any(item.kind == OBJECT for item in node.items):
            nodes.append(node)


class _Reader:
    """One pass over the tokens from a place on."""

    def __init__(self, text: str, at: int):
        self.text, self.at = text, at

    def next(self) -> tuple[str, int, int]:
        """Kind and span of the next token; ("", end, end) at the end."""
        while True:
            match = _TOKEN.match(self.text, self.at)
            if match is None:
                self.at = len(self.text)
                return "", self.at, self.at
            kind = match.lastgroup or ""
            start, end = match.span(kind)
            if kind == "comment":
                if self.text.startswith("/*", start):
                    closed = self.text.find("*/", end)
                    end = len(self.text) if closed < 0 else closed + 2
                self.at = end
                continue
            if kind == "escaped":
                whole = _ESCAPED.match(self.text, start)
                kind, end = ("string", whole.end()) if whole else ("cut", len(self.text))
            self.at = end
            return kind, start, end

    def value(self, depth: int) -> Node:
        pair = _PAIR.match(self.text, self.at) if depth < _MAX_DEPTH else None
        if pair is not None:
            start, self.at = pair.span(1)
            low = _new(Node, (NUMBER, *pair.span(2), pair[2], (), (), True))
            high = _new(Node, (NUMBER, *pair.span(3), pair[3], (), (), True))
            return _new(Node, (ARRAY, start, self.at, "", (low, high), (), True))
        kind, start, end = self.next()
        written = self.text[start:end]
        if kind == "open" and depth < _MAX_DEPTH:
            return self._object(start, depth) if written == "{" else self._array(start, depth)
        if kind == "string":
            return _new(Node, (STRING, start, end, written[1:-1], (), (), True))
        if kind == "number":
            return _new(Node, (NUMBER, start, end, written, (), (), end < len(self.text)))
        if kind == "close":
            self.at = start  # a value is missing: {"precision": }
        return Node(WORD, start, end, written, complete=kind == "word" and end < len(self.text))

    def _object(self, start: int, depth: int) -> Node:
        keys: list[str] = []
        items: list[Node] = []
        while True:
            if (plain := _KEY.match(self.text, self.at)) is not None:
                self.at = plain.end()
                keys.append(plain[1])
                items.append(self.value(depth + 1))
                continue
            kind, at, end = self.next()
            if kind == "close":
                return _new(Node, (OBJECT, start, end, "", tuple(items), tuple(keys), True))
            if kind not in ("string", "word"):
                return Node(OBJECT, start, self.at, "", tuple(items), tuple(keys), complete=False)
            key = self.text[at:end]
            if self.next()[0] != "colon":
                return Node(OBJECT, start, self.at, "", tuple(items), tuple(keys), complete=False)
            keys.append(key[1:-1] if kind == "string" else key.strip())
            items.append(self.value(depth + 1))

    def _array(self, start: int, depth: int) -> Node:
        items: list[Node] = []
        while True:
            before = self.at
            kind, _, end = self.next()
            if kind == "close":
                return Node(ARRAY, start, end, "", tuple(items))
            if not kind or kind in ("colon", "other", "cut"):
                return Node(ARRAY, start, self.at, "", tuple(items), complete=False)
            self.at = before
            items.append(self.value(depth + 1))
