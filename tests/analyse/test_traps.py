"""Tables that lead an analysis astray, and tables that cannot be analysed."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.each import each
from tests.hostile.attack import at_most
from trueness.analyse import AnalysisSettings, analyse, read_tables


def runs(value, models=("a", "b"), conditions=("none", "new"), tasks=6, repeats=2, **more):
    """value(model, condition, task, repeat) -> share of passes."""
    return [
        {"model": m, "condition": c, "task": t, "rep": r, "score": value(m, c, t, r), **more}
        for m in models
        for c in conditions
        for t in range(tasks)
        for r in range(repeats)
    ]


def only(records, **settings):
    return analyse({"domain": pd.DataFrame.from_records(records)}, AnalysisSettings(**settings)).domains[0]


def flag(part, name):
    return next(found for found in part.flags if found.name == name)


# ---- traps


def test_counts_make_ties_that_rounded_rates_break():
    """3 of 9 and 1 of 3 are one rate; stored as .3333 and .333 they are two."""
    rng = np.random.default_rng(3)
    records = []
    for condition, share in (("none", 0.4), ("new", 0.3)):
        for k in range(30):
            total = int(rng.choice([3, 9]))
            fails = int(rng.binomial(total, share))
            records.append(
                {"condition": condition, "task": k, "pass_count": total - fails, "fail_count": fails,
                 "failure_rate": round(fails / total, 4 if total == 3 else 3)}
            )  # fmt: skip
    part = only(records)
    frame = pd.DataFrame(records)
    exact = frame["fail_count"] / (frame["pass_count"] + frame["fail_count"])
    none = frame["condition"] == "none"
    assert part.contrasts[0].usual.p == stats.mannwhitneyu(exact[none], exact[~none]).pvalue
    assert (
        part.contrasts[0].usual.p
        != stats.mannwhitneyu(frame["failure_rate"][none], frame["failure_rate"][~none]).pvalue
    )


def test_all_pass_has_an_interval_and_no_test_that_pretends():
    part = only(runs(lambda m, c, t, r: 1.0))
    for summary in part.summaries:
        assert summary.mean == 100.0
        assert summary.ci.low < summary.ci.high == 100.0  # of a share of clusters, not a bootstrap of ones
    found = part.contrasts[0]
    assert found.usual.p is None and "all runs gave 1" in " ".join(found.notes)
    assert found.usual.ratio == 1 and found.usual.p_levene is None
    assert found.result.p == 1.0 and "equal in every unit" in " ".join(found.result.notes)
    assert flag(part, "ceiling").raised


def test_simpsons_paradox_is_called_by_its_name():
    """The treatment is better in each model; pooled it is worse, because the weak model got most of its runs."""
    records = []
    for model, none, new, n_none, n_new in (("weak", 0.2, 0.3, 4, 40), ("strong", 0.8, 0.9, 40, 4)):
        for condition, share, n in (("none", none, n_none), ("new", new, n_new)):
            records += [
                {"model": model, "condition": condition, "task": k % 4, "rep": k, "score": share + 0.01 * (k % 3)}
                for k in range(n)
            ]
    part = only(records)
    assert "Simpson's paradox" in flag(part, "direction within models").evidence
    assert part.contrasts[0].usual.delta < 0 < part.contrasts[0].result.difference


def test_a_model_missing_in_one_condition_leaves_the_pairs_and_is_counted():
    records = [
        row
        for row in runs(lambda m, c, t, r: (t + (c == "new")) / 9, models=("a", "b", "c"))
        if not (row["model"] == "c" and row["condition"] == "new")
    ]
    found = only(records).contrasts[0]
    assert found.paired.n_units == 12
    assert len(found.left_out) == 6 and found.left_out[0].startswith("c / ")
    assert "6 of 18 cells have one side only" in " ".join(found.notes)


def test_repeats_do_not_make_units():
    """Ten copies of every run change nothing in the paired comparison."""
    records = runs(lambda m, c, t, r: ((3 * t + r) % 5 + (c == "new") * (1 + t % 2)) / 7)
    once, tenfold = only(records).contrasts[0], only(records * 10).contrasts[0]
    assert once.result.p == tenfold.result.p
    assert once.result.interval.low == pytest.approx(tenfold.result.interval.low)
    assert once.result.interval.high == pytest.approx(tenfold.result.interval.high)
    assert tenfold.usual.p < once.usual.p  # the test over runs takes copies for evidence


@pytest.mark.parametrize("tasks", [5, 6, 7])
def test_a_large_effect_is_found_at_any_number_of_tasks(tasks):
    """Of two comparisons; before, six tasks were tested over tasks, where one effect alone ends at q = .0625."""
    score = lambda m, c, t, r: 0.2 + 0.01 * t + (0.47 + 0.002 * t if c != "none" else 0) + 0.01 * (r == 0)  # noqa: E731
    part = only(runs(score, conditions=("none", "one", "two"), tasks=tasks, models=("a", "b")), treatment="two")
    against_none = part.contrasts[0]
    assert against_none.result.n_comparisons == 2
    assert against_none.result.distinguishable and against_none.result.interval.low > 0
    assert against_none.primary == ("clustered" if tasks == 7 else "paired")


@each("tasks", range(3, 9))
def test_one_sided_is_never_weaker_than_two_sided(tasks):
    """Before, five tasks were tested over tasks one-sided (p >= 1/32) and over cells two-sided (p = 2/1024)."""
    records = runs(lambda m, c, t, r: (t + 3 * (c == "new")) / 12, tasks=tasks)
    both, one = only(records).contrasts[0], only(records, one_sided=True, treatment="new").contrasts[0]
    assert one.primary == both.primary and one.result.p == pytest.approx(both.result.p / 2)


# ---- tables that cannot be analysed


def test_an_empty_file_is_one_line(tmp_path, mistake):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "head.csv").write_text("model,condition,score\n")
    assert "empty file" in mistake("analyse", tmp_path / "empty.csv")
    assert "at least one row" in mistake("analyse", tmp_path / "head.csv")


def test_missing_columns_say_what_was_looked_for_and_found(write, mistake):
    no_score = write([{"model": "a", "condition": "x", "note": "n"}, {"model": "a", "condition": "y", "note": "n"}])
    told = mistake("analyse", no_score)
    assert "pass_count and fail_count" in told and "found model, condition, note" in told
    no_condition = write([{"score": 1, "wert": "x"}, {"score": 0, "wert": "y"}], "other.csv")
    assert "looked for condition, variant" in mistake("analyse", no_condition)
    assert "Did you mean 'wert'?" in mistake("analyse", no_condition, "--condition", "werte")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--baseline", "nne"), "Did you mean 'none'?"),
        (("--treatment", "old"), "There are: new, none"),
        (("--exclude", "model=zz"), "nothing has model 'zz'"),
        (("--exclude", "rep=9"), "nothing has rep '9', so nothing can be excluded. There are: 0, 1"),
        (("--exclude", "model=a", "--exclude", "task=9"), "nothing has task '9'"),
        (("--exclude", "zz"), "must be COLUMN=VALUE"),
        (("--adjust", "sidak"), "must be one of holm, bh"),
        (("--unit", "colour"), "'colour' is not a column"),
        (("--score", "auto"), "'auto' is not a column"),
        (("--baseline", "none", "--treatment", "none"), "must differ from 'baseline'"),
        (("--exclude", "model=a", "--exclude", "model=b"), "nothing is left"),
    ],
)
def test_wrong_settings_are_one_line(write, mistake, options, expected):
    path = write(runs(lambda m, c, t, r: (t + (c == "new")) / 9))
    assert expected in mistake("analyse", path, *options)


def test_a_table_of_thousands_of_columns_is_no_trouble(tmp_path, mistake, recwarn):
    """Before, 9,000 models as columns took 18 s and 3 GB (each of 40 million pairs) to be refused, with a warning."""
    path = tmp_path / "wide.csv"
    lines = [f"t{row}," + ",".join(str((row + k) % 2) for k in range(1500)) for row in range(2)]
    path.write_text("task," + ",".join(f"m{k}" for k in range(1500)) + "\n" + "\n".join(lines))
    with at_most(40):  # the pairs alone would take 72
        names = ",".join(f"m{k}" for k in range(1500))
        assert "1500 conditions make 1,124,250 pairs" in mistake("analyse", path, "--score", names)
    assert not [warning for warning in recwarn if "Performance" in warning.category.__name__]


def test_one_sided_needs_a_direction(write, mistake):
    path = write(runs(lambda m, c, t, r: (t + len(c)) / 20, conditions=("none", "one", "three")))
    assert "direction declared" in mistake("analyse", path, "--one-sided")


def test_read_tables_names_domains_by_hand_by_column_and_by_file(write):
    records = runs(lambda m, c, t, r: (t + (c == "new")) / 9)
    plain = write(records, "sums.csv")
    mixed = write([row | {"domain": "x" if row["task"] < 3 else "y"} for row in records], "mixed.csv")
    assert list(read_tables([plain, f"mine={plain}", mixed])) == ["sums", "mine", "x", "y"]
