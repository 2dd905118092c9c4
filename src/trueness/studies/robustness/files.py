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

from pathlib import Path

import pandas as pd

from trueness.files import write_atomically
from trueness.running.store import to_json
from trueness.showing.saving import Save, csv_text, plain, plain_records, save_figure
from trueness.studies.robustness import tables
from trueness.studies.robustness.answers import RobustnessStudy
from trueness.studies.robustness.calibration import (
    calibration,
    curve_lists,
    frozen_means,
    main_table,
    sparse_frame,
)
from trueness.studies.robustness.charts import figures
from trueness.studies.robustness.invariance import disentanglement, expected_edges, invariance
from trueness.studies.robustness.scores import RobustnessScores
from trueness.studies.robustness.sensitivity import original_range
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
    written = [path for figure in figures(study.evaluation) for path in save(figure, folder, "robustness")]
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
