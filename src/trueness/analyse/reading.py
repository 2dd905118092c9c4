"""An analysis as a reading: checks, findings, tables and charts, which terminal, page and files render."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from trueness.analyse.breakdown import FLAGGED, Breakdown
from trueness.analyse.domain import Domain
from trueness.analyse.finding_sentences import (
    changes_verdict,
    contrast_sentence,
    family_sentence,
    findings,
    interval_text,
    mean_sentence,
    missing_sentences,
    number_cell,
    short_sentence,
    understood,
)  # fmt: skip
from trueness.analyse.scores_analysis import DomainAnalysis, Line, ScoresAnalysis
from trueness.showing import blocks
from trueness.showing.saving import plain
from trueness.showing.summary import AnalysisPart, Check, Headline, Section, Summary
from trueness.showing.tables import Column, Table
from trueness.statistics.result import Cell
from trueness.texts import counted, csv_row, printable

_PLAIN_QUESTIONS = {"RQ1": "baseline against all others", "RQ2": "pair"}
_DROPPED = ("q_beyond", "U", "mag.", "n", "n_clusters", "over runs", "ratio", "p", "delta", "n_units")
_NAMES = {"Domain", "condition", "pair", "read", "verdict", "rule", "model", "mag."}  # columns that may fold
SHORT = {"none": "None", "markdown": "MD", "pseudocode": "PC"}
_FRAMES = {"means": "conditions", "differences": "contrasts", "readings": "otherwise", "rules": "by_rule",
           "models": "by_model", "families": "by_family"}  # fmt: skip
_TABLES = ("conditions", "contrasts", "otherwise", "by_rule", "by_model", "by_family")


@dataclass(frozen=True, eq=False)
class AnalysisReading:
    """details: every rule, every flag and every number; without it what can be acted on."""

    analysis: ScoresAnalysis
    details: bool = False

    # ---- numbers

    @cached_property
    def _json(self) -> dict[str, object]:
        analysis = self.analysis
        content = {
            "settings": dict(vars(analysis.settings)),
            "conditions": list(analysis.roles.conditions),
            "baseline": analysis.roles.baseline,
            "treatment": analysis.roles.treatment,
            "family": analysis.family,
            "notes": list(analysis.notes),
            "domains": [self._domain_json(part) for part in analysis.domains],
            "findings": findings(analysis),
            **({"gate": analysis.gate.to_dict()} if analysis.gate else {}),
        }
        return {key: plain(value) for key, value in content.items()}

    def as_json(self) -> dict[str, object]:
        """All numbers, unrounded; NaN is never in it."""
        return self._json

    def _domain_json(self, part: DomainAnalysis) -> dict[str, object]:
        domain = part.domain
        return {
            "domain": part.name,
            "understood": understood(part),
            "columns": domain.schema.roles,
            "outcome": domain.outcome,
            "formula": domain.formula,
            "lower_is_better": domain.lower_is_better,
            "direction_assumed": domain.assumed,
            "rules": dict(domain.kinds),
            "possible_clusters": list(domain.groupings),
            "averaged_over": [factor.name for factor in domain.factors],
            **self._rows(part),
            "contrasts": [
                row | {"without_partner": list(one.left_out)}
                for one, row in zip(part.contrasts, self._rows(part)["contrasts"], strict=True)
            ],
            "red_flags": [vars(flag) | {"raised": flag.raised} for flag in part.flags],
        }

    def _rows(self, part: DomainAnalysis) -> dict[str, list[dict[str, Cell]]]:
        """The flat rows of a domain, by table."""
        return {
            "conditions": [summary.row() for summary in part.summaries],
            "contrasts": self._named(line.row() for line in part.lines),
            "otherwise": self._named(line.row() for line in part.otherwise),
            "by_rule": self._named(rule.rule_row(one.pair) for one in part.contrasts for rule in part.rules),
            "by_model": self._named(row.model_row(one.pair) for one in part.contrasts for row in part.models),
            "by_family": [pair.row() for pair in part.families],
        }

    def _named(self, rows: Iterable[dict[str, Cell]]) -> list[dict[str, Cell]]:
        """RQ1 and RQ2 are questions of the protocol; in any other table they are said in plain words."""
        if self.analysis.of_protocol:
            return list(rows)
        return [row | {"question": _PLAIN_QUESTIONS[str(row["question"])]} for row in rows]

    def as_csv(self) -> str:
        """One line a domain, question and reading; the means alone where nothing is compared."""
        parts = [self._rows(part) for part in self.analysis.domains]
        rows = [row for part in parts for row in (*part["contrasts"], *part["otherwise"])]
        return rows_csv(rows or [row for part in parts for row in part["conditions"]])

    def chart_frames(self) -> dict[str, list[dict[str, Cell]]]:
        """What charts draw, one row a mark: means with intervals, differences, rules, models, families."""
        rows = [self._rows(part) for part in self.analysis.domains]
        frames = {name: [row for part in rows for row in part[key]] for name, key in _FRAMES.items()}
        every = [row for part in rows for row in (*part["contrasts"], *part["otherwise"])]
        frames["differences"] = [_difference(row) for row in frames["differences"]]
        frames["readings"] = [_difference(row) for row in every]
        return frames

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
        checks = [
            Check(
                flag.name,
                {"raised": False, "clear": True}.get(flag.state),  # neither where it was not checked
                f"{flag.domain}: {'not checked: ' * (flag.state == 'not checked')}{flag.evidence}",
            )
            for part in parts
            for flag in part.flags
        ]
        taken = [f"{part.name}: {'; '.join(understood(part))}" for part in parts]
        sections = (
            Section("findings", tuple(findings(self.analysis))),
            Section("what was understood", (*taken, *self.analysis.notes)),
        )
        first = [short_sentence(one, part.domain) for part in parts for one in part.contrasts]
        headline = Headline(first[0]) if len(first) == 1 else None
        forest = [
            {
                "label": f"{row['domain']}: {row['treatment']} against {row['reference']}",
                "value": row["diff"], "low": row["diff_low"], "high": row["diff_high"],
            }
            for row in self.chart_frames()["differences"]
            if row["diff"] is not None and row["diff_low"] is not None
        ]  # fmt: skip
        return Summary(tuple(checks), sections, tuple(self._untold()), headline, forest)

    def _untold(self) -> Iterable[str]:
        """How small a q so few units allow, and for whom the verdicts hold."""
        rows = [line.row() for part in self.analysis.domains for line in part.lines]
        for row in rows:
            if row["q_least"] is not None:
                yield (
                    f"{row['domain']}: with {row['n_units']} cells in {row['n_clusters']} clusters and "
                    f"{row['n_comparisons']} comparisons no effect alone can go below {row['q_least']:.2g}."
                )
        for scope in dict.fromkeys(row["scope"] for row in rows):
            yield f"The verdicts hold for {scope}; q_beyond is over models and tasks like these."

    def first_findings(self) -> list[str]:
        """Verdicts, what is missing, and the flags that are raised."""
        said = []
        for part in self.analysis.domains:
            say = contrast_sentence if self.details else short_sentence
            said += [mean_sentence(s, part.domain) for s in part.summaries if self.details or not part.contrasts]
            said += [say(one, part.domain) for one in part.contrasts] + missing_sentences(part)
            said += [family_sentence(pair, part.domain) for pair in part.families]
        flags = [flag for part in self.analysis.domains for flag in part.flags]
        for flag in flags:
            if flag.raised or self.details:
                word = {"raised": "red flag", "clear": "clear", "not checked": "not checked"}[flag.state]
                said.append(f"{flag.domain}: {word}, {flag.name}: {flag.evidence}")
        return said

    def notes(self) -> list[str]:
        """What the tables were taken for, what their columns mean, and what was not checked."""
        parts, flags = self.analysis.domains, [flag for part in self.analysis.domains for flag in part.flags]
        taken: dict[str, list[str]] = {}
        for part in parts:
            taken.setdefault(part.domain.schema.words, []).append(part.name)
        said = [f"read as{f', {chr(44).join(n)}' if len(taken) > 1 else ''}: {words}" for words, n in taken.items()]
        said += [f"{part.name}: {'; '.join(understood(part, roles_of_columns=False))}" for part in parts]
        said += self.analysis.notes
        if self.analysis.contrasts:
            said.append(self._legend())
        clear = sum(flag.state == "clear" for flag in flags)
        unable = ", ".join(sorted({flag.name for flag in flags if flag.state == "not checked"}))
        missing = f"; not checked: {unable}" if unable else ""
        said.append(f"Of {counted(len(flags), 'check')} {clear} are clear{missing}.")
        return said if self.details else [*said, "--details: every rule, flag and number.  --out FOLDER: all files."]

    def _legend(self) -> str:
        analysis = self.analysis
        sided = "one-sided as declared" if analysis.settings.one_sided else "two-sided"
        unit = analysis.domains[0].domain.unit
        over = f"paired over {unit} cells" if unit else "unpaired"
        results = [one.result for one in analysis.contrasts if one.result]
        levels = sorted({result.interval.level for result in results if result.interval})
        shown = " to ".join(f"{100 * level:.3g}" for level in dict.fromkeys((*levels[:1], *levels[-1:])))
        least = "at least " if any(result.exact for result in results) else ""  # steps of 2^-C
        wide = any(one.q_beyond is not None for one in analysis.contrasts)
        return (
            f"delta, p, U: Cliff's delta, Mann-Whitney over runs, {sided}. diff: better by, with the interval of the "
            f"verdict{f' ({least}{shown} %)' if shown else ''}, {over}; p_paired: {analysis.tests}; "
            f"{self._adjusted}: {analysis.family}. For {listed_scopes(analysis)}"
            f"{'; q_beyond: over models and tasks like these' if wide else ''}."
        )

    @property
    def _adjusted(self) -> str:
        return "Holm p" if self.analysis.settings.adjust == "holm" else "q"

    # ---- tables

    def tables(self) -> list[Table]:
        analysis = self.analysis
        level = 100 * analysis.settings.level
        first = analysis.domains[0].domain
        over = f"over {first.cluster}s" if first.unit else "over runs"
        caption = f"Means of {first.outcome} with {level:g} % CI {over}, and over runs as usually reported."
        made = [_text_table("means", "Means", caption, self.mean_rows())]
        for question, title in analysis.questions.items():
            heads = {"q": self._adjusted}
            rows = [{heads.get(key, key): cell for key, cell in row.items()} for row in self.line_rows(question)]
            made.append(_text_table(f"lines_{question.lower()}", title, f"{title}. {self._legend()}", rows))
        otherwise = self._otherwise_rows()
        if otherwise:
            made.append(_text_table("otherwise", "Read otherwise", "The same under other readings.", otherwise))
        for part in analysis.domains:
            made += self._rule_tables(part)
        models = self._model_rows()
        return [*made, _text_table("models", "By model", "Gain of each model.", models)] if models else made

    def mean_rows(self) -> list[dict[str, str]]:
        """Each condition of each domain with its mean and intervals."""
        rows = []
        for part in self.analysis.domains:
            digits, unit = part.domain.digits, part.domain.per_cent
            for s in part.summaries:
                runs = "-" if s.ci_runs is None else f"[{s.ci_runs.low:.{digits}f}, {s.ci_runs.high:.{digits}f}]"
                row = {"Domain": part.name, "condition": s.condition, "n": str(s.n), "missing": str(s.n_missing)}
                row |= {"mean [CI]": interval_text(s.mean, s.ci, digits) + unit, "over runs": runs}
                every = s.pass_all.value if s.pass_all else None
                row["pass^k"] = "-" if every is None else f"{100 * every:.1f} % (k = {s.k})"
                rows.append(row)
        return [{k: v for k, v in row.items() if k != "missing" or any(r[k] != "0" for r in rows)} for row in rows]

    def line_rows(self, question: str) -> list[dict[str, str]]:
        """One row a line; pairs are named where there are several."""
        lines = self.analysis.lines(question)
        several = len({line.contrast.pair for line in lines}) > 1
        return [line_cells(line, several) for line in lines]

    def _otherwise_rows(self) -> list[dict[str, str]]:
        lines = [(part, line) for part in self.analysis.domains for line in part.otherwise]
        several = len({line.contrast.pair.names for _, line in lines}) > 1
        rows = []
        for part, line in lines:
            one, other = line.contrast.pair.names
            cells = line_cells(line)
            judged = line.adjusted and line.contrast.result and line.contrast.result.n_comparisons > 1
            cells["q"] = cells["q"] if judged else "-"  # no family of its own
            reading = line.reading + (f", {one} and {other}" if several else "")
            verdict = "another" if changes_verdict(line, part) else "the same"
            shown = {k: v for k, v in cells.items() if k not in ("Domain", "q_beyond", "n_units", "n_clusters")}
            rows.append({"Domain": part.name, "read": reading, "verdict": verdict} | shown)
        return rows

    def _rule_tables(self, part: DomainAnalysis) -> Iterable[Table]:
        if not part.contrasts:
            return
        pair = part.contrasts[-1].pair
        rules = [rule for rule in part.rules if self.details or rule.is_flagged(pair)]
        rules.sort(key=lambda rule: -abs(rule.gains[pair] or 0.0))
        if rules:
            more = f"{len(rules)} of {len(part.rules)} rules differ by more than {FLAGGED:g} points"
            title = f"{part.name}: {'all rules' if self.details else more}, {pair.names[0]} against {pair.names[1]}"
            rows = [_rule_row(rule, rule.gains[pair], rule.tests.get(pair)) for rule in rules]
            yield _text_table(f"rules_{part.name}", title, title, rows)

    def _model_rows(self) -> list[dict[str, str]]:
        rows = []
        for part in self.analysis.domains:
            if any(gain is not None for row in part.models for gain in row.gains.values()):
                rows += [_model_row(part.domain, row, row.gains.get(part.contrasts[-1].pair)) for row in part.models]
        return rows

    def as_text(self) -> str:
        """The lines as they are reported, then the findings: what goes into findings.txt."""
        titles = self.analysis.questions
        lines = [f"{title}\n{_align_cells(self.line_rows(question))}" for question, title in titles.items()]
        return "\n\n".join([*lines, "\n".join(map(printable, findings(self.analysis)))]) + "\n"

    def analyses(self) -> list[AnalysisPart]:
        """Every table of every domain, unrounded."""
        domains: list[dict[str, list[dict[str, Cell]]]] = self._json["domains"]  # type: ignore[assignment]
        return [
            AnalysisPart(f"{domain['domain']}: {name.replace('_', ' ')}", tables=(blocks.table("", domain[name]),))
            for domain in domains
            for name in _TABLES
            if domain[name]
        ]


def listed_scopes(analysis: ScoresAnalysis) -> str:
    lines: list[Line] = [line for part in analysis.domains for line in part.lines]
    return "; ".join(dict.fromkeys(printable(line.contrast.scope) for line in lines))


def rows_csv(rows: Sequence[Mapping[str, Cell]]) -> str:
    text = io.StringIO()
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(csv_row(names))
    writer.writerows(csv_row(row.get(name, "") for name in names) for row in rows)
    return text.getvalue()


def _text_table(name: str, title: str, caption: str, rows: Sequence[Mapping[str, str]]) -> Table:
    """Cells that are texts already: verdicts, means beside their intervals, p below .001."""
    used = {key for row in rows for key, cell in row.items() if cell not in ("-", "")}
    keys = [key for key in dict.fromkeys(chain.from_iterable(rows)) if key in used]
    columns = tuple(Column(key, key, "text" if key in _NAMES else "cell") for key in keys)
    last = [key for key in reversed(keys) if key not in (*_NAMES, *_DROPPED)]
    drop = [(key,) for key in (*_DROPPED, *last[:-1])]
    return Table(name, columns, rows, caption, title=title, drop=drop, once=("Domain",))


def line_cells(line: Line, several: bool = False) -> dict[str, str]:
    """The line as text, heading -> cell. RQ1 shows the pooled mean and the ratio, RQ2 every condition.

    several: there are lines of other pairs beside it, so each shows its own two conditions.
    """
    one, result = line.contrast, line.contrast.result
    digits, unit = (1, "%") if line.percent else (3, "")
    cells = {"Domain": line.domain}
    scale = 100 if line.percent else 1
    reference, treatment = (None if mean is None else mean * scale for mean in one.means)
    if several:
        cells["pair"] = " / ".join(short_name(name) for name in reversed(one.pair.names))
        cells[f"first{unit}"], cells[f"second{unit}"] = number_cell(reference, digits), number_cell(treatment, digits)
    elif one.pair.question == "RQ1":
        cells[f"{short_name(one.pair.reference[0])}{unit}"] = number_cell(reference, digits)
        cells[f"others{unit}"] = number_cell(treatment, digits)
        cells["ratio"] = number_cell(one.ratio, 2)
    else:
        cells |= {f"{short_name(name)}{unit}": number_cell(value, digits) for name, value in line.means.items()}
    return cells | {
        "delta": number_cell(one.delta.value, 3),
        "mag.": (one.delta.magnitude or "-").replace("negligible", "negl."),
        "p": p_cell(one.p),
        "U": "-" if one.statistic is None else f"{one.statistic:g}",
        "n": f"{one.n[0]}+{one.n[1]}",
        "diff [CI]": interval_text(result.difference, result.interval, digits) if result else "-",
        "p_paired": p_cell(result.p) if result else "-",
        "q": p_cell(result.p_adjusted) if result else "-",
        "n_units": str(result.n_units) if result else "0",
        "n_clusters": str(line.n_clusters),
        "q_beyond": p_cell(one.q_beyond),
    }


def short_name(condition: str) -> str:
    return SHORT.get(condition, condition)


def p_cell(p: float | None) -> str:
    """Three decimals, as tables have it; the exact value is in the sentences, in CSV and in JSON."""
    if p is None:
        return "-"
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _rule_row(rule: Breakdown, delta: float | None, test: object) -> dict[str, str]:
    row = {"rule": rule.name} | {f"{short_name(k)} pass%": number_cell(v) for k, v in rule.means.items()}
    row["delta"] = "-" if delta is None else f"{delta:+.1f}"
    row["q"] = p_cell(getattr(test, "p_adjusted", None))
    return row | {"absent": str(sum(rule.absent.values()) or "")}


def _model_row(domain: Domain, row: Breakdown, gain: float | None) -> dict[str, str]:
    unit = domain.per_cent.strip()
    cells = {"Domain": domain.name, "model": row.name}
    cells |= {f"{short_name(name)}{unit}": number_cell(value, domain.digits) for name, value in row.means.items()}
    cells["gain"] = "-" if gain is None else f"{gain:+.{domain.digits}f}"
    return cells | {"runs": str(sum(row.n.values()))}


def _align_cells(rows: Sequence[Mapping[str, str]]) -> str:
    names = [name for name in rows[0] if name != "q_beyond" or any(row[name] != "-" for row in rows)]
    cells = [names, *([printable(row.get(name, "-")) for name in names] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)
    return "\n".join(line.rstrip() for line in lines)


def _difference(row: dict[str, Cell]) -> dict[str, Cell]:
    keys = ("domain", "reading", "question", "treatment", "reference", "diff", "diff_low", "diff_high", "p_paired", "q")
    return {key: row[key] for key in (*keys, "n_units", "n_clusters", "delta", "delta_low", "delta_high", "p")}
