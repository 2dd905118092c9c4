"""BIF: a Bayesian network as text; its structure here, its tables of probabilities in datasets/networks.py.

variable smoke { type discrete [ 2 ] { yes, no }; }
probability ( lung | smoke ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from trueness.errors import GraphError, did_you_mean, listed
from trueness.graphs.links import MAX_NODES, Link, assemble, check_text
from trueness.graphs.marked import MarkedGraph

# possessive, so that a hostile text costs one look at each character and no memory
_QUOTED = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'


class Structure(NamedTuple):
    """What is known before tables are read: of each variable what its block says; its parents and its table's text."""

    variables: dict[str, str]
    families: dict[str, tuple[tuple[str, ...], str]]

    def graph(self) -> MarkedGraph:
        links = [Link(parent, child) for child in self.variables for parent in self.families[child][0]]
        return assemble(links, list(self.variables), "dag")


def from_bif(text: str) -> MarkedGraph:
    """The structure of a Bayesian network: names and parents; states and tables are not looked at."""
    return bif_structure(text).graph()


def bif_structure(text: str, source: str = "a BIF network") -> Structure:
    """Names and parents of a network's text, in the order of the variables; GraphError where it is none."""
    variables: dict[str, str] = {}
    heads: list[tuple[str, str]] = []
    for kind, header, body in _blocks(check_text(text, source)):
        if kind == "variable":
            name = bif_name(header)
            if name in variables:
                raise GraphError(f"{name!r:.60} of {source} must have one variable block, got two. Remove one.")
            variables[name] = body
        elif kind == "probability":
            heads.append((header, body))
    if not variables:
        raise GraphError(f"{source} must hold 'variable' blocks, got none. Is it a BIF file?")
    if len(variables) > MAX_NODES:
        raise GraphError(
            f"{source} must have at most {MAX_NODES:,} variables, got {len(variables):,}. Read a part of it."
        )
    families: dict[str, tuple[tuple[str, ...], str]] = {}
    for header, body in heads:
        child, *parents = _family(header, variables)
        if child in families:
            raise GraphError(f"{child!r:.60} of {source} must have one probability block, got two. Remove one.")
        families[child] = tuple(parents), body
    left = [name for name in variables if name not in families]
    if left:
        got = f"got none for {listed(left)}. The file may be cut off"
        raise GraphError(f"each variable of {source} must have a probability block, {got}.")
    return Structure(variables, families)


def bif_name(name: str) -> str:
    """A name without the blanks and the double quotes around it."""
    name = name.strip()
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name


def _family(header: str, variables: Collection[str]) -> list[str]:
    """Return the child and its parents of a probability header: `a | b, c`, and the older `"a" "b" "c"`."""
    family: list[str] = []
    for piece in re.split(r"[|,]", header):
        name = bif_name(piece)
        # names may hold blanks (bnlearn writes them bare), or be told apart by blanks only (JavaBayes)
        family += [name] if name in variables else [bif_name(word) for word in piece.split()]
    for name in family:
        if name not in variables:
            near = did_you_mean(name, variables)
            raise GraphError(f"{name!r:.60} in 'probability ( {header:.60} )' is not a variable. {near}".rstrip())
    if not family:
        raise GraphError("a probability block of a BIF network must name a variable, got none.")
    return family


def _blocks(text: str) -> Iterator[tuple[str, str, str]]:
    """The blocks of a BIF text as (kind, header, body), comments (// and /* */) taken out.

    kind is network, variable or probability; header is what stands between it and its '{', without the parentheses of
    a probability; body is what stands between its '{' and '}'. `probability ( a | b, c ) { (x, y) 0.1, 0.9; }` gives
    ("probability", "a | b, c", "(x, y) 0.1, 0.9;"). Braces and comment signs within double quotes are text.
    """
    depth, start, opened = 0, 0, 0
    clean = _without_comments(text)
    for match in re.finditer(rf"[{{}}]|{_QUOTED}", clean, re.DOTALL):
        if match.group() == "{":
            depth += 1
            if depth == 1:
                opened = match.end()
        elif match.group() == "}":
            depth -= 1
            if depth == 0:
                yield *_head(clean[start : opened - 1]), clean[opened : match.start()].strip()
                start = match.end()
            elif depth < 0:
                raise GraphError("a BIF network must have a '{' for each '}', got one '}' too many.")
    if depth or clean[start:].strip():
        rest = " ".join(clean[start : start + 60].split())
        raise GraphError(f"a BIF network must end with a closed block, got {rest!r}. The file may be cut off.")


def _head(head: str) -> tuple[str, str]:
    head = head.strip()
    kind = next((word for word in ("network", "variable", "probability") if head.startswith(word)), "")
    header = head[len(kind) :].strip()
    if kind == "probability":
        if not (header.startswith("(") and header.endswith(")")):
            kind = ""
        header = header[1:-1].strip()
    if not kind:
        start = " ".join(head[:60].split())
        raise GraphError(f"a block of a BIF network must be network, variable X or probability ( X ), got {start!r}.")
    return kind, header


def _without_comments(text: str) -> str:
    """Comments replaced by a blank; an unclosed one is an error, and the search ends there."""

    def keep(match: re.Match[str]) -> str:
        if match[2]:
            what, end = ("double quote", "") if match[2] == '"' else ("comment", " by '*/'")
            raise GraphError(f"a {what} of a BIF network must be closed{end}, got the end of the text.")
        return match[1] or " "

    return re.sub(rf'({_QUOTED})|//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/|("|/\*)', keep, text, flags=re.DOTALL)
