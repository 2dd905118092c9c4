"""What was learned of a table, in sentences: each with its number, interval and n; what cannot be told is said."""

from __future__ import annotations

from collections.abc import Iterator

from trueness.atlas import systems
from trueness.showing.finding import Finding
from trueness.showing.headline import Headline, Standing, joined
from trueness.studies.learn.measures import FACTORS
from trueness.studies.learn.scores import DIRECTED, LEVEL, LIKELY, LearnScores

MOST_TOLD = 12
Sections = list[tuple[str, list[str]]]


class Learned(LearnScores):
    """What `trueness.learn` gives: numbers, the graph, and what they say in words."""

    def __str__(self) -> str:
        return "\n".join(f"{title}\n" + "\n".join(f"- {line}" for line in lines) for title, lines in sentences(self))


def sentences(learned: LearnScores) -> Sections:
    made = [
        ("What was understood", list(_understood(learned))),
        ("Which learner to believe", list(_believed(learned))),
        ("The graph", list(_graph(learned))),
        ("Your own graph", list(_guess(learned))),
        ("What would help", list(_helps(learned))),
    ]
    return [(title, lines) for title, lines in made if lines]


def untold(learned: LearnScores) -> list[str]:
    """What this design cannot tell."""
    return [
        "Causes outside the table: twins have none, so odds and expected scores do not count them in.",
        "Twins have the graphs that learners found: what no learner finds in these data is in no twin.",
    ]


def headline(learned: LearnScores) -> Headline | None:
    expected = learned.expected()
    if learned.chosen is None or expected is None:
        return None
    sure = [edge for edge in learned.edges if edge.present >= LIKELY]
    directed = sum(edge.mark == "->" for edge in sure)
    words = f"{len(sure)} edges at even odds or better, {directed} with a direction"
    others = learned.holding_up[1:]
    near = f" ({joined(others)} cannot be told from it)" if others else ""
    said = (
        f"{words}; believe {learned.chosen}{near}: F1 {expected.mean:.2f}, "
        f"{expected.low:.2f} to {expected.high:.2f} on data like these."
    )
    rows = tuple(_standing(name, *_ends(value)) for name, value in learned.ranking)
    of = f"F1 expected; higher is better; {100 * learned.level:g} % t CI of the mean over twins"
    return Headline(said, of, rows)


def _standing(name: str, value: float, low: float | None, high: float | None) -> Standing:
    return Standing(name, value) if low is None or high is None else Standing(name, value, low, high)


def _ends(value: object) -> tuple[float, float | None, float | None]:
    interval = getattr(value, "interval", None)
    mean = float(getattr(value, "value", None) or 0.0)
    return (mean, None, None) if interval is None else (mean, interval.low, interval.high)


def _understood(learned: LearnScores) -> Iterator[str]:
    about = learned.about
    gaps = sum(column["missing"] for column in about["columns"])
    lost = f"; {gaps:,} values are missing, {about['complete_rows']:,} rows are complete" if gaps else ""
    yield f"{about['data']}: {about['n']:,} rows of {about['d']} {about['kind']} columns{lost}."
    yield from (f"{note}." for note in about.get("notes", ()))
    if about.get("not_heeding"):
        yield f"What is known beforehand cannot be told to {joined(about['not_heeding'])}: their graphs may deny it."
    for key, what, test in (
        ("curved", "have relations that look curved", "F test of squares in the regression on all others"),
        ("not_gaussian", "have noise that looks non-Gaussian", "Jarque-Bera test of its residuals"),
    ):
        if key in about:
            told = about[key]
            names = f" ({joined(told['columns'][:5])})" if told["columns"] else ""
            yield (
                f"{len(told['columns'])} of {told['of']} numbers {what}{names} ({test}, Holm over columns; "
                f"least p = {told['least_p']:.2g}; n = {about['complete_rows']:,} rows)."
            )
    if "r2" in about:
        yield (
            f"The others tell {100 * about['r2']['mean']:.0f} % of a number's variance on average, at most "
            f"{100 * about['r2']['most']:.0f} % ({about['r2']['column']})."
        )
    if learned.done < learned.planned:
        yield Finding(f"{learned.done:,} of {learned.planned:,} runs are done: the rest may change what follows.", True)
    for name, count in learned.failures.items():
        yield f"{name}: {count:,} runs gave no graph; they are left out."


def _in_the_atlas(learned: LearnScores) -> Iterator[str]:
    """What is known before anything has run."""
    expected = learned.about.get("atlas", {}).get("expected", {})
    if expected:
        best = sorted(expected, key=lambda name: -expected[name]["f1"])[:3]
        named = joined([f"{name} {expected[name]['f1']:.2f}" for name in best])
        low, high = (expected[best[0]][end] for end in ("low", "high"))
        yield (
            f"By its looks alone the atlas expects F1 most of {named} ({best[0]}: {low:.2f} to {high:.2f}, "
            f"{100 * LEVEL:g} % interval of a single table; {systems():,} random systems)."
        )
    beyond = learned.about.get("atlas", {}).get("beyond", ())
    if beyond:
        yield Finding(f"The table lies beyond the atlas in {joined(beyond)}: there it has seen nothing.", open=True)


