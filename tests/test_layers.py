"""Imports go down only, and nothing heavy is imported for the help."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import networkx
import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "trueness"

BASE = {"errors", "files", "intervals", "outside", "packed", "measure", "printing", "registry"}
BASE |= {"patterns", "safe_path", "settings", "status", "texts"}
ROOMS = [  # from the bottom up; a module may import from its own room and from those before it
    BASE,
    {"graphs"},
    {"statistics"},
    {"models"},
    {"datasets"},
    {"atlas"},
    {"learners"},
    {"measures"},
    {"reasoning"},
    {"reading"},
    {"running"},
    {"showing"},
    {"analyse"},
    {"studies"},
    {"page"},
    {"terminal"},
    {
        "cli",
        "__main__",
        "__init__",
        "extend",
    },  # the door: it names what lies anywhere below, and imports it when it is asked for
]
HEIGHT = {name: height for height, names in enumerate(ROOMS) for name in names}
FORBIDDEN = {  # beside the order: who must not know whom at all
    "statistics": {"graphs", "datasets", "learners", "measures", "models"},
    "models": {"graphs", "datasets", "learners", "measures"},
    "measures": {"learners", "datasets"},
}


@pytest.fixture(scope="module")
def nodes():
    """Of each module all that stands in it; read once."""
    return {path: list(ast.walk(ast.parse(path.read_text()))) for path in modules()}


@pytest.fixture(scope="module")
def imported(nodes):
    """Of each module the dotted names of what it imports, at any depth of it: a late import is one too."""
    return {path: list(_imported(path, nodes[path])) for path in nodes}


def modules():
    return sorted(SOURCE.rglob("*.py"))


def area(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def _imported(path, nodes):
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_imports_go_down_only(imported):
    wrong = []
    for path in modules():
        mine = area(path)
        assert mine in HEIGHT, f"{mine} has no layer: give it one here"
        for other in {parts[1] for name in imported[path] if (parts := name.split("."))[0] == "trueness" and parts[1:]}:
            if HEIGHT.get(other, 0) > HEIGHT[mine] or other in FORBIDDEN.get(mine, ()):
                wrong.append(f"{path.relative_to(SOURCE)} imports {other}")
    assert wrong == []


def test_no_study_imports_another(imported):
    studies = {path.name for path in (SOURCE / "studies").iterdir() if (path / "plan.py").is_file()}
    assert len(studies) >= 5
    for study in studies:
        for path in (SOURCE / "studies" / study).rglob("*.py"):
            others = {name.split(".")[2] for name in imported[path] if name.startswith("trueness.studies.")}
            assert "charts" not in others, f"{path} imports the charts of all studies"
            assert others & studies <= {study}, f"{path.relative_to(SOURCE)} imports {others & studies - {study}}"


def test_generic_rooms_name_no_study():
    """Terminal, page, running and showing know readings and rows; which studies there are, the registry knows."""
    names = re.compile(r"(?<!causal-)\b(discovery|forecast|population|faithfulness|robustness)\b")
    rooms = [path for room in ("running", "showing", "page", "terminal") for path in (SOURCE / room).rglob("*.*")]
    texts = [path for path in (*rooms, SOURCE / "cli.py") if path.suffix in (".py", ".js")]
    found = [
        f"{path.relative_to(SOURCE)}: {line.strip()}"
        for path in texts
        for line in path.read_text().splitlines()
        if names.search(line)
    ]
    assert found == []


def test_no_module_reaches_itself(imported):
    """A circle of imports is one unit that nobody can read, test or move by parts."""
    names = {".".join(("trueness", *path.relative_to(SOURCE).with_suffix("").parts)): path for path in modules()}
    paths = {name.removesuffix(".__init__"): path for name, path in names.items()}
    graph = networkx.DiGraph()
    for module, path in paths.items():
        for name in imported[path]:
            other = name if name in paths else name.rpartition(".")[0]
            if other in paths and other not in (module, "trueness"):
                graph.add_edge(module, other)
    assert [sorted(circle) for circle in networkx.strongly_connected_components(graph) if len(circle) > 1] == []


def test_no_learner_can_reach_a_truth(imported):
    for path in (SOURCE / "learners").rglob("*.py"):
        for name in imported[path]:
            assert not name.startswith(
                ("trueness.measures", "trueness.studies", "trueness.running.study", "trueness.running.store")
            ), path
            allowed = ("trueness.datasets.table", "trueness.datasets.columns", "trueness.datasets.observed")
            assert not name.startswith("trueness.datasets") or name.startswith(allowed), f"{path} imports {name}"


def test_files_stay_small():
    sizes = sorted(len(path.read_text().splitlines()) for path in modules())
    assert sizes[len(sizes) // 2] <= 300  # a module that only its neighbour imports belongs to the neighbour
    assert sizes[-1] <= 600


@pytest.mark.parametrize(
    ("command", "heavy"),
    [
        (["--help"], ("numpy", "pandas", "scipy", "rich", "numba", "networkx", "importlib.metadata")),
        (["list", "learners"], ("pandas", "scipy", "numba", "networkx")),
        (["list", "scorers"], ("pandas", "scipy", "numba", "networkx")),
        (["list", "models"], ("pandas", "scipy", "numba", "networkx")),
        (["list", "measures"], ("pandas", "scipy", "numba", "networkx")),
    ],
    ids=" ".join,
)
def test_a_command_imports_nothing_heavy_that_it_does_not_need(command, heavy):
    code = (
        f"import sys\nfrom trueness.cli import main\ntry:\n    main({command})\nexcept SystemExit:\n    pass\n"
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.splitlines()[-1] == "[]"
