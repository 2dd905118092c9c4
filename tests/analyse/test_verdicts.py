"""What a verdict rests on: the level of the test, the family, the interval, the scope; and what is not there."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from trueness.analyse import AnalysisSettings, analyse
from trueness.analyse.reading import contrast_sentence, findings
from trueness.errors import SettingError


def table(score, models=("a", "b", "c"), conditions=("none", "new"), tasks=8, repeats=2, **more):
    records = [
        {"model": m, "condition": c, "task": f"t{t}", "rep": r, "score": score(m, c, t, r), **more}
        for m in models
        for c in conditions
        for t in range(tasks)
        for r in range(repeats)
    ]
    return pd.DataFrame.from_records(records)


def noisy(seed=0, gain=0.0):
    rng = np.random.default_rng(seed)
    return lambda m, c, t, r: float(np.clip(0.5 + gain * (c == "new") + 0.1 * rng.standard_normal(), 0.01, 0.99))


def part_of(frame, **settings):
    return analyse({"d": frame}, AnalysisSettings(**settings)).domains[0]


def flag(part, name):
    return next(one for one in part.flags if one.name == name)


def test_families_that_no_table_has_or_that_stand_alone_are_refused():
    for families in (("x",), ("x=a+b",), ("x=a", "y=zz")):
        with pytest.raises(SettingError, match="'families' must"):
            part_of(table(noisy()), families=families)


def test_rules_and_families_show_the_interval_of_their_q():
    rng = np.random.default_rng(0)
    frame = table(noisy(), models=("a", "b", "c", "d"), tasks=9)
    for k in range(5):
        frame[f"r{k}_pass"] = rng.random(len(frame)) < 0.4 + 0.12 * k * (frame["condition"] == "new")
    frame["score"] += 0.02 * (frame["model"] > "b") + 0.05 * (frame["model"] == "d")
    part = part_of(frame, families=("x=a+b", "y=c", "z=d"))
    tests = [one.result for one in (*part.rules, *part.families)]
    assert len(tests) == 8 and {one.distinguishable for one in tests} == {True, False}
    for one in tests:
        assert (one.interval.low > 0 or one.interval.high < 0) == one.distinguishable
        assert one.interval.level > one.alone.level == 0.95 or one.interval == one.alone


# ---- the family, and the interval that belongs to it


def test_the_interval_shown_excludes_nought_exactly_where_the_verdict_does():
    gains = {"none": 0, "one": 0.03, "two": 0.06, "three": 0.12}
    for seed in range(5):
        rng = np.random.default_rng(seed)
        score = lambda m, c, t, r, rng=rng: float(np.clip(0.4 + gains[c] + 0.1 * rng.standard_normal(), 0, 1))  # noqa: E731
        frame = table(score, conditions=tuple(gains), tasks=9)
        for one in (c for how in ("bh", "holm") for c in part_of(frame, adjust=how, treatment="three").contrasts):
            ends = one.result.interval
            assert ends is None or (ends.low > 0 or ends.high < 0) == one.result.distinguishable


def test_the_least_that_can_be_reached_is_said_where_it_is_too_much():
    frame = table(noisy(gain=0.3), models=("a",), tasks=6, conditions=("none", "new"))
    frame = pd.concat([frame, frame[frame["condition"] == "none"].assign(condition="other")])
    one = part_of(frame).contrasts[0]
    assert one.least == pytest.approx(2 * 2 / 2**6) and one.result.n_comparisons == 2
    assert "With 6 cells and 2 comparisons no effect alone can go below 0.062" in contrast_sentence(one, part_of(frame))
    assert part_of(table(noisy(gain=0.3))).contrasts[0].least is None


# ---- for whom


def test_every_headline_says_for_whom_it_holds():
    """A gain that two of three models have: sure for these, open for others."""
    gains = {"a": 0.3, "b": 0.3, "c": -0.02}
    part = part_of(table(lambda m, c, t, r: 0.3 + (gains[m] if c == "new" else 0) + 0.01 * t, tasks=9))
    one = part.contrasts[0]
    assert one.result.distinguishable and one.scope == "these 3 models and tasks like these 9"
    assert one.beyond.p > 0.05  # clustered two ways, two degrees of freedom
    sentence = contrast_sentence(one, part)
    assert "for these 3 models and tasks like these 9; over models and tasks like them p = " in sentence


def test_the_exact_test_of_passes_is_called_mcnemar():
    mcnemar = pytest.importorskip("statsmodels.stats.contingency_tables").mcnemar
    rng = np.random.default_rng(1)
    passed = {c: rng.random(60) < share for c, share in (("none", 0.5), ("new", 0.75))}
    frame = pd.DataFrame(
        [{"condition": c, "task": k, "correct": bool(v)} for c, values in passed.items() for k, v in enumerate(values)]
    )
    one = part_of(frame).contrasts[0]
    cross = pd.crosstab(passed["none"], passed["new"]).to_numpy()
    assert one.result.test == "McNemar" and one.result.exact
    assert one.result.p == pytest.approx(mcnemar(cross, exact=True).pvalue)
    assert "exact McNemar p" in contrast_sentence(one, part_of(frame))


def test_the_mean_of_few_passes_is_covered_near_its_ends_too():
    """Exact, over all counts of 12 single passes; before, with t, as little as .871."""
    frame = pd.DataFrame({"condition": "only", "task": range(12), "correct": 0})
    ends = []
    for passes in range(13):
        ci = part_of(frame.assign(correct=[k < passes for k in range(12)])).summaries[0].ci
        assert 0 <= ci.low < ci.high <= 100
        ends.append(ci)
    coverages = [
        sum(stats.binom.pmf(k, 12, p) for k, ci in enumerate(ends) if ci.low <= 100 * p <= ci.high)
        for p in np.linspace(0.05, 0.95, 91)
    ]
    assert min(coverages) > 0.9 and 0.945 < np.mean(coverages) < 0.97


# ---- what is not there


def test_blank_scores_are_counted_in_the_head_the_findings_and_a_check():
    frame = table(lambda m, c, t, r: 0.3 + 0.2 * (c == "new") + 0.01 * t, tasks=10)
    lost = (frame["condition"] == "new") & (frame["task"].isin(["t0", "t1", "t2"]))
    frame.loc[lost, "score"] = np.nan
    analysis = analyse({"d": frame})
    part = analysis.domains[0]
    words = f"{lost.sum()} of {len(frame)} runs have no score ({lost.sum()} of 60 in new)"
    assert any(words in text and "what the others would score is open" in text for text in findings(analysis))
    assert any("blank runs failed" in text and "Another verdict." in text for text in findings(analysis))
    assert not any("<0.001" in text for text in findings(analysis))  # a sentence has the exact p; tables round it
    assert flag(part, "missing scores").raised and words in flag(part, "missing scores").evidence
    failed = next(line for line in part.otherwise if line.name == "blank runs failed")
    assert failed.result.difference < part.contrasts[0].result.difference


def test_more_than_five_per_cent_unreadable_runs_are_raised_and_chance_stands_beside():
    """The guide's rule: 8 of 86 runs are 9.3 %, though chance alone gives as many of 5 % now and then."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"condition": list("ab") * 43, "model": "m", "task": np.arange(86) // 2, "score": rng.random(86)}
    )
    found = flag(part_of(frame.assign(extraction_ok=np.arange(86) >= 8)), "extraction")
    assert found.raised and "9.3 %" in found.evidence
    assert "5 % is the bound; no more than chance gives" in found.evidence
