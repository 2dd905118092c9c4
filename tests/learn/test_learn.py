"""`learn`: a table in, a graph with odds out; from Python, the command line, a plan; resumed and cut short."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import trueness
from tests.studies.test_json_schemas import faults, rows_of
from trueness.cli import main
from trueness.datasets import Table
from trueness.learners import kernels
from trueness.running.results import Results
from trueness.studies.learn.command import study_of
from trueness.studies.learn.findings import Learned, headline
from trueness.studies.learn.plan import look_at

pytestmark = pytest.mark.usefixtures("kept_lanes")

SMALL = {"learners": ["pc", "boss"], "twins": 1, "draws": 2, "resamples": 8}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    a, b = rng.laplace(size=(2, 600))
    c = a + b + 0.5 * rng.laplace(size=600)
    group = np.where(c + rng.normal(size=600) > 0, "yes", "no")
    table = pd.DataFrame({"a": a, "b": b, "c": c, "group": group, "same": 1})
    table.loc[::20, "a"] = np.nan
    return table


@pytest.fixture(scope="module")
def learned(frame, tmp_path_factory):
    place = tmp_path_factory.mktemp("learn")
    frame.to_csv(place / "plant.csv", index=False)
    (place / "guess.dot").write_text("digraph { a -> c; b -> c; c -> group }")
    found = trueness.learn(
        place / "plant.csv", graph=place / "guess.dot", folder=place / "study", permutations=40, workers=1, **SMALL
    )
    return place, found


def test_a_mixed_table_with_gaps_gets_its_graph_with_odds(learned):
    _, found = learned
    likely = {frozenset((edge.source, edge.target)) for edge in found.edges if edge.present >= 0.5}
    assert likely == {frozenset("ac"), frozenset("bc"), frozenset(("c", "group"))}
    assert len(found.edges) == 6 and all(0 < edge.present < 1 and 0.5 <= edge.onward <= 1 for edge in found.edges)
    assert {name for name, _ in found.ranking} == {"pc", "boss"} and found.chosen in ("pc", "boss")
    low, high = found.expected()[1:]
    assert 0 <= low < high <= 1
    assert found.graph.n_edges() == 3 and found.calibration.twins == 2
    text, guess = str(found), found.guess
    assert "600 rows of 4 mixed columns; 30 values are missing, 570 rows are complete" in text
    assert "same was left out" in text
    assert guess.share == 0 < guess.permuted_mean and guess.permutations == 23 and not guess.missing
    assert guess.p == pytest.approx((1 + guess.same_class) / 24) and guess.same_class >= 1
    assert "permutations give the same class of graph" in text


def test_show_report_and_page_serve_it(learned, capsys):
    place, found = learned
    assert main(["show", str(place / "study")]) == 0
    shown = capsys.readouterr().out
    assert "Which learner to believe" in shown and "Your graph is" in shown
    assert main(["report", str(place / "study"), "--json"]) == 0
    capsys.readouterr()
    rows = pd.read_csv(place / "study" / "learn" / "edges.csv")
    assert {*rows["source"], *rows["target"]} == {"a", "b", "c", "group"} and rows["confounded"].isna().all()
    assert len(rows) == 6 and rows["present"].max() == pytest.approx(max(edge.present for edge in found.edges))
    assert "at even odds or better" in (place / "study" / "report.html").read_text()
    assert main(["show", str(place / "study"), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["chosen"] == found.chosen and faults("show-learn", shown) == []
    for name in ("edges", "learners"):
        assert faults(f"learn-{name}", rows_of(place / "study" / "learn" / f"{name}.csv")) == []


def test_time_cuts_it_short_and_what_is_known_is_shown(frame, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame.to_csv("plant.csv", index=False)
    monkeypatch.setattr(kernels, "are_kept", lambda: False)
    assert main(["learn", "plant.csv", "--time", "0.001s", "--folder", "cut", "--workers", "1"]) == 0
    said = capsys.readouterr().err
    assert "were left when the time was up. Go on with: trueness run cut" in said
    assert said.startswith("compiling the learners' kernels, once for this environment")
    found = Learned.of(Results.read("cut"))
    assert found.done < found.planned and found.chosen is None and not found.ranking
    assert "No twin has been learned by every learner yet" in str(
        found
    ) and f"of {found.planned:,} runs are done" in str(found)


@pytest.mark.parametrize(
    "words, message",
    [
        (["nothing.csv"], "nothing.csv"),
        (["asia", "--time", "soon"], "'--time' must be such as 90s, 5m or 1h, got 'soon'"),
        (["asia", "--rows", "many"], "'--rows' must be a whole number, got 'many'"),
        (["asia", "--graph", "bad.dot"], "bad.dot must be all 8 columns that are learned from, got none for asia,"),
        (["asia", "--graph", "strange.dot"], "must be columns that are learned from, got lungs. Did you mean"),
        (["asia", "--knowledge", "unknown.toml"], "'lungs' in the knowledge of learn is not a column. Did you mean"),
        (["few.csv"], "few.csv must have at least 20 rows to be resampled, got 5. Add rows."),
        (["asia", "--knowledge", "odd.toml"], "odd.toml must hold required, forbidden, tiers only, got 'colour'"),
    ],
)
def test_a_mistake_is_one_line(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.dot").write_text("digraph { tub -> lung }")
    (tmp_path / "strange.dot").write_text("digraph { asia; bronc; dysp; either; smoke; tub; xray; lungs -> either }")
    (tmp_path / "odd.toml").write_text('colour = "red"')
    (tmp_path / "unknown.toml").write_text('forbidden = ["smoke -> lungs"]')
    (tmp_path / "few.csv").write_text("a,b\n" + "".join(f"{k}.5,{k * k}.25\n" for k in range(5)))
    assert main(["learn", *words]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1


def test_what_is_known_beforehand_is_heeded_and_who_cannot_is_named(tmp_path):
    rng = np.random.default_rng(3)
    a = rng.laplace(size=300)
    frame = pd.DataFrame({"a": a, "b": a + rng.laplace(size=300), "c": rng.normal(size=300)})
    small = SMALL | {"learners": ["pc", "dagma"], "resamples": 4, "tiers": [["b"], ["a", "c"]]}
    found = trueness.learn(frame, workers=1, **small)
    assert "What is known beforehand cannot be told to dagma" in str(found)
    marks = found._graphs["table"]["pc"]
    assert marks and all(one[1, 0] in (0, 2) for one in marks)  # an arrow at a, or no edge


def test_names_and_levels_of_a_table_in_memory_come_back_and_its_study_goes_on(frame, tmp_path, capsys):
    odd = frame.rename(columns={"a": "=1+1", "b": 7, "c": 'q"\nx = 1', "group": "'@ \U0001f600"}).drop(columns="same")
    odd["'@ \U0001f600"] = np.where(frame["group"] == "yes", "NA", "-no")
    odd["when"] = pd.date_range("2020-01-01", periods=len(odd))
    small = SMALL | {"learners": ["pc"], "resamples": 4, "workers": 1, "folder": tmp_path / "kept"}
    found = trueness.learn(odd, **small)
    assert found.names == ("=1+1", "7", 'q"\nx = 1', "'@ \U0001f600")
    kinds = [column["kind"] for column in found.about["columns"]]
    assert kinds == ["continuous"] * 3 + ["2 levels"] and found.about["columns"][0]["missing"] == 30
    assert found.chosen == "pc" and not found.rivals and "when was left out: dates or times" in str(found)
    assert trueness.learn(odd, **small).to_dict() == found.to_dict()
    assert main(["run", str(tmp_path / "kept"), "--workers", "1"]) == 0
    capsys.readouterr()


def test_no_learner_is_ranked_while_one_waits(learned):
    _, found = learned
    early = replace(found, f1={"pc": found.f1["pc"]})
    assert not early.ranking and early.chosen is None and "none of them can be ranked" in headline(early).sentence
    assert replace(early, failures={"boss": 4}).chosen == "pc"  # it failed; nobody waits for it
    about = found.about | {"notes": [f"c{k} was left out: constant (all 7)" for k in range(6)]}
    for some in (early, found):
        lines = headline(replace(some, about=about)).sentence
        assert lines.endswith("c3 was left out: constant (all 7). 2 more such columns.")
    assert "has not been tested against permutations" in str(replace(found, guess=None))


def test_what_load_and_graph_give_is_taken(learned, frame, tmp_path):
    guess = trueness.Graph.from_edges(["a -> b", "a -> c", "b -> c"], ["a", "b", "c"], "dag")
    task = study_of(trueness.load(frame[["a", "b", "c"]]), tmp_path, guess, None, {}).plan.tasks[0]
    assert task.table.names == ("a", "b", "c") and task.guess.n_edges() == 3
    about = learned[1].about | {"guess": {"edges": [None] * 6}}
    assert "Your graph joins every pair" in str(replace(learned[1], guess=None, about=about))


def test_columns_that_make_trouble_are_named(learned):
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 100))
    b[:40] = np.nan
    few = ["u"] * 97 + ["v"] * 3
    looked = look_at(Table.of(pd.DataFrame({"a": a, "near": a + 0.05 * rng.normal(size=100), "b": b, "c": few})))
    text = str(replace(learned[1], about=learned[1].about | looked))
    assert "near makes trouble: it follows from the others by 100 %" in text
    assert "b makes trouble: it lacks 40 of 100 values; without it 100 rows would be complete, now 60." in text
    assert "c makes trouble: it has a level that only 3 rows have." in text
