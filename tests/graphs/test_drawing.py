"""A drawing shows every node and edge once, hides none behind a box, and marks an answer against its truth."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from trueness.graphs import ARROW, Graph

SVG = "{http://www.w3.org/2000/svg}"
GREEN, ORANGE, VERMILLION, GREY = "#009e73", "#e69f00", "#d55e00", "#7f7f7f"
ASIA = ["asia -> tub", "smoke -> lung", "smoke -> bronc", "tub -> either", "lung -> either", "either -> xray"]
ASIA += ["either -> dysp", "bronc -> dysp"]


def random_graph(rng, d, per_node, kind="dag"):
    marks = np.zeros((d, d), dtype=np.int8)
    order = rng.permutation(d)
    for _ in range(int(per_node * d)):
        i, j = sorted(rng.choice(d, size=2, replace=False))
        i, j = order[i], order[j]
        at_i, at_j = (1, ARROW) if kind == "dag" else (rng.integers(1, 4), rng.integers(1, 4))
        marks[j, i], marks[i, j] = at_i, at_j
    return Graph(tuple(f"variable {i}" for i in range(d)), marks, None, kind)


class Picture:
    """What an SVG shows: boxes {name: (x0, y0, x1, y1)}, lines {title: (path, points on it)}, marks {title: counts}."""

    def __init__(self, text):
        self.root = ElementTree.fromstring(text)
        self.boxes, self.lines, self.marks = {}, {}, {}
        self._read(self.root, np.zeros(2))
        self.words = [text.text for text in self.root.iter(f"{SVG}text")]

    def _read(self, group, moved):
        if "transform" in group.attrib:
            moved = moved + [float(n) for n in re.findall(r"[-0-9.]+", group.get("transform"))]
        for child in group.findall(f"{SVG}g"):
            self._read(child, moved)
        title, rect, path = (group.find(f"{SVG}{tag}") for tag in ("title", "rect", "path"))
        if title is None or group is self.root:
            return
        if rect is not None:
            x, y, wide, tall = (float(rect.get(key)) for key in ("x", "y", "width", "height"))
            self.boxes[title.text or ""] = (x + moved[0], y + moved[1], x + moved[0] + wide, y + moved[1] + tall)
        else:
            shapes = [child.tag.removeprefix(SVG) for child in group]
            self.lines[title.text] = (path, points_of(path.get("d")) + moved)
            self.marks[title.text] = (shapes.count("path") - 1, shapes.count("circle"))


def points_of(d):
    """Points along a path of M, L and C commands."""
    points, here = [], np.zeros(2)
    for command, numbers in re.findall(r"([MLC])([-0-9., ]+)", d):
        ends = np.array([float(n) for n in re.split(r"[ ,]+", numbers.strip())]).reshape(-1, 2)
        t = np.linspace(0, 1, 25)[:, None]
        if command == "C":
            a, b, c = ends
            points += list((1 - t) ** 3 * here + 3 * (1 - t) ** 2 * t * a + 3 * (1 - t) * t**2 * b + t**3 * c)
        elif command == "L":
            points += list(here + t * (ends[0] - here))
        here = ends[-1]
    return np.array(points)


def inside(points, box, slack=1.0):
    x0, y0, x1, y1 = box
    x, y = points.T
    return ((x > x0 + slack) & (x < x1 - slack) & (y > y0 + slack) & (y < y1 - slack)).any()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dag", "pag"])
def test_every_node_and_edge_is_drawn_once_and_none_runs_behind_a_box(kind):
    rng = np.random.default_rng(0)
    for _ in range(40):
        graph = random_graph(rng, int(rng.integers(2, 25)), rng.uniform(0.3, 2.5), kind)
        picture = Picture(graph.to_svg())
        assert set(picture.boxes) == set(graph.nodes)
        assert set(picture.lines) == {str(edge) for edge in graph.edges}
        for line, (_, points) in picture.lines.items():
            for name, box in picture.boxes.items():
                assert not inside(points, box), (line, name)


def test_causes_are_before_effects():
    rng = np.random.default_rng(2)
    for _ in range(40):
        graph = random_graph(rng, int(rng.integers(2, 20)), 1.5)
        boxes = Picture(graph.to_svg()).boxes
        down = all(boxes[edge.source][3] < boxes[edge.target][1] for edge in graph.edges)
        right = all(boxes[edge.source][2] < boxes[edge.target][0] for edge in graph.edges)
        assert down or right


@pytest.mark.parametrize(
    ("edge", "arrows", "circles"),
    [("a -> b", 1, 0), ("a -- b", 0, 0), ("a <-> b", 2, 0), ("a o-> b", 1, 1), ("a o-o b", 0, 2), ("a -o b", 0, 1)],
)
def test_each_end_has_its_mark(edge, arrows, circles):
    assert Picture(Graph.from_edges([edge]).to_svg()).marks[edge] == (arrows, circles)


def test_an_arrow_touches_the_effect():
    graph = Graph.from_edges(["cause -> effect"])
    picture = Picture(graph.to_svg())
    head = picture.root.findall(f".//{SVG}path")[1].get("d")
    margin = 18.0
    tip = float(head.split()[0].split(",")[1]) + margin
    assert tip == pytest.approx(picture.boxes["effect"][1], abs=0.2)
    assert picture.boxes["cause"][3] < tip


# ---- weights


# ---- against a truth


def test_an_answer_is_coloured_and_line_styled_against_its_truth():
    truth = Graph.from_edges(["a -> b", "b -> c", "c -> d", "d -> e"])
    answer = Graph.from_edges(["a -> b", "c -> b", "c -- d", "a -> e"], nodes="abcde", kind="cpdag")
    picture = Picture(answer.to_svg(truth))
    styles = {line: (path.get("stroke"), path.get("stroke-dasharray")) for line, (path, _) in picture.lines.items()}
    assert styles == {
        "a -> b (correct)": (GREEN, None),
        "c -> b (reversed or wrong mark)": (ORANGE, "9 3 2 3"),
        "c -- d (reversed or wrong mark)": (ORANGE, "9 3 2 3"),
        "a -> e (extra)": (VERMILLION, "6 4"),
        "d -> e (missing)": (GREY, "2 3"),
    }
    assert {"correct 1", "reversed or wrong mark 2", "extra 1", "missing 1"} <= set(picture.words)
