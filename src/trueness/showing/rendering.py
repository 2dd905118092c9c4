"""Pictures of charts:  Vega-Lite -> SVG -> PNG, PDF,  by a renderer that brings its own engine and fonts, offline.

The chart is compiled once; PNG and PDF are made from the SVG. The same chart gives the same SVG and PNG, byte for byte,
in any process; a PDF may name its parts in another order. Only processes that draw import the renderer (drawers.py):
`perform` is what a worker calls (trueness.running.worker).
"""

from __future__ import annotations

import hashlib
import re
import resource
from collections.abc import Iterable, Mapping

from trueness.outside import Json, one_line
from trueness.status import Status
from trueness.texts import printable_lines

FORMATS = ("png", "svg", "pdf")
PNG_SCALE = 2.0  # at least 144 points to the inch: for screens; print takes the PDF
PNG_WIDE = 1200  # pixels, at least
_REFERENCE = re.compile(r'(\bid="|url\(#)((?:clip|gradient_)\d+)')
_WIDTH = re.compile(r'<svg[^>]*?\swidth="([0-9.]+)')

Source = dict[str, Json] | str  # a chart in Vega-Lite, or a picture that is SVG from the start


def prepare(common: Mapping[str, Json]) -> None:
    """A renderer that ends its process leaves no gigabytes behind."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def svg_of(source: Source) -> str:
    import vl_convert

    return printable_lines(source if isinstance(source, str) else _by_content(str(vl_convert.vegalite_to_svg(source))))


def _by_content(svg: str) -> str:
    """The renderer numbers clips and gradients on from one picture to the next. Named by the picture's own content they
    hang on nothing that was drawn before, and two pictures of one page share none."""
    numbers = {name: k for k, name in enumerate(dict.fromkeys(one[1] for one in _REFERENCE.findall(svg)))}
    bare = _REFERENCE.sub(lambda match: f"{match[1]}part{numbers[match[2]]}", svg)
    mark = hashlib.sha256(bare.encode()).hexdigest()[:8]
    return _REFERENCE.sub(lambda match: f"{match[1]}part{numbers[match[2]]}_{mark}", svg)


def pictures_of(source: Source, formats: Iterable[str]) -> dict[str, bytes]:
    """Format -> the file's bytes."""
    import vl_convert

    svg, files = svg_of(source), {}
    for form in formats:
        if form == "svg":
            files[form] = svg.encode()
        elif form == "png":
            files[form] = bytes(vl_convert.svg_to_png(svg, scale=_scale_of(svg)))
        else:
            files[form] = bytes(vl_convert.svg_to_pdf(svg))
    return files


def _scale_of(svg: str) -> float:
    """Pixels a point."""
    width = _WIDTH.search(svg)
    return max(PNG_SCALE, (PNG_WIDE + 1) / float(width[1])) if width else PNG_SCALE


def perform(common: Mapping[str, Json], unit: Mapping[str, Json]) -> dict[str, Json]:
    """In a worker: the pictures of unit["source"], in common["formats"]."""
    try:
        return {"status": str(Status.OK), "pictures": pictures_of(unit["source"], common["formats"])}
    except (ValueError, RuntimeError, MemoryError) as error:
        return {"status": str(Status.FAILED), "message": one_line(error)}
