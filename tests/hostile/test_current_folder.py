"""Nothing that lies in the current folder is imported: not by the command, not by a process that it starts.

Every name that Python or an installed package could ask for is planted there, and each planted file tells when it runs.
"""

import os
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path
from urllib.request import urlopen

import pytest

PLAN = """
name = "tiny"
[discovery]
datasets = ["cancer"]
learners = ["pc", "random"]
runs = 2
rows = 1000
"""
ROOT = Path(__file__).resolve().parents[2]
TRUENESS = (str(Path(sys.executable).with_name("trueness")),)
MODULE = (sys.executable, "-m", "trueness")
FIRST = ("_typing", "copyreg", "enum", "re", "typing")  # what trueness/__init__.py imports
SAFE_MODULE = (sys.executable, "-P", "-m", "trueness")
ENTRY = (sys.executable, "-P", "-c", "import sys; from trueness.__main__ import main; sys.exit(main())")


def before_us() -> set[str]:
    """What `python -m` imports before the module's own first line: no program can mend that, only `python -P`."""
    loaded = subprocess.run([sys.executable, "-P", "-c", "import runpy, sys; print(*sys.modules)"], capture_output=True)
    return {name.split(".")[0] for name in loaded.stdout.decode().split()} | {"trueness"}


@pytest.fixture()
def planted(tmp_path, monkeypatch):
    """A folder full of traps, as the current one; what ran is told by `told()`."""
    canary, here = tmp_path / "canary", tmp_path / "here"
    code = f"with open({str(canary)!r}, 'a') as file:\n    file.write(__file__ + '\\n')\n"
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)

    def plant(but=()):
        for name in {*sys.stdlib_module_names, *packages_distributions(), "sitecustomize", "usercustomize"} - set(but):
            (here / name).mkdir(parents=True)
            (here / name / "__init__.py").write_text(code)
            (here / f"{name}.py").write_text(code)
        (here / "study.toml").write_text(PLAN)
        monkeypatch.chdir(here)
        return here

    def told():
        return canary.read_text().split() if canary.exists() else []

    plant.told = told
    return plant


def command(start, *arguments):
    done = subprocess.run([*start, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def look_at_the_page(start):
    with subprocess.Popen(
        [*start, "view", "results/tiny", "--no-browser", "--port", "0"], stdout=subprocess.PIPE, text=True
    ) as page:
        address = page.stdout.readline().split()[0]
        urlopen(address, timeout=60).read()
        page.terminate()


@pytest.mark.slow
def test_no_command_imports_from_the_current_folder(planted):
    here = planted()
    command(SAFE_MODULE, "plan", "study.toml", "--workers", "1")
    for arguments in (
        ["plan", "study.toml"],
        ["run", "study.toml", "--workers", "1"],
        ["show", "results/tiny"],
        ["report", "results/tiny"],
        ["compare", "pc", "random", "results/tiny"],
        ["list", "models"],
        ["check", "random"],
    ):
        command(TRUENESS, *arguments)
        assert planted.told() == [], arguments
    look_at_the_page(TRUENESS)
    assert planted.told() == []
    for name in before_us() & {path.name for path in here.iterdir()}:
        shutil.rmtree(here / name)
        (here / f"{name}.py").unlink()
    for arguments in (["plan", "study.toml"], ["show", "results/tiny"]):
        command(MODULE, *arguments)
    look_at_the_page(MODULE)
    assert planted.told() == []


@pytest.mark.parametrize("path", ["", "."])
def test_an_entry_of_pythonpath_that_means_the_current_folder_is_left_out(path, planted, monkeypatch):
    planted(but={*before_us(), *FIRST, "sitecustomize", "usercustomize"})
    given = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", f"{path}{os.pathsep}{given}")
    command(ENTRY, "plan", "study.toml", "--workers", "1")
    assert planted.told() == []
