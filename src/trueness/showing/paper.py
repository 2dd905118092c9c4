"""paper/draft.tex with its tables and figures, for a plain article class with booktabs and graphicx; and report.pdf.

It holds what the program knows: how the study was made, the checks, the results, and what stays open. The argument is
the author's. All text that comes from data or models is escaped. A study has one part a task (parts.py).
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

from trueness.files import Together, names_in, write_atomically, write_bytes_atomically
from trueness.showing.tables import Table, label_of, tex_text

MOST_FIGURES = 12  # of one part; the others are a click away
_CAPTION = re.compile(r"<desc>([^<]*)</desc>")
_SAFE = re.compile(r"[A-Za-z0-9_.-]+")


@dataclass(frozen=True)
class Picture:
    """A figure that was drawn, as SVG and as PDF."""

    name: str
    caption: str
    svg: str
    pdf: bytes


@dataclass(frozen=True, eq=False)
class Part:
    """What a paper says of one task.

    checks: whether its numbers stand, and how complete they are: on top of every report.
    sections: heading and sentences.
    """

    task: str
    abstract: str
    checks: Sequence[str]
    methods: Sequence[str]
    sections: Sequence[tuple[str, Sequence[str]]] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = field(default_factory=tuple)


def read_pictures(folder: Path, inner: str, *patterns: str) -> list[Picture]:
    """The figures of folder/inner with the captions that their SVGs carry; TeX takes plain file names only."""
    there = names_in(folder, inner)
    drawings = [name.removesuffix(".svg") for pattern in patterns for name in fnmatch.filter(there, f"{pattern}.svg")]
    pictures, files = [], Together(folder)
    for name in [name for name in drawings if f"{name}.pdf" in there and _SAFE.fullmatch(name)][:MOST_FIGURES]:
        svg, pdf = files.text(f"{inner}/{name}.svg"), files.content(f"{inner}/{name}.pdf")
        caption = _CAPTION.search(svg)
        pictures.append(Picture(name, unescape(caption[1]) if caption else name, svg, pdf))
    return pictures


def write_paper(folder: Path, study: str, parts: Sequence[Part], shared: Sequence[str] = ()) -> list[Path]:
    """draft.tex, tables/ and figures/ below folder/paper; shared: methods of all parts (plan, versions, seed)."""
    written = []
    for part in parts:
        for table in part.tables:
            written.append(write_atomically(folder, f"paper/tables/{table.name}.tex", table.to_latex()))
        for picture in part.pictures:
            written.append(write_bytes_atomically(folder, f"paper/figures/{picture.name}.pdf", picture.pdf))
    return [*written, write_atomically(folder, "paper/draft.tex", draft(study, parts, shared))]


def draft(study: str, parts: Sequence[Part], shared: Sequence[str] = ()) -> str:
    """The text of draft.tex. Tables lie in tables/<name>.tex, figures in figures/<name>.pdf."""
    tables = [table for part in parts for table in part.tables]
    pictures = [picture for part in parts for picture in part.pictures]
    several = len(parts) > 1
    checks = [sentence for part in parts for sentence in part.checks]
    methods = [_section("Methods", "")]
    for part in parts:
        methods += [_subsection(part.task.capitalize())] if several else []
        methods.append("\n".join(tex_text(sentence) for sentence in part.methods))
    methods += [_subsection("Plan and versions"), "\n".join(map(tex_text, shared))] if shared else []
    blocks = [
        _HEAD % {"title": tex_text(f"Study {study}")},
        "\n".join([r"\begin{abstract}", "% Generated from the results; write the argument here."]
                  + [tex_text(part.abstract) for part in parts] + [r"\end{abstract}"]),
        _section("Validation", _itemise(checks)),
        *methods,
        _section("Results", "\n\n".join([_references(tables, pictures), *(_input(table) for table in tables)])),
    ]  # fmt: skip
    for part in parts:
        for heading, sentences in part.sections:
            title = f"{part.task.capitalize()}: {heading.lower()}" if several else heading
            blocks.append(_section(title, _itemise(sentences)))
    blocks += [_figure(picture) for picture in pictures]
    return "\n\n".join([*blocks, r"\end{document}"]) + "\n"


def _references(tables: Sequence[Table], pictures: Sequence[Picture]) -> str:
    parts = [rf"Table~\ref{{tab:{label_of(table.name)}}}" for table in tables]
    parts += [rf"Figure~\ref{{fig:{label_of(picture.name)}}}" for picture in pictures]
    return f"See {', '.join(parts)}." if parts else "Nothing was measured."


def _input(table: Table) -> str:
    return rf"\input{{tables/{table.name}.tex}}"


def _figure(picture: Picture) -> str:
    size = r"width=\textwidth,height=0.72\textheight,keepaspectratio"
    return "\n".join(
        [
            r"\begin{figure}[p]",
            r"\centering",
            rf"\includegraphics[{size}]{{figures/{picture.name}.pdf}}",
            rf"\caption{{{tex_text(picture.caption)}}}",
            rf"\label{{fig:{label_of(picture.name)}}}",
            r"\end{figure}",
        ]
    )


def _section(title: str, body: str) -> str:
    return rf"\section{{{tex_text(title)}}}" + ("\n" + body if body else "")


def _subsection(title: str) -> str:
    return rf"\subsection{{{tex_text(title)}}}"


def _itemise(sentences: Sequence[str]) -> str:
    if not sentences:
        return "Nothing."
    return "\n".join([r"\begin{itemize}", *(rf"\item {{}}{tex_text(line)}" for line in sentences), r"\end{itemize}"])


_HEAD = r"""\documentclass{article}
\usepackage{booktabs}
\usepackage{graphicx}
\title{%(title)s}
\date{}
\begin{document}
\maketitle"""
