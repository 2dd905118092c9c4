"""An analysis as a reading: checks, findings, tables and numbers, which terminal, page and files render.

A finding says who is better, by how much, how sure and for whom, and what would be said if the record were read
otherwise. A p-value never stands alone, and a claim never reaches further than what was sampled.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from trueness.analyse.breakdown import ConditionSummary, DomainAnalysis, Flag, missing_words
from trueness.analyse.contrasts import FLAGGED, Contrast
from trueness.analyse.domain import Domain
from trueness.analyse.scores_analysis import ScoresAnalysis
from trueness.errors import listed
from trueness.intervals import Interval, fixed, value_text
from trueness.showing import blocks
from trueness.showing.saving import plain
from trueness.showing.summary import AnalysisPart, Check, Headline, Section, Summary
from trueness.showing.tables import Column, Table
from trueness.statistics.comparison import Comparison
from trueness.statistics.result import Cell
from trueness.texts import counted, csv_row, printable

QUESTIONS = {"RQ1": "The baseline against all others pooled (RQ1)", "RQ2": "One condition against another (RQ2)"}
SHORT = {"none": "None", "markdown": "MD", "pseudocode": "PC"}
_NAMES = {"Domain", "condition", "pair", "read", "verdict", "rule", "model", "mag."}  # columns that may fold
_DROPPED = ("q_beyond", "U", "mag.", "n", "n_clusters", "over runs", "ratio", "p", "delta", "n_units")
_CHECKED = {"raised": False, "clear": True, "not checked": None}
Rows = list[dict[str, Cell]]


@dataclass(frozen=True, eq=False)
class AnalysisReading:
    analysis: ScoresAnalysis

    # ---- numbers

    def as_json(self) -> dict[str, object]:
        """All numbers, unrounded; NaN is never in it."""
        analysis = self.analysis
        content = {
            "settings": dict(vars(analysis.settings)),
            "conditions": list(analysis.roles.conditions),
            "baseline": analysis.roles.baseline,
            "treatment": analysis.roles.treatment,
            "family": analysis.family,
            "notes": list(analysis.notes),
            "domains": [self._domain_json(part, part.domain) for part in analysis.domains],
            "findings": findings(analysis),
            **({"gate": analysis.gate.to_dict()} if analysis.gate else {}),
        }
        return {key: plain(value) for key, value in content.items()}

    def _domain_json(self, part: DomainAnalysis, domain: Domain) -> dict[str, object]:
        return {
            "domain": part.name,
            "understood": [f"columns {domain.schema.words}", *understood(part)],
            "columns": domain.schema.roles,
            "outcome": domain.outcome,
            "formula": domain.formula,
            "lower_is_better": domain.lower_is_better,
            "direction_assumed": domain.assumed,
            "rules": dict(domain.kinds),
            "possible_clusters": [domain.groups] if domain.groups else [],
            "averaged_over": [factor.name for factor in domain.factors],
            **self._rows[part.name],
            "red_flags": [vars(flag) | {"raised": flag.raised} for flag in part.flags],
        }

    @cached_property
    def _rows(self) -> dict[str, dict[str, Rows]]:
        """The flat rows of each domain, by table."""
        return {
            part.name: {
                "conditions": [summary.row() for summary in part.summaries],
                "contrasts": [one.row() for one in part.contrasts],
                "otherwise": [one.row() for one in part.otherwise],
                "by_rule": [one.row("rule") for one in part.rules],
                "by_model": [one.row("model") for one in part.models],
                "by_family": [one.row() for one in part.families],
            }
            for part in self.analysis.domains
        }

    def rows(self, *tables: str) -> Rows:
        """Those of every domain."""
        return [row for domain in self._rows.values() for table in tables for row in domain[table]]

    def as_csv(self) -> str:
        """One line a domain, question and reading; the means alone where nothing is compared."""
        return rows_csv(self.rows("contrasts", "otherwise") or self.rows("conditions"))

    # ---- what it says

    @property
    def state(self) -> str:
        parts, roles = self.analysis.domains, self.analysis.roles
        what = {roles.baseline: " (baseline)", roles.treatment: " (treatment)"}
        conditions = ", ".join(f"{name}{what.get(name, '')}" for name in roles.conditions)
        runs = sum(len(part.domain.runs) for part in parts)
        return f"{counted(runs, 'run')} in {counted(len(parts), 'domain')}   {conditions}"

    def summary(self) -> Summary:
        parts = self.analysis.domains
        flags = [flag for part in parts for flag in part.flags]
        checks = tuple(Check(flag.name, _CHECKED[flag.state], f"{flag.domain}: {flag.evidence}") for flag in flags)
        sections = (
            Section("findings", tuple(findings(self.analysis))),
            Section("what was understood", tuple(self._understood())),
        )
        first = [contrast_sentence(one, part) for part in parts for one in part.contrasts]
        forest = [
            {"label": f"{row['domain']}: {row['treatment']} against {row['reference']}", "value": row["diff"],
             "low": row["diff_low"], "high": row["diff_high"]}
            for row in self.rows("contrasts")
            if row["diff_low"] is not None
        ]  # fmt: skip
        return Summary(checks, sections, headline=Headline(first[0]) if len(first) == 1 else None, forest=forest)

    def notes(self) -> list[str]:
        """What the tables were taken for, what their columns mean, and what was not checked."""
        flags = [flag for part in self.analysis.domains for flag in part.flags]
        said = [*self._understood(), *([self._legend()] if self.analysis.contrasts else [])]
        unable = ", ".join(sorted({flag.name for flag in flags if flag.state == "not checked"}))
        clear = sum(flag.state == "clear" for flag in flags)
        said.append(
            f"Of {counted(len(flags), 'check')} {clear} are clear{f'; not checked: {unable}' if unable else ''}."
        )
        return [*said, "--json: every rule, flag and number.  --out FOLDER: all files."]

    def _understood(self) -> list[str]:
        parts = self.analysis.domains
        taken: dict[str, list[str]] = {}
        for part in parts:
            taken.setdefault(part.domain.schema.words, []).append(part.name)
        said = [f"read as{f', {chr(44).join(n)}' if len(taken) > 1 else ''}: {words}" for words, n in taken.items()]
        return [*said, *(f"{part.name}: {'; '.join(understood(part))}" for part in parts), *self.analysis.notes]

    def _legend(self) -> str:
        analysis = self.analysis
        sided = "one-sided as declared" if analysis.settings.one_sided else "two-sided"
        unit = analysis.domains[0].domain.unit
        over = f"paired over {unit} cells" if unit else "unpaired"
        results = [one.result for one in analysis.contrasts if one.result]
        levels = sorted({f"{100 * result.interval.level:.3g}" for result in results if result.interval})
        least = "at least " if any(result.exact for result in results) else ""  # steps of 2^-C
        shown = f" ({least}{' to '.join(dict.fromkeys((levels[0], levels[-1])))} %)" if levels else ""
        wide = any(one.q_beyond is not None for one in analysis.contrasts)
        return (
            f"delta, p, U: Cliff's delta, Mann-Whitney over runs, {sided}. diff: better by, with the interval of the "
            f"verdict{shown}, {over}; p_paired: {analysis.tests}; {self._adjusted}: {analysis.family}. For "
            f"{listed_scopes(analysis)}{'; q_beyond: over models and tasks like these' if wide else ''}."
        )

    @property
    def _adjusted(self) -> str:
        return "Holm p" if self.analysis.settings.adjust == "holm" else "q"

    # ---- tables

    def tables(self) -> list[Table]:
        analysis = self.analysis
        first = analysis.domains[0].domain
        over = f"{100 * analysis.settings.level:g} % CI over {first.cluster if first.unit else 'run'}s"
        caption = f"Means of {first.outcome} with {over}, and over runs as usually reported."
        made = [text_table("means", "Means", caption, self._means())]
        for question, title in QUESTIONS.items():
            asked = [one for one in analysis.contrasts if one.pair.question == question]
            made.append(self._table(f"lines_{question.lower()}", title, asked, caption=self._legend()))
        otherwise = [one for part in analysis.domains for one in part.otherwise]
        made.append(self._table("otherwise", "Read otherwise", otherwise, "read"))
        for part in analysis.domains:
            pair = part.contrasts[-1].pair if part.contrasts else None
            against = f"{pair.names[0]} against {pair.names[1]}" if pair else ""
            rules = sorted((one for one in part.rules if one.pair == pair), key=lambda one: -abs(one.gain or 0.0))
            shown = [one for one in rules if one.flagged]
            what = f"{len(shown)} of {len(rules)} rules differ by more than {FLAGGED:g} points"
            made.append(self._table(f"rules_{part.name}", f"{part.name}: {what}, {against}", shown, "rule"))
            models = [one for one in part.models if one.pair == pair and one.gain is not None]
            made.append(self._table(f"models_{part.name}", f"{part.name}: by model, {against}", models, "model"))
        families = [one for part in analysis.domains for one in part.families]
        caption = "Exploratory: two-sided, tasks flipped together; q over the pairs of a domain."
        made.append(self._table("families", "Families of models", families, caption=caption))
        return [table for table in made if table.rows]

    def _means(self) -> list[dict[str, str]]:
        """Each condition of each domain with its mean and intervals."""
        rows = []
        for part in self.analysis.domains:
            digits, unit = part.domain.digits, part.domain.per_cent
            for s in part.summaries:
                runs = "-" if s.ci_runs is None else f"[{s.ci_runs.low:.{digits}f}, {s.ci_runs.high:.{digits}f}]"
                row = {"Domain": part.name, "condition": s.condition, "n": str(s.n), "missing": str(s.n_missing or "-")}
                rows.append(row | {"mean [CI]": _interval_text(s.mean, s.ci, digits) + unit, "over runs": runs})
        return rows

    def _table(self, name: str, title: str, contrasts: Sequence[Contrast], kind: str = "", caption: str = "") -> Table:
        """kind: what the contrasts are named by; pairs are named where there are several, or where sides are pooled."""
        several = len({one.pair for one in contrasts}) > 1 or any(one.pair.question == "RQ1" for one in contrasts)
        rows = [self._cells(one, kind, several and kind in ("", "read")) for one in contrasts]
        return text_table(name, title, f"{title}. {caption}".strip(), rows)

    def _cells(self, one: Contrast, kind: str, several: bool) -> dict[str, str]:
        """The contrast as text, heading -> cell. several: the two sides of its own pair, not all conditions."""
        result, digits, unit = one.result, one.domain.digits, one.domain.per_cent.strip()
        cells = {"Domain": one.domain.name} | ({kind: one.name} if kind else {})
        if kind == "read":
            changed = any(part.changes_verdict(one) for part in self.analysis.domains if part.name == one.domain.name)
            cells["verdict"] = "another" if changed else "the same"
        shown = {SHORT.get(name, name): side.mean for name, side in one.by_condition.items()}
        if several:
            cells["pair"] = " / ".join(SHORT.get(name, name) for name in reversed(one.pair.names))
            shown = {"first": one.sides[0].mean, "second": one.sides[1].mean}
        cells |= {f"{name}{unit}": _number(mean, digits) for name, mean in shown.items()}
        usual = one.usual
        if usual is None:
            cells["gain"] = "-" if one.gain is None else f"{one.gain:+.{digits}f}"
        else:
            cells |= {"delta": _number(usual.delta, 3), "mag.": (usual.magnitude or "-").replace("negligible", "negl.")}
            cells |= {"p": _p_cell(usual.p), "U": "-" if usual.U is None else f"{usual.U:g}"}
        return cells | {
            "n": f"{one.sides[0].n}+{one.sides[1].n}",
            "ratio": _number(usual.ratio, 2) if usual else "-",
            "diff [CI]": _interval_text(result.difference, result.interval, digits) if result else "-",
            "p_paired": _p_cell(result.p) if result else "-",
            self._adjusted if usual else "q": _p_cell(result.p_adjusted) if result else "-",
            "n_units": str(result.n_units) if result else "-",
            "n_clusters": str(one.n_clusters) if result else "-",
            "q_beyond": _p_cell(one.q_beyond),
        }

    def as_text(self) -> str:
        """The tables, then the findings: what goes into findings.txt."""
        tables = [f"{table.title}\n\n{table.to_markdown()}" for table in self.tables()]
        return "\n".join([*tables, *map(printable, findings(self.analysis))]) + "\n"

    def analyses(self) -> list[AnalysisPart]:
        """Every table of every domain, unrounded."""
        return [
            AnalysisPart(f"{domain}: {name.replace('_', ' ')}", tables=(blocks.table("", plain(rows)),))
            for domain, tables in self._rows.items()
            for name, rows in tables.items()
            if rows
        ]


# ---- sentences


def understood(part: DomainAnalysis) -> list[str]:
    """What the table was taken for: rows, the formula, the kinds of the rules, what was left out."""
    domain, roles = part.domain, part.domain.schema.roles
    shape = [counted(domain.runs[role].nunique(), role) for role in ("model", "task", "repeat") if roles[role]]
    conditions = counted(len(domain.conditions), "condition")
    lines = [f"{counted(len(domain.runs), 'run')}: {conditions} x {' x '.join(shape) or 'no other column'}"]
    formula = "" if domain.formula == domain.outcome else f" = {domain.formula}"
    better = f"{'lower' if domain.lower_is_better else 'higher'} is better{' (assumed)' if domain.assumed else ''}"
    each = list(domain.kinds.values())
    rules = ", ".join(f"{each.count(kind)} as {kind}" for kind in dict.fromkeys(each))
    lines.append(f"{domain.outcome}{formula}, {better}" + (f"; {len(each)} rules ({rules})" if rules else ""))
    if unscored := int(domain.unscored.sum()):
        way = _counted_as(domain, "unscored")
        lines.append(f"{counted(unscored, 'run')} with nothing to score: counted as {way} (--unscored)")
    if domain.groups:
        groups = f"{domain.groups} ({domain.runs['group'].nunique()} groups)"
        lines.append(f"possible clusters, since each {domain.cluster} lies in one group: {groups} (--cluster)")
    if part.n_excluded:
        lines.append(f"{counted(part.n_excluded, 'run')} excluded")
    return [*lines, *domain.notes]


def findings(analysis: ScoresAnalysis) -> list[str]:
    """Every contrast, then what depends on a choice, what is missing, families and red flags; the means where nothing
    is compared."""
    return [
        sentence
        for part in analysis.domains
        for sentence in (
            *(mean_sentence(summary, part.domain) for summary in part.summaries if not part.contrasts),
            *(contrast_sentence(one, part) for one in part.contrasts),
            *(
                f"{contrast_sentence(one, part)} Another verdict."
                for one in part.otherwise
                if part.changes_verdict(one)
            ),
            *missing_sentences(part),
            *(contrast_sentence(one, part) for one in part.families),
            *(flag_sentence(flag) for flag in part.flags if flag.raised),
        )
    ]


def flag_sentence(flag: Flag) -> str:
    return f"{flag.domain}: {'red flag' if flag.raised else flag.state}, {flag.name}: {flag.evidence}."


def mean_sentence(summary: ConditionSummary, domain: Domain) -> str:
    clusters = counted(summary.n_clusters, domain.cluster if domain.unit else "run")
    value = _interval_text(summary.mean, summary.ci, domain.digits)
    runs = f"over runs {_ends(summary.ci_runs, domain.digits)}; n = {summary.n} runs, {summary.n_missing} missing"
    subject = f"{summary.domain}, {summary.condition}: {domain.outcome}"
    return f"{subject} {value}{domain.per_cent} (interval over {clusters}; {runs})."


def contrast_sentence(one: Contrast, part: DomainAnalysis) -> str:
    """The better side first, by how much, how sure and for whom."""
    domain, result = one.domain, one.result
    treatment, reference = one.pair.names
    reading = "families" if one.pair.question == "families" else one.name
    subject = domain.name if reading == "as analysed" else f"{domain.name}, {reading}"
    if result is None or result.difference is None:
        return f"{subject}: {treatment} and {reference} cannot be compared. {' '.join(one.notes)}".strip()
    better, worse = (treatment, reference) if result.difference >= 0 else (reference, treatment)
    size = f"by {_number(abs(result.difference), domain.digits)}{domain.points} "
    ends = f"{_ends_of(result, domain.digits)}, {_test(result)}"
    verdict = f"{better} is better than {worse} {size}{ends}"
    if not result.distinguishable:
        equal = abs(result.difference) < 1e-12  # equal means differ by rounding of the last bits at most
        lead = "equal means " if equal else f"{better} better {size}"
        verdict = f"{treatment} and {reference} are not told apart ({lead}{ends})"
    clauses = [f"{subject}: {verdict}"]
    for other in part.otherwise if domain in (mine.domain for mine in part.contrasts) else ():
        if other.domain.over_clusters and other.pair == one.pair and other.result:
            but = "but " if one.verdict and not other.verdict else ""
            groups = f"{other.result.n_clusters} {other.domain.cluster} groups (--cluster {other.domain.cluster})"
            level = f"{but}{'' if other.verdict else 'not '}told apart over {groups}"
            clauses.append(f"{level}: {_ends_of(other.result, domain.digits)}, {_test(other.result)}")
    clauses.append(f"for {one.scope}")
    if any(side.missing for side in one.sides):
        sides = zip(one.pair.names[::-1], one.sides, strict=True)
        each = [f"{side.missing} of {side.n + side.missing} runs of {name}" for name, side in sides]
        clauses.append(f"without a score {' and '.join(each)}")
    if domain.assumed:
        clauses.append(f"higher {domain.outcome} is taken as better, no name says it (--lower-is-better turns it)")
    if one.beyond and one.beyond.p is not None:
        p = _adjusted(result, one.beyond.p, one.q_beyond)
        clauses.append(f"over models and tasks like them {p} {_ends(one.beyond.interval, 1)}")
    said = [f"{'; '.join(clauses)}."]
    if one.least is not None:
        units = _units(result) if result.n_clusters == result.n_units else f"{result.n_clusters} {result.clusters}"
        family = f" and {result.n_comparisons} comparisons" if result.n_comparisons > 1 else ""
        said.append(f"With {units}{family} no effect alone can go below {one.least:.2g}.")
    return " ".join([*said, *one.notes])


def missing_sentences(part: DomainAnalysis) -> list[str]:
    """What is not there, and what that leaves open."""
    domain, words = part.domain, missing_words(part.domain)
    lost = list(domain.lost)
    if domain.factors:
        names = listed((f"{factor.name} ({factor.levels} values)" for factor in domain.factors), most=6)
        lost.append(f"averaged over {names}; what differs between them is in no interval")
    if words:
        left = "the comparison is of what was scored, and what the others would score is open"
        way = "they count as failed" if _counted_as(domain, "blank") == "failed" else left
        lost.append(f"{words}; {way} (--unscored)")
    absent = domain.rules.isna().sum().sort_values(ascending=False, kind="stable")
    if absent.any() and domain.percent:
        most = listed((f"{rule} ({n})" for rule, n in absent[absent > 0].items()), most=3)
        lost.append(f"{absent.sum()} verdicts are absent and in no denominator, most for {most}")
    return [f"{part.name}: {sentence}." for sentence in lost]


def listed_scopes(analysis: ScoresAnalysis) -> str:
    return "; ".join(dict.fromkeys(printable(one.scope) for one in analysis.contrasts))


def _counted_as(domain: Domain, kind: str) -> str:
    return "missing" if f"{kind} runs failed" in domain.readings or not domain.percent else "failed"


def _test(result: Comparison) -> str:
    """The test, its p after the adjustment, and over what."""
    if result.p is None:
        return "no test"
    exact = "exact " if result.test == "McNemar" else ""
    inside = f" in {result.n_clusters} {result.clusters}" if result.n_clusters < result.n_units else ""
    return f"{exact}{result.test} {_adjusted(result, result.p, result.p_adjusted)}, {_units(result)}{inside}"


def _units(result: Comparison) -> str:
    return f"{result.n_units} {result.units}"


def _adjusted(result: Comparison, p: float | None, adjusted: float | None) -> str:
    if adjusted is None or result.n_comparisons < 2:
        return _exact_p(p)
    return _exact_p(adjusted, "q" if result.adjustment == "bh" else "Holm p")


def _exact_p(p: float | None, name: str = "p") -> str:
    return f"{name} missing" if p is None else f"{name} = {p:.2g}"


def _p_cell(p: float | None) -> str:
    """Three decimals, as tables have it; the exact value is in the sentences, in CSV and in JSON."""
    if p is None:
        return "-"
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _ends_of(result: Comparison, digits: int) -> str:
    """The interval of the size, towards the better side; where so few units bound nothing at the level of the verdict,
    that without the other comparisons."""
    sign = 1 if (result.difference or 0.0) >= 0 else -1
    if result.interval is None and result.alone is not None:
        alone = f"{100 * result.alone.level:g} % CI {_ends(result.alone.scaled(sign), digits)}"
        return f"with no interval after the adjustment, {alone} without it"
    return _ends(result.interval and result.interval.scaled(sign), digits)


def _ends(interval: Interval | None, digits: int) -> str:
    if interval is None:
        return "with no interval"
    return f"[{_number(interval.low, digits)}, {_number(interval.high, digits)}]"


def _number(value: float | None, digits: int = 1) -> str:
    if value is None:
        return "-"
    small = digits > 1 and 1e-12 < abs(value) < 10**-digits  # of a cost of 0.0004 nothing is cut
    return f"{value:.2g}" if small else f"{value:z.{digits}f}"


def _interval_text(value: float | None, interval: Interval | None, digits: int = 1) -> str:
    """`2.9 [-0.9, 6.7]`."""
    return "-" if value is None else value_text(value, interval, fixed(digits))


# ---- tables of texts


def text_table(name: str, title: str, caption: str, rows: Sequence[Mapping[str, str]]) -> Table:
    """Cells that are texts already: verdicts, means beside their intervals, p below .001."""
    keys = [key for key in dict.fromkeys(chain.from_iterable(rows)) if any(row.get(key, "-") != "-" for row in rows)]
    columns = tuple(Column(key, key, "text" if key in _NAMES else "cell") for key in keys)
    last = [key for key in reversed(keys) if key not in (*_NAMES, *_DROPPED)]
    drop = [(key,) for key in (*_DROPPED, *last[:-1])]
    return Table(name, columns, rows, caption, title=title, drop=drop, once=("Domain",))


def rows_csv(rows: Sequence[Mapping[str, Cell]]) -> str:
    text = io.StringIO()
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(csv_row(names))
    writer.writerows(csv_row(row.get(name, "") for name in names) for row in rows)
    return text.getvalue()
