"""What commands print and studies write has the shape that `trueness schema NAME` states."""

import csv
import json
from fnmatch import fnmatch

from jsonschema import Draft202012Validator as Validator

from tests.each import each
from tests.net.studies import KINDS
from tests.shapes import faults
from trueness.cli import main
from trueness.running.json_schemas import schemas

FILES = {name: schema for name, schema in schemas().items() if schema.file}
GOLDEN = {
    "show-runs": ["discovery/show", "forecast/show"],
    "show-population": ["population/show"],
    "show-faithfulness": ["faithfulness/show"],
    "show-robustness": ["robustness/show"],
    "report": [f"{kind}/report" for kind in KINDS],
    "compare": [f"{kind}/compare" for kind in KINDS],
    "analyse": ["analyse/analyse"],
}
# of none of the small studies: `edges` is of data without a known graph; those of learn are seen in tests/learn
NOT_WRITTEN = {"edges", "learn-edges", "learn-learners", "robustness-disentanglement"}


def rows_of(path):
    """A CSV file as JSON: a cell is a number or a truth value where it reads as one, null where it is empty."""
    with path.open(newline="") as file:
        return [{key: value_of(cell) for key, cell in row.items()} for row in csv.DictReader(file)]


def value_of(cell):
    if cell == "":
        return None
    if cell in ("True", "False"):
        return cell == "True"
    try:
        number = float(cell)
    except ValueError:
        return cell
    return int(number) if number == int(number) else number


def test_every_schema_is_one():
    for schema in schemas().values():
        Validator.check_schema(schema.to_dict())
        assert schema.to_dict()["$id"] == f"trueness/{schema.name}/{schema.version}"


@each("name", GOLDEN)
def test_what_a_command_prints_has_its_shape(name, root):
    for golden in GOLDEN[name]:
        assert faults(name, json.loads((root / "tests/net/golden" / f"{golden}.json").read_text())) == []


def test_every_file_of_every_kind_of_study_has_a_shape(small_study):
    seen = set()
    for kind in KINDS:
        folder = small_study(kind)
        for path in (path for path in folder.rglob("*") if path.suffix in (".json", ".csv")):
            place = path.relative_to(folder).as_posix()
            names = [name for name, schema in FILES.items() if fnmatch(place, schema.file)]
            content = json.loads(path.read_text()) if path.suffix == ".json" else rows_of(path)
            tried = {name: faults(name, content) for name in names}
            assert [] in tried.values(), (kind, place, tried)
            seen |= {name for name in tried if not tried[name]}
    assert set(FILES) - seen == NOT_WRITTEN


def test_a_key_that_goes_or_a_number_that_becomes_a_text_is_seen(root):
    content = json.loads((root / "tests/net/golden/discovery/show.json").read_text())
    assert faults("show-runs", content) == []
    for change in ({"level": "0.95"}, {"rows": [content["rows"][0] | {"n": None}]}):
        assert faults("show-runs", content | change) != []
    assert faults("show-runs", {key: content[key] for key in content if key != "completeness"}) != []


def test_the_command_lists_them_and_prints_one(in_tmp, capsys):
    assert main(["schema", "--json"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == list(schemas())
    assert main(["schema", "plan"]) == 0
    assert json.loads(capsys.readouterr().out) == schemas()["plan"].to_dict()
    assert main(["schema", "plna"]) == 2
    assert "'plna' is not a schema. Did you mean 'plan'" in capsys.readouterr().err
    for name, words in {
        "new": ["new", "discovery"],
        "check": ["check", "correlation"],
        "list": ["list", "tasks"],
    }.items():
        assert main([*words, "--json"]) == 0
        assert faults(name, json.loads(capsys.readouterr().out)) == []
    for name, words in {
        "plan": ["plan"],
        "run": ["run", "--workers", "1"],
        "verify": ["run", "--verify", "0.5"],
    }.items():
        (in_tmp / "small.toml").write_text('[discovery]\ndatasets = ["survey"]\nlearners = ["random"]\nruns = 2\n')
        assert main([*words, "small.toml", "--json"]) == 0
        assert faults(name, json.loads(capsys.readouterr().out)) == []
