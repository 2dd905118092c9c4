"""The figures of a study that are drawn already, for its paper and its PDF."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Sequence
from html import unescape
from pathlib import Path

from trueness.files import Together, names_in
from trueness.showing.drawers import Pictures
from trueness.showing.paper import Picture
from trueness.showing.rendering import Source

Draw = Callable[[Source, Sequence[str]], Pictures]  # drawers.pictures, or that of a Press
MOST_FIGURES = 12  # of one part; the others are a click away
_CAPTION = re.compile(r"<desc>([^<]*)</desc>")
_SAFE = re.compile(r"[A-Za-z0-9_.-]+")


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
