"""Names, replies and messages full of codes: no command prints them, no file of a report has them, none ends a report.

Every kind of study is run once with plain names, which are then replaced in its study.db as a stranger could: names of
items, respondents and variants, and of what models said. Then every command and form is tried.
"""

import csv
import io
import json
import sqlite3
import unicodedata
from contextlib import closing
from pathlib import Path

import pytest

from tests import forked
from tests.lanes import same_lanes
from tests.page.test_task_parts import POPULATION, ROBUSTNESS, TASKS
from trueness.cli import main
from trueness.running.study import Plan, Study
from trueness.running.study_folder import StudyFolder, write_outputs

ACTS = (
    "\x1b]0;owned\x07\x1b[2J\x9b2J\x90q\x9c\x00\x08\x7f\r\t\n\x0b\x85\u2028\u202e\u2066\u200b\ufeff\ufffe\U000e0001"
    "\ud800[red][link=x:y][bold"
)
SAID = ACTS.replace("\ud800", "")  # half a character arrives whole (tests/faults)
FORMULA = "=1+cmd|' C calc'!A0" + ACTS
LONG = "x" * 3_000 + ACTS
NAMES = {
    "cancer": "cancer" + ACTS, "asia": FORMULA, "pc": "@pc" + ACTS, "overconfident": LONG, "hostile": "h" + ACTS,
    "direct": "direct" + ACTS, "sex_by_age": "+sex" + ACTS, "a made survey": "survey" + ACTS, "says": "-says" + ACTS,
    "male": "male" + ACTS, "correlation": "corr" + ACTS, "mcar_40": "=mcar" + ACTS, "series-1": "-series" + ACTS,
    "small": "small" + ACTS, "judge": "=judge" + ACTS, "physics-braking": "-braking" + ACTS,
}  # fmt: skip
FORECAST = """
name = "small"
[discovery]
datasets = ["asia", "cancer"]
learners = ["pc", "correlation"]
runs = 3
rows = 120
[forecast]
models = ["mock/hostile", "mock/overconfident"]
formulations = ["direct"]
[models."mock/hostile"]
script = "hostile.jsonl"
"""
FAITHFULNESS = """
name = "small"
[faithfulness]
problems = ["problems.jsonl"]
corrupt = true
judges = ["mock/judge"]
models = ["mock/judge"]
judged = 1
[models."mock/judge"]
script = "judge.jsonl"
"""


def acts(text):
    """The characters that are not to be printed as they are."""
    return {sign for sign in text if sign != "\n" and (unicodedata.category(sign)[0] == "C" or sign in "\u2028\u2029")}


def renamed(value):
    """Every name in a JSON value; what identifies units stays, so that they are found."""
    if isinstance(value, str):
        return "/".join(NAMES.get(part, part) for part in value.split("/"))
    if isinstance(value, dict):
        return {renamed(key): entry if key == "identity" else renamed(entry) for key, entry in value.items()}
    return [renamed(entry) for entry in value] if isinstance(value, list) else value


def made_hostile(folder):
    with closing(sqlite3.connect(folder / "study.db")) as db, db:
        (text,) = db.execute("SELECT value FROM meta WHERE key = 'study'").fetchone()
        db.execute("UPDATE meta SET value = ? WHERE key = 'study'", (json.dumps(renamed(json.loads(text))),))
        for number, item, variant, respondent in db.execute(
            "SELECT id, item, variant, respondent FROM runs"
        ).fetchall():
            names = [renamed(name).replace("\ud800", "\ufffd") for name in (item, variant, respondent)]
            db.execute("UPDATE runs SET item = ?, variant = ?, respondent = ? WHERE id = ?", (*names, number))
        db.execute("UPDATE runs SET status = 'failed', message = ? WHERE id = 1", (f"it broke {SAID}",))
    with StudyFolder.reading(folder) as study:
        write_outputs(study, (folder / "study.toml").read_text(), folder.parent)
    return folder


@pytest.fixture(scope="module")
def studies(tmp_path_factory, root):
    """Kind -> the folder of a study with such names."""
    place = tmp_path_factory.mktemp("names")
    ranges = "Precision: [0.5, 0.7]\nRecall: [0.4, 0.6]\nF1: [0.45, 0.65]\nSHD: [2, 5]"
    says = [{"match": ["JSON"], "reply": '{"male": 60, "female": 40}'}, {"match": [], "reply": f"female {SAID}"}]
    rows = [f"{'female' if k < women else 'male'},{age}" for age, women in ((30, 35), (60, 75)) for k in range(100)]
    problems = (root / "src/trueness/reasoning/problems/physics.jsonl").read_text().splitlines()
    files = {
        "hostile.jsonl": json.dumps({"match": [], "reply": SAID + ranges}) + "\n",
        "says.jsonl": "".join(json.dumps(line) + "\n" for line in says),
        "people.csv": "\n".join(["sex,age", *rows]),
        "tasks.toml": TASKS,
        "judge.jsonl": (root / "examples" / "judge.jsonl").read_text(),
        "problems.jsonl": "\n".join(problems[:2]),
    }
    for name, text in files.items():
        (place / name).write_text(text, encoding="utf-8")
    found = {}
    plans = {"forecast": FORECAST, "population": POPULATION, "robustness": ROBUSTNESS, "faithfulness": FAITHFULNESS}
    with same_lanes(1) as (executor, slots):
        for kind, plan in plans.items():
            Study(Plan.parse(plan, f"{kind}.toml", place, place / kind)).run(executor, slots)
            found[kind] = made_hostile(place / kind)
    return found


