"""What the terminal shows of a robustness study: scorers by corruptions, F1 at each K, what the oracle gains, notes."""

from __future__ import annotations

from functools import partial

from trueness.showing.console import Console, plain
from trueness.showing.sheet import print_table
from trueness.studies.robustness.answers import RobustnessStudy
from trueness.studies.robustness.calibration import main_table
from trueness.studies.robustness.sensitivity import AROUND
from trueness.studies.robustness.tables import around_table, choice_table, optimism_table, ranking_table

MOST_REASONS = 8
FINDINGS = ("differences", "degradation", "invariance", "signal and corruption", "expected edges")


def print_robustness(out: Console, study: RobustnessStudy) -> None:
    evaluation, wide = study.evaluation, not out.is_terminal  # a line of a file is not broken
    kinds = f"{len(evaluation.systems)} systems, {len(evaluation.full_strength)} corruptions"
    scorers = f"{len(evaluation.scorers_compared)} scorers"
    out.print(f"[bold]robustness[/]   {kinds}, {scorers}, {study.fits_done:,} of {study.planned:,} fits done")
    if not study.fits_done:
        return
    tell = partial(print_table, out, place="the CSV files in robustness/")
    tell("AUPRC: no K", ranking_table(study))
    tell(f"SHD and F1 at one K, frozen from {evaluation.validation} (oracle)", main_table(evaluation))
    tell(f"F1 at K, under {', '.join(evaluation.tests)}", choice_table(study))
    shown = ("group", "scorer", "k", "value", "verdict")
    around = around_table(study)
    steps = [column.key for column in around.columns if column.key not in shown]
    outer = [(steps[k], steps[-1 - k]) for k in range(len(steps) // 2)]  # the farthest from K go first
    tell(f"F1 at K - {AROUND} ... K + {AROUND}, under {evaluation.validation} (oracle)", around, drop=outer)
    tell("optimism of oracle_k: F1 at oracle_k - F1 at k_from_other_graphs", optimism_table(study))
    for heading in FINDINGS:
        for sentence in study.findings[heading]:
            out.print(f"  {plain(sentence)}", soft_wrap=wide)
    notes = [
        f"[value, CI]: {evaluation.intervals()}.  oracle_k saw the truth that it is scored "
        f"against; k_from_other_graphs those of other graphs; both on {evaluation.validation}.",
        *study.notes,
    ]
    for line in notes:
        out.print(f"  {plain(line)}", style="dim", soft_wrap=wide)
    for line in study.failures()[:MOST_REASONS]:
        out.print(f"  {plain(line)}", style="yellow", soft_wrap=wide)
