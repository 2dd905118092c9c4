"""What the terminal shows of a robustness study: scorers by corruptions, F1 at each K, what the oracle gains, notes."""

from __future__ import annotations

from trueness.showing.console import Console, plain
from trueness.showing.tables import Table
from trueness.studies.robustness.answers import RobustnessStudy
from trueness.studies.robustness.calibration import main_table
from trueness.studies.robustness.tables import choice_table, optimism_table, ranking_table

MOST_REASONS = 8
FINDINGS = ("differences", "degradation", "invariance", "signal and corruption")


def print_robustness(out: Console, study: RobustnessStudy) -> None:
    evaluation, wide = study.evaluation, not out.is_terminal  # a line of a file is not broken
    kinds = f"{len(evaluation.systems)} systems, {len(evaluation.tested)} corruptions, {len(evaluation.named)} scorers"
    out.print(f"[bold]robustness[/]   {kinds}, {study.done:,} of {study.planned:,} fits done")
    if not study.done:
        return
    print_table(out, "AUPRC: no K", ranking_table(study))
    print_table(out, f"SHD and F1 at one K, frozen from {evaluation.validation} (oracle)", main_table(evaluation))
    print_table(out, f"F1 at K, under {', '.join(evaluation.tests)}", choice_table(study))
    print_table(out, "optimism of oracle_k: F1 at oracle_k - F1 at k_from_other_graphs", optimism_table(study))
    for heading in FINDINGS:
        for sentence in study.findings[heading]:
            out.print(f"  {plain(sentence)}", soft_wrap=wide)
    told = [
        f"[value, CI]: {100 * evaluation.level:g} % t intervals over graphs.  oracle_k saw the truth that it is scored "
        f"against; k_from_other_graphs those of other graphs; both on {evaluation.validation}.",
        *study.notes,
    ]
    for line in told:
        out.print(f"  {plain(line)}", style="dim", soft_wrap=wide)
    for line in study.failures()[:MOST_REASONS]:
        out.print(f"  {plain(line)}", style="yellow", soft_wrap=wide)


def print_table(out: Console, title: str, table: Table) -> None:
    """Columns that the terminal has no room for stand below, under the names of the rows again."""
    if not table.rows:
        return
    cells = table.cells()
    widths = [max(len(c.title), *(len(row[k]) for row in cells)) + 2 for k, c in enumerate(table.columns)]
    names = [k for k, column in enumerate(table.columns) if column.kind == "text"]
    parts: list[list[int]] = [[]]
    for k in (k for k in range(len(table.columns)) if k not in names):
        room = out.width - sum(widths[n] for n in names) - sum(widths[n] for n in parts[-1])
        if parts[-1] and widths[k] > room:
            parts.append([])
        parts[-1].append(k)
    for number, part in enumerate(parts):
        out.print(table.to_rich(title if number == 0 else "", [*names, *part]))
