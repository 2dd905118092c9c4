"""`learn`: a table in, a graph with odds out; from Python, the command line, a plan; resumed and cut short."""

import json

import numpy as np
import pandas as pd
import pytest

import trueness
from tests.studies.test_json_schemas import faults, rows_of
from trueness.cli import main
from trueness.errors import TruenessError
from trueness.running.results import Results
from trueness.studies.learn.command import seconds_of
from trueness.studies.learn.findings import Learned

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
        place / "plant.csv", graph=place / "guess.dot", folder=place / "study", permutations=20, workers=1, **SMALL
    )
    return place, found


def test_a_mixed_table_with_gaps_gets_its_graph_with_odds(learned):
    _, found = learned
    likely = {frozenset((edge.source, edge.target)) for edge in found.edges if edge.present >= 0.5}
    assert likely == {frozenset("ac"), frozenset("bc"), frozenset(("c", "group"))}
    assert len(found.edges) == 6 and all(0 < edge.present < 1 and 0.5 <= edge.onward <= 1 for edge in found.edges)
    assert {name for name, _ in found.ranking} == {"pc", "boss"} and found.chosen in ("pc", "boss")
    low, high = found.expected()[1:]
    assert 0 <= low < high <= 1 and set(found.with_more_rows()) == {"2 n", "10 n"}
    assert found.graph.n_edges() == 3 and found.calibration.twins == 2


def test_what_was_understood_and_left_out_is_said(learned):
    _, found = learned
    text = str(found)
    assert "600 rows of 4 mixed columns; 30 values are missing, 570 rows are complete" in text
    assert "same was left out" in text and "of 3 numbers have noise that looks non-Gaussian" in text


def test_a_good_guess_is_as_good_as_four_columns_allow(learned):
    _, found = learned
    guess = found.guess
    assert guess.share == 0 < guess.permuted_mean and guess.permutations == 20 and not guess.missing
    assert guess.p == pytest.approx((1 + guess.same_class) / 21) and guess.same_class >= 1
    assert "permutations give the same class of graph" in str(found)


def test_show_report_and_page_serve_it(learned, capsys):
    place, found = learned
    assert main(["show", str(place / "study")]) == 0
    shown = capsys.readouterr().out
    assert "Which learner to believe" in shown and "Your graph is" in shown
    assert main(["report", str(place / "study"), "--json"]) == 0
    capsys.readouterr()
    rows = pd.read_csv(place / "study" / "learn" / "edges.csv")
    assert len(rows) == 6 and rows["present"].max() == pytest.approx(max(edge.present for edge in found.edges))
    assert "at even odds or better" in (place / "study" / "report.html").read_text()
    assert main(["show", str(place / "study"), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["chosen"] == found.chosen and faults("show-learn", shown) == []
    for name in ("edges", "learners"):
        assert faults(f"learn-{name}", rows_of(place / "study" / "learn" / f"{name}.csv")) == []


def test_the_same_seed_gives_the_same_and_nothing_is_done_twice(learned, frame):
    place, found = learned
    again = trueness.learn(
        place / "plant.csv", graph=place / "guess.dot", folder=place / "study", permutations=20, workers=1, **SMALL
    )
    assert again.to_dict() == found.to_dict()


def test_time_cuts_it_short_and_what_is_known_is_shown(frame, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame.to_csv("plant.csv", index=False)
    assert main(["learn", "plant.csv", "--time", "0.001s", "--folder", "cut", "--workers", "1"]) == 0
    assert "were left when the time was up. Go on with: trueness run cut" in capsys.readouterr().err
    found = Learned.of(Results.read("cut"))
    assert found.done < found.planned and found.chosen is None and not found.ranking
    assert "No learner has run on every twin yet" in str(found) and f"of {found.planned:,} runs are done" in str(found)


@pytest.mark.parametrize(
    "words, message",
    [
        (["nothing.csv"], "nothing.csv"),
        (["asia", "--time", "soon"], "'--time' must be such as 90s, 5m or 1h, got 'soon'"),
        (["asia", "--rows", "many"], "'--rows' must be a whole number, got 'many'"),
        (["asia", "--graph", "bad.dot"], "must be the columns of the table, got a difference: asia"),
        (["asia", "--knowledge", "odd.toml"], "'colour' is not a setting of learn"),
    ],
)
def test_a_mistake_is_one_line(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.dot").write_text("digraph { tub -> lung }")
    (tmp_path / "odd.toml").write_text('colour = "red"')
    assert main(["learn", *words]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1


def test_a_learner_that_cannot_take_the_table_is_refused_before_anything_runs(tmp_path):
    with pytest.raises(TruenessError, match="asia must suit lingam, got discrete columns"):
        trueness.learn("asia", learners=["lingam"], folder=tmp_path)


def test_times():
    assert [seconds_of(text) for text in ("90", "90s", "1.5m", "1h", None)] == [90, 90, 90, 3600, None]


def test_a_table_in_memory_is_taken_as_it_is(frame):
    found = trueness.learn(frame.drop(columns="same"), workers=1, **SMALL | {"learners": ["pc"], "resamples": 4})
    kinds = {column["column"]: column["kind"] for column in found.about["columns"]}
    assert kinds == {"a": "continuous", "b": "continuous", "c": "continuous", "group": "2 levels"}
    assert found.about["columns"][0]["missing"] == 30 and found.chosen == "pc" and not found.pairs


def test_what_is_known_beforehand_is_heeded_and_who_cannot_is_named(tmp_path):
    rng = np.random.default_rng(3)
    a = rng.laplace(size=300)
    frame = pd.DataFrame({"a": a, "b": a + rng.laplace(size=300), "c": rng.normal(size=300)})
    small = SMALL | {"learners": ["pc", "dagma"], "resamples": 4, "tiers": [["b"], ["a", "c"]]}
    found = trueness.learn(frame, workers=1, **small)
    assert "What is known beforehand cannot be told to dagma" in str(found)
    marks = found._graphs["table"]["pc"]
    assert marks and all(one[1, 0] in (0, 2) for one in marks)  # an arrow at a, or no edge
