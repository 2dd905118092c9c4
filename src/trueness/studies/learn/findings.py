"""What was learned of a table, in sentences: each with its number, interval and n; what cannot be told is said."""

from __future__ import annotations

from collections.abc import Iterator

from trueness.atlas import systems
from trueness.showing.summary import Finding, Headline, Standing, joined
from trueness.studies.learn.scores import DIRECTED, LEVEL, LIKELY, LearnScores, percent
from trueness.texts import counted

MOST_TOLD = 12
MOST_NOTES = 4  # on columns, in the headline
MANY_GAPS, DETERMINED, FEW = 0.05, 0.95, 5  # share of values, R2, rows of a level: from which on a column is named
_NO_RANKING = "no twin has been learned by every learner yet, so none of them can be ranked."
Sections = list[tuple[str, list[str]]]


class Learned(LearnScores):
    """What `trueness.learn` gives: numbers, the graph, and what they say in words."""

    def __str__(self) -> str:
        return "\n".join(f"{title}\n" + "\n".join(f"- {line}" for line in lines) for title, lines in sentences(self))


def sentences(learned: LearnScores) -> Sections:
    made = [
        ("What was understood", list(_table(learned))),
        ("Which learner to believe", list(_learners(learned))),
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
    sure = [edge for edge in learned.edges if edge.present >= LIKELY]
    directed = sum(edge.mark == "->" for edge in sure)
    words = f"{counted(len(sure), 'edge')} at even odds or better, {directed} with a direction"
    notes = learned.about.get("notes", ())
    notes = [*notes[:MOST_NOTES], *([f"{len(notes) - MOST_NOTES} more such columns"] if notes[MOST_NOTES:] else [])]
    columns = "".join(f" {note}." for note in notes)
    if learned.depends and learned.edges:
        depends = f"{learned.depends[0].upper()}{learned.depends[1:]}"
        return Headline(f"{depends} No F1 is promised, and odds are too high: {words}.{columns}")
    if learned.chosen is None or expected is None:
        return Headline(f"So far {words}; {_NO_RANKING}{columns}") if learned.edges else None
    others = learned.holding_up[1:]
    near = f" ({joined(others)} cannot be told from it)" if others else ""
    sentence = (
        f"{words}; believe {learned.chosen}{near}: F1 {expected.mean:.2f}, "
        f"{expected.low:.2f} to {expected.high:.2f} on data like these ({100 * LEVEL:g} % interval of one table; "
        f"{counted(learned.twins, 'twin')}).{columns}"
    )
    rows = tuple(
        Standing.of(name, float(value.value or 0.0), value.interval, value.constant) for name, value in learned.ranking
    )
    of = f"F1 expected; higher is better; {100 * learned.level:g} % t CI of the mean over twins"
    return Headline(sentence, of, rows)


def _table(learned: LearnScores) -> Iterator[str]:
    about = learned.about
    gaps = sum(column["missing"] for column in about["columns"])
    lost = f"; {gaps:,} values are missing, {about['complete_rows']:,} rows are complete" if gaps else ""
    ordered = [column["column"] for column in about["columns"] if column["kind"].endswith("ordered levels")]
    read = f", {len(ordered)} of them ordered levels, read as their numbers" if ordered else ""
    yield f"{about['data']}: {about['n']:,} rows of {about['d']} {about['kind']} columns{read}{lost}."
    yield from (f"{note}." for note in about.get("notes", ()))
    if about.get("gap_causes"):
        yield f"{about['gap_causes'][0].upper()}{about['gap_causes'][1:]}."
    if learned.depends:
        yield Finding(f"{learned.depends[0].upper()}{learned.depends[1:]}", open=True)
    elif about.get("row_dependence"):
        yield f"Rows: {about['row_dependence']['sentence']}."
    if about.get("not_heeding"):
        yield f"What is known beforehand cannot be told to {joined(about['not_heeding'])}: their graphs may deny it."
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
            f"{100 * LEVEL:g} % interval of a single table; {systems():,} systems)."
        )
    beyond = learned.about.get("atlas", {}).get("beyond", ())
    if beyond:
        yield Finding(f"The table lies beyond the atlas in {joined(beyond)}: there it has seen nothing.", open=True)


def _learners(learned: LearnScores) -> Iterator[str]:
    if learned.depends:
        yield Finding("No F1 is promised: promises hold for independent rows, and these depend on each other.", True)
        return
    yield from _in_the_atlas(learned)
    if learned.chosen is None:
        yield Finding(f"{_NO_RANKING[0].upper()}{_NO_RANKING[1:]}", open=True)
        return
    for measure, label in (("f1", "F1"), ("precision", "precision"), ("recall", "recall")):
        expected = learned.expected(measure)
        if expected is not None:
            yield (
                f"{learned.chosen} (returns a {learned.about['classes'].get(learned.chosen)}): {label} "
                f"{expected.mean:.2f} is to be expected, {expected.low:.2f} to {expected.high:.2f} ({100 * LEVEL:g} % "
                f"interval of a single table like this one; {counted(learned.twins, 'twin')})."
            )
    for told, verdict in ((True, "is better than"), (False, "cannot be told to be better than")):
        named = [
            f"{rival.learner} (F1 {rival.difference:+.3f} expected, higher on this table with {percent(rival.better)})"
            for rival in learned.rivals
            if rival.told_apart is told
        ]
        if named:
            yield Finding(
                f"{learned.chosen} {verdict} {joined(named)}, by how such promises were kept on "
                f"{learned.rivals[0].systems} systems ({counted(learned.twins, 'twin')}).",
                open=not told,
            )


