"""The files of a robustness study, all of which can be written again from its store.

robustness/evaluation_report.json              everything below as one document
robustness/sensitivity_curve_{corruption}.png  F1 and SHD against K (.svg .pdf, its numbers as .csv)
robustness/degradation.png                     AUPRC against strength
robustness/k_lambda_{scorer}_{group}.png       F1 for every K and value of a swept setting
robustness/ranking.csv .tex, main.csv .tex, k.csv .tex, around_k.csv .tex, optimism.csv .tex       the tables
robustness/a_sparse.csv                        the edges that each fit keeps at the frozen K
robustness/k_chosen.csv                        every K that looked at a truth, with its interval over seeds
robustness/scores.csv                          every fit: AUPRC, AUROC, of ordered and of unordered pairs
robustness/chosen.csv                          every fit and K: F1, SHD, precision, recall
robustness/differences.csv, degradation.csv, plateaus.csv, invariance.csv, disentanglement.csv, expected_edges.csv
robustness/findings.txt                        all of it in sentences
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from trueness.files import write_atomically
from trueness.running.store import to_json
from trueness.showing.saving import Figure, Save, csv_text, plain, plain_records, save_figure
from trueness.studies.robustness import tables
from trueness.studies.robustness.answers import RobustnessStudy
from trueness.studies.robustness.calibration import (
    calibration,
    curve_lists,
    frozen_means,
    main_table,
    sparse_frame,
)
from trueness.studies.robustness.chart_degradation import degradation as degradation_figure
from trueness.studies.robustness.chart_k_lambda import k_lambda
from trueness.studies.robustness.chart_sensitivity import Panel, sensitivity_panels
from trueness.studies.robustness.choose_k import KChoice
from trueness.studies.robustness.invariance import disentanglement, expected_edges, invariance
from trueness.studies.robustness.scores import ORACLE, OTHERS, RobustnessScores
from trueness.studies.robustness.sensitivity import SensitivityCurve, original_range
from trueness.studies.robustness.summaries import (
    ALL,
    chosen_means,
    degradation,
    differences,
    means,
    optimism,
    optimism_places,
    plateaus,
)


def write_robustness_tree(folder: Path, study: RobustnessStudy, save: Save = save_figure) -> list[Path]:
    """Write all of it below `folder`; what was written."""
    written = [path for figure in plots(study.evaluation) for path in save(figure, folder, "robustness")]
    for name, text in texts(study).items():
        written.append(write_atomically(folder, f"robustness/{name}", text))
    return written


def texts(study: RobustnessStudy) -> dict[str, str]:
    """File below robustness/ -> text."""
    evaluation = study.evaluation
    by_file = {"evaluation_report.json": to_json(report(study)), "findings.txt": findings_text(study)}
    for name, table in (
        ("ranking", tables.ranking_table(study)),
        ("main", main_table(evaluation)),
        ("k", tables.choice_table(study)),
        ("around_k", tables.around_table(study)),
        ("optimism", tables.optimism_table(study)),
    ):
        by_file |= {f"{name}.csv": table.to_csv(), f"{name}.tex": table.to_latex()}
    return by_file | {f"{name}.csv": csv_text(frame) for name, frame in frames(evaluation, study).items() if len(frame)}


def frames(evaluation: RobustnessScores, study: RobustnessStudy) -> dict[str, pd.DataFrame]:
    """The long numbers behind the tables, by file name."""
    return {
        "scores": evaluation.ranking,
        "chosen": evaluation.at_chosen_k,
        "k_chosen": chosen_frame(evaluation),
        "a_sparse": sparse_frame(evaluation),
        "differences": tables.differences_frame(evaluation),
        "degradation": degradation(evaluation),
        "plateaus": plateaus(evaluation),
        "invariance": invariance(evaluation),
        "disentanglement": disentanglement(evaluation),
        "expected_edges": expected_edges(evaluation, study.expected),
    }


def chosen_frame(evaluation: RobustnessScores) -> pd.DataFrame:
    """One row a data set, scorer and K that looked at a truth."""
    rows: list[dict[str, object]] = [
        {"dataset": dataset, **choice.row()}
        for (dataset, _), choices in evaluation.by_truths.items()
        for choice in choices.values()
    ]
    return pd.DataFrame(rows)


def report(study: RobustnessStudy) -> dict[str, object]:
    """evaluation_report.json."""
    evaluation = study.evaluation
    return {
        "study": study.study,
        "seed": study.seed,
        "fits": {"planned": study.planned, "done": study.fits_done, "failures": study.failures()},
        "level": evaluation.level,
        "validation_corruption": evaluation.validation,
        "test_corruptions": list(evaluation.tests),
        "matched_to": evaluation.match,
        "budget": dict(study.budget),
        "notes": list(study.notes),
        "systems": {
            name: {
                "group": system.group, "truth": system.believed, "nodes": len(system.truth), "rows": system.rows,
                "edges": [str(edge) for edge in system.truth.edges],
                "original_k_range": list(original_range(system.truth.n_edges(), len(system.truth))),
            }
            for name, system in evaluation.systems.items()
        },
        "corruptions": {
            name: {"steps": list(v.steps), "strength": v.factor, "uses_graph": v.uses_graph, "labels": list(v.labels)}
            for name, v in evaluation.corruptions.items()
        },
        "scorers": {name: dict(card) for name, card in study.scorers.items()},
        "calibration": {name: plain(at_k) for name in evaluation.systems if (at_k := calibration(evaluation, name))},
        "main": plain_records(frozen_means(evaluation)),
        "sensitivity_curves": plain(curve_lists(evaluation)),
        "auprc": plain_records(means(evaluation)),
        "auroc": plain_records(means(evaluation, "auroc")),
        "edges_kept": plain_records(chosen_means(evaluation)),
        "k_by_truths": [
            {"dataset": dataset, **choice.row()}
            for (dataset, _), chosen in evaluation.by_truths.items()
            for choice in chosen.values()
        ],
        "optimism_of_oracle_k": [
            {"group": group, "scorer": scorer, "on_validation": where} | gap.row() | {"sentence": gap.sentence()}
            for where in optimism_places(evaluation)
            for (group, scorer), gap in optimism(evaluation, where).items()
        ],
        "differences": {
            group: [pair.row() | {"sentence": pair.sentence()} for pair in pairs]
            for group, pairs in differences(evaluation, ALL).items()
        },
        "degradation": plain_records(degradation(evaluation)),
        "robustness_of_k": plain_records(plateaus(evaluation)),
        "invariance": plain_records(invariance(evaluation)),
        "disentanglement": plain_records(disentanglement(evaluation)),
        "expected_edges": plain_records(expected_edges(evaluation, study.expected)),
        "findings": study.findings,
    }  # fmt: skip


def findings_text(study: RobustnessStudy) -> str:
    parts = [
        f"{heading}\n" + "\n".join(f"- {line}" for line in lines) for heading, lines in study.findings.items() if lines
    ]
    notes = [*study.notes, *study.failures()]
    if notes:
        parts.append("notes\n" + "\n".join(f"- {note}" for note in notes))
    return "\n\n".join(parts) + "\n"


def plots(evaluation: RobustnessScores) -> Iterator[Figure]:
    for corruption in evaluation.full_strength:
        panels = sensitivity_of(evaluation, corruption)
        if panels:
            yield sensitivity_panels(panels, corruption)
    if len(degradation(evaluation)):
        yield degradation_figure(evaluation)
    for scorer in dict.fromkeys(whose for whose, _, _ in evaluation.sweeps.values()):
        for group in evaluation.groups:
            figure = k_lambda(evaluation, scorer, group)
            if len(figure.frame):
                yield figure


def sensitivity_of(evaluation: RobustnessScores, corruption: str) -> dict[str, Panel]:
    """A panel a group and size: curves with the graph of each, and two K of the scorer that others are matched to."""
    kinds: dict[tuple[str, int], dict[str, tuple[list[SensitivityCurve], list[str]]]] = {}
    for (dataset, name, scorer, _), curve in evaluation.curves.items():
        if name == corruption and scorer in evaluation.scorers_compared:
            kind = (evaluation.systems[dataset].group, curve.nodes)
            curves, graphs = kinds.setdefault(kind, {}).setdefault(scorer, ([], []))
            curves.append(curve)
            graphs.append(dataset)
    panels = {}
    for (group, nodes), by_scorer in kinds.items():
        title = f"{group}, d = {nodes}" if len(kinds) > 1 else ""
        ordered = {name: by_scorer[name] for name in evaluation.scorers_compared if name in by_scorer}
        of = {name: pair[1] for name, pair in ordered.items()}
        panels[title] = Panel({name: pair[0] for name, pair in ordered.items()}, _median_choices(evaluation, of), of)
    return panels


def _median_choices(evaluation: RobustnessScores, graphs: dict[str, list[str]]) -> list[KChoice]:
    """The median K over the graphs of a panel, by the oracle and from other graphs."""
    whose = evaluation.match if evaluation.match in graphs else next(iter(graphs))
    medians = []
    for method in (ORACLE, OTHERS):
        chosen = [evaluation.by_truths.get((name, whose), {}).get(method) for name in dict.fromkeys(graphs[whose])]
        there = [choice for choice in chosen if choice is not None]
        if there:
            k = round(float(np.median([choice.k for choice in there])))
            medians.append(KChoice(k, method, there[0].uses, whose))
    return medians