def _believed(learned: LearnScores) -> Iterator[str]:
    yield from _in_the_atlas(learned)
    if learned.chosen is None:
        yield Finding("No learner has run on every twin yet.", open=True)
        return
    twins = len(learned.f1[learned.chosen])
    for measure, label in (("f1", "F1"), ("precision", "precision"), ("recall", "recall")):
        expected = learned.expected(measure)
        if expected is not None:
            yield (
                f"{learned.chosen} (returns a {learned.about['classes'].get(learned.chosen)}): {label} "
                f"{expected.mean:.2f} is to be expected, {expected.low:.2f} to {expected.high:.2f} ({100 * LEVEL:g} % "
                f"interval of a single table like this one; {twins} twins)."
            )
    yield from (pair.sentence() for pair in learned.pairs)


def _graph(learned: LearnScores) -> Iterator[str]:
    if not learned.edges:
        yield Finding("No resample of the table has been fitted yet.", open=True)
        return
    likely = [edge for edge in learned.edges if edge.present >= LIKELY]
    for edge in likely[:MOST_TOLD]:
        way = f"this way {_percent(edge.onward)}" if edge.mark == "->" else "direction open"
        hidden = f"; {100 * edge.confounded:.0f} % of the graphs have a hidden common cause" if edge.confounded else ""
        yield (
            f"{edge.source} {edge.mark} {edge.target}: odds {_percent(edge.present)}, {way} (in "
            f"{100 * edge.share:.0f} % of the graphs over resamples{hidden})."
        )
    if len(likely) > MOST_TOLD:
        yield f"{len(likely) - MOST_TOLD} more edges are in edges.csv."
    unlikely = [edge for edge in learned.edges if 0.1 <= edge.present < LIKELY]
    if unlikely:
        named = joined([f"{e.source} - {e.target} {100 * e.present:.0f} %" for e in unlikely[:5]])
        yield f"Left out below even odds: {named}{f' and {len(unlikely) - 5} more' if len(unlikely) > 5 else ''}."
    who, calibration = joined(learned.holding_up), learned.calibration
    yield (
        f"Odds: shares over resamples of {who}, calibrated on {calibration.twins} twins; a direction is drawn from "
        f"{100 * DIRECTED:.0f} % on."
    )


def _guess(learned: LearnScores) -> Iterator[str]:
    guess = learned.guess
    if guess is None:
        return
    verdict = "better than chance" if guess.p < 0.05 else "not told from chance"
    yield Finding(
        f"Your graph is {verdict}: the data reject {100 * guess.share:.0f} % of its {guess.tests} implied "
        f"independences, and {100 * guess.permuted_mean:.0f} % on average with its names permuted (p = {guess.p:.3f}, "
        f"{guess.permutations} permutations).",
        open=guess.p >= 0.05,
    )
    if guess.p >= 0.05 and guess.same_class >= 0.05 * guess.permutations:
        yield Finding(
            f"{guess.same_class} of {guess.permutations} permutations give the same class of graph: with so few "
            "columns this test can hardly reject chance.",
            open=True,
        )
    if guess.missing:
        named = joined([f"{a} and {b} (p = {p:.2g})" for a, b, p in guess.missing[:5]])
        yield f"It lacks an edge, by the data, between {named} (Holm over its tests; {len(guess.missing)} in all)."
    if guess.unsupported:
        named = joined([f"{a} -> {b} (p = {p:.2g})" for a, b, p in guess.unsupported[:5]])
        yield f"The data show no need of {named}, given the effect's other parents; {len(guess.unsupported)} in all."


def _helps(learned: LearnScores) -> Iterator[str]:
    now, more = learned.expected(), learned.with_more_rows()
    n = learned.about["n"]
    if now is not None:
        for variant, times in FACTORS.items():
            if variant in more:
                yield (
                    f"With {times * n:,} rows {learned.chosen} would reach F1 {more[variant].mean:.2f} instead of "
                    f"{now.mean:.2f} (mean over twins, which range from {more[variant].low:.2f} to "
                    f"{more[variant].high:.2f})."
                )
    best = learned.intervention()
    if best is not None:
        yield f"An intervention on {best[0]} would settle most: {best[1]:.1f} edges whose direction is open, expected."


def _percent(share: float) -> str:
    """Never 100 %: what was calibrated on a few twins is not that sure."""
    return "over 99 %" if share > 0.99 else f"{100 * share:.0f} %"
