"""Names are found where the things stand: one file, no second edit, no import."""

import importlib

import pytest

from trueness import registry

TEXT = """
class Tree:
    pass


LEARNERS = {
    "tree": Tree,
    "other/tree": print(1, {"not": "a name"}),
}
"""


@pytest.fixture
def empty_house(tmp_path, monkeypatch):
    """A package folder of its own, read anew."""
    for folder in ("learners", "learners/scoring", "datasets/data", "studies/sixth"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.setattr(registry, "_ROOT", tmp_path)
    for known in (registry.built_in, registry._studies):
        known.cache_clear()
    yield tmp_path
    for known in (registry.built_in, registry._studies):
        known.cache_clear()


def test_a_file_in_the_folder_is_found_without_running_it(empty_house):
    (empty_house / "learners" / "tree.py").write_text(TEXT + "raise SystemExit\n")
    (empty_house / "learners" / "none.py").write_text("LEARNERSHIP = {'a': 1}\n")
    assert registry.built_in("learner") == {
        "tree": "trueness.learners.tree:LEARNERS",
        "other/tree": "trueness.learners.tree:LEARNERS",
    }


def test_a_data_set_is_its_file(empty_house):
    for file in ("plant.bif.gz", "plant.toml", "log.csv.gz", "README.md"):
        (empty_house / "datasets" / "data" / file).touch()
    assert list(registry.built_in("dataset")) == ["log", "plant"]
    assert registry.built_in("dataset")["plant"] == "trueness.datasets.networks:builtin"


def test_a_study_is_its_folder_with_what_it_offers(empty_house):
    (empty_house / "studies" / "sixth" / "__init__.py").write_text(
        'STUDY = {"order": 6, "class": "plan:Sixth", "offers": {("new", "sheet"): "sheet:make"}}\n'
    )
    assert registry.built_in("task") == {"sixth": "trueness.studies.sixth.plan:Sixth"}
    assert registry.new_names() == ("sixth", "sheet")


@pytest.mark.parametrize("kind", ["learner", "scorer", "dataset"])
def test_what_is_read_is_what_the_modules_hold(kind):
    for name, place in registry.built_in(kind).items():
        module, word = place.split(":")
        thing = getattr(importlib.import_module(module), word)
        if isinstance(thing, dict):
            assert set(thing) == {other for other, where in registry.built_in(kind).items() if where == place}, name
