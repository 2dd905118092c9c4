"""The site that `make site` builds, and what stands around the code for people who find it: each word in it is true."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from trueness import __version__

ROOT = Path(__file__).resolve().parents[2]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))


def test_the_site_builds_without_a_broken_link_and_fetches_nothing(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    built = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    )
    assert built.returncode == 0, built.stderr
    pages = [path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")]
    assert [page for page in pages if not (tmp_path / page).is_file()] == []
    text = (tmp_path / "index.html").read_text()
    assert re.findall(r'<(?:script|link rel="stylesheet"|img)[^>]*(?:src|href)="(https?:[^"]+)', text) == []
    found = {
        entry["location"].split("#")[0]
        for entry in json.loads((tmp_path / "search/search_index.json").read_text())["docs"]
    }
    assert {"api.html", "cli.html", "analyse.html"} <= found


@pytest.mark.parametrize(
    "name", [".github/workflows/ci.yml", "Dockerfile", ".devcontainer/devcontainer.json", "CONTRIBUTING.md"]
)
def test_only_targets_of_make_are_called(name):
    called = re.findall(r"\bmake ([a-z][a-z-]+)", (ROOT / name).read_text())
    words = {"it", "sure", "a", "the", "and", "sense"}
    assert called and set(called) - words <= TARGETS


def test_every_step_of_the_workflow_is_one_of_ours():
    text = (ROOT / ".github/workflows/ci.yml").read_text()
    assert all(line.strip().startswith("- run: make ") for line in text.splitlines() if "run: " in line)


def test_the_version_and_the_address_stand_the_same_everywhere():
    citation = (ROOT / "CITATION.cff").read_text()
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]
    assert f"version: {__version__}\n" in citation and f'repository-code: "{urls["Source"]}"' in citation
    assert f"repo_url: {urls['Source']}\n" in (ROOT / "mkdocs.yml").read_text()