def _graph(learned: LearnScores) -> Iterator[str]:
    if not learned.edges:
        yield Finding("No resample of the table has been fitted yet.", open=True)
        return
    if learned.depends:
        yield Finding("Odds are too high: resamples of rows that depend on each other agree too often.", True)
    likely = [edge for edge in learned.edges if edge.present >= LIKELY]
    for edge in likely[:MOST_TOLD]:
        way = f"this way {percent(edge.onward)}" if edge.mark == "->" else "direction open"
        hidden = f"; {100 * edge.confounded:.0f} % of the graphs have a hidden common cause" if edge.confounded else ""
        yield (
            f"{edge.source} {edge.mark} {edge.target}: odds {percent(edge.present)}, {way} (in "
            f"{100 * edge.share:.0f} % of {learned.graphs:,} graphs over resamples{hidden})."
        )
    if len(likely) > MOST_TOLD:
        yield f"{len(likely) - MOST_TOLD} more edges are in edges.csv."
    unlikely = [edge for edge in learned.edges if edge.present < LIKELY]
    if unlikely:
        named = [f"{e.source} - {e.target} {100 * e.present:.0f} %" for e in unlikely[:5]]
        rest = f"{len(unlikely) - 5} more below {100 * unlikely[4].present:.0f} %" if len(unlikely) > 5 else ""
        yield f"Left out below even odds: {joined([*named, rest] if rest else named)} (all in edges.csv)."
    who, twins = joined(learned.holding_up), learned.calibration.twins
    calibrated = f"calibrated on {counted(twins, 'twin')}" if twins else "not calibrated, for no twin is done yet"
    yield Finding(
        f"Odds: shares over resamples of {who}, {calibrated}; a direction is drawn from {100 * DIRECTED:.0f} % on.",
        open=not twins,
    )


def _guess(learned: LearnScores) -> Iterator[str]:
    guess, drawn = learned.guess, learned.about.get("guess")
    if guess is None:
        d = learned.about["d"]
        if drawn is not None and len(drawn["edges"]) == d * (d - 1) // 2:
            yield Finding("Your graph joins every pair: it implies no independence that data could reject.", open=True)
        elif drawn is not None:
            yield Finding("Your graph has not been tested against permutations of its names yet.", open=True)
        return
    verdict = "better than chance" if guess.p < 0.05 else "not told from chance"
    yield Finding(
        f"Your graph is {verdict}: the data reject {100 * guess.share:.0f} % of its {guess.tests} implied "
        f"independences, and {100 * guess.permuted_mean:.0f} % on average with its names permuted (p = {guess.p:.3f}, "
        f"{guess.permutations} permutations).",
        open=guess.p >= 0.05,
    )
    if guess.p >= 0.05 and 1 + guess.same_class >= 0.05 * (1 + guess.permutations):
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
    best = learned.intervention()
    if best is not None:
        every = sum(edge.present * edge.openness for edge in learned.edges)
        yield (
            f"An intervention on {best[0]} would settle most: {best[1]:.1f} of {every:.1f} edges that are expected to "
            f"have an open direction (by their odds, {learned.graphs:,} graphs over resamples)."
        )
    yield from _troubles(learned)


def _troubles(learned: LearnScores) -> Iterator[str]:
    """Columns with many gaps, that the others nearly determine, or with a level that few rows have."""
    about, n, some = learned.about, learned.about["n"], False
    for column in about["columns"]:
        name, words = column["column"], []
        if column["missing"] >= MANY_GAPS * n:
            words.append(f"lacks {column['missing']:,} of {n:,} values")
            if "complete_without" in column:
                words.append(f"without it {column['complete_without']:,} rows would be complete, now "
                             f"{about['complete_rows']:,}")  # fmt: skip
        if column.get("r2", 0.0) >= DETERMINED:
            words.append(f"follows from the others by {100 * column['r2']:.0f} %: its edges are hard to place")
        if column.get("least", FEW) < FEW:
            words.append(f"has a level that only {counted(column['least'], 'row')} have")
        if words:
            some = True
            yield f"{name} makes trouble: it {'; '.join(words)}."
    if not some:
        yield (
            f"No column lacks {100 * MANY_GAPS:.0f} % of its values, follows from the others by "
            f"{100 * DETERMINED:.0f} % or has a level of fewer than {FEW} rows (n = {n:,} rows)."
        )