KINDS = ("forecast", "population", "robustness", "faithfulness")


def printed(capsys, *arguments, code=0):
    """What a command prints, with nothing in it that acts."""
    try:
        found = main(list(arguments))
    except SystemExit as end:
        found = end.code
    out, err = capsys.readouterr()
    assert found == code, err
    assert not acts(out) and not acts(err)
    out.encode(), err.encode()
    return out


@pytest.mark.parametrize("kind", KINDS)
def test_report_is_written_and_no_file_of_it_acts(studies, kind):
    folder = studies[kind]
    done = forked.run(("report", folder))
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-500:]
    assert not acts(said) and "left out" not in said
    there = [path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".db", ".toml", ".lock")]
    assert {".svg", ".png", ".pdf", ".csv", ".json", ".tex", ".txt", ".html"} <= {path.suffix for path in there}
    for path in there:
        assert not acts(path.name) and len(path.name.encode()) < 256
        if path.suffix not in (".png", ".pdf"):
            text = path.read_bytes().decode()
            assert not acts(text), (path.name, acts(text))
        if path.suffix == ".json":
            json.loads(path.read_text())
    for path in folder.rglob("*.csv"):
        for row in csv.reader(io.StringIO(path.read_text(), newline="")):
            assert not [cell for cell in row if cell[:1] in ("=", "@") or (cell[:1] in ("+", "-") and "cmd" in cell)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", [(), ("--csv",), ("--tex",), ("--md",), ("--json",)], ids=lambda form: form[:1] or "-")
def test_show_prints_nothing_that_acts(studies, capsys, kind, form):
    out = printed(capsys, "show", str(studies[kind]), *form)
    assert "\\x1b" in out or "\\u001b" in out or "textbackslash" in out
    if form == ("--json",):
        assert "\x1b" in json.dumps(json.loads(out), ensure_ascii=False).encode().decode("unicode_escape")


@pytest.mark.parametrize("form", [(), ("--csv",), ("--tex",), ("--md",), ("--json",)], ids=lambda form: form[:1] or "-")
def test_compare_and_analyse_print_nothing_that_acts(studies, capsys, tmp_path, form):
    scores = list(csv.DictReader((studies["forecast"] / "scores.csv").open(newline="")))
    names = list(dict.fromkeys(row["respondent"] for row in scores if row["task"] == "discovery"))
    assert len(names) == 2 and names[0].startswith("'@pc")
    printed(capsys, "compare", names[0][1:], names[1], str(studies["forecast"]), *form)
    rows = ["condition,task,model,score"]
    rows += [f'"{c}{ACTS[:-2]}",t{t},"=m{ACTS[:-2]}",{(t + k) % 3}' for k, c in enumerate("ab") for t in range(6)]
    (tmp_path / "scores.csv").write_bytes("\n".join(rows).replace("\x00", "").encode("utf-8", "replace"))
    printed(capsys, "analyse", str(tmp_path / "scores.csv"), *form, "--out", str(tmp_path / "out"))
    for path in (tmp_path / "out").rglob("*.*"):
        assert path.suffix in (".png", ".pdf") or not acts(path.read_text())


def test_other_commands_print_nothing_that_acts(in_tmp, capsys, studies):
    name = ACTS.replace("\x00", "").replace("\ud800", "\udc80")  # what a file can be called
    Path(f"{name}.txt").write_text(f"Precision: [0.5, 0.7] {ACTS}".replace("\ud800", ""))
    Path(f"{name}.csv").write_text("a,b\n" + "\n".join(f"{k % 3},{k % 5}" for k in range(50)))
    column = name.translate(dict.fromkeys(map(ord, "\udc80\r\n\x0b\x85\u2028")))
    columns = f'"sex{column}","age","id{column}"'
    body = [f"{'f' if k % 3 else 'm'}{k % 2},{20 + k % 40},u{k}" for k in range(200)]
    Path(f"{name[:20]}.csv").write_text("\n".join([columns, *body]))
    read = printed(capsys, "read", f"{name}.txt")
    assert json.loads(read)
    printed(capsys, "new", "discovery", f"{name}.toml")
    printed(capsys, "new", "human-sheet", f"{name}-sheet.csv")
    for arguments in (
        ("check", name), ("check", f"{name}.csv:nothing.dot"), ("list", "learners", name), ("list", name), (name,),
        ("plan", name), ("run", name), ("show", name), ("report", name), ("view", name), ("compare", name, "b"),
        ("analyse", f"{name}=x.csv"), ("show", str(studies["forecast"]), "--measure", name), ("new", name),
    ):  # fmt: skip
        printed(capsys, *arguments, code=2)
