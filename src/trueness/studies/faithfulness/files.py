"""The files of a faithfulness study, all of which can be written again from its store.

faithfulness/{problem}.json       one report a problem, in the original's schema with our fields added
faithfulness/batch.json           the original's batch report over the right problems
faithfulness/components.csv .tex  cf and components: as scored, by execution, by each judge, of models' own graphs
faithfulness/methods.csv .tex     cf, components and right answers by method and file
faithfulness/accuracy.csv .tex    each measure against right answers: AUC and rank correlation
faithfulness/damaged.csv          cf and components of every damaged copy
faithfulness/known_groups.json    AUC of every measure and damage, with intervals and the sentence; also .csv and .tex
faithfulness/reliability.json     agreement of judges with themselves, each other and execution; also .csv and .tex
faithfulness/behaviour.csv .tex   does a model's answer move as its own graph says? with controls
faithfulness/pairs.csv            what the graph says and what the model did, one row per changed problem
faithfulness/own_graphs_{model}.jsonl   the graphs that a model wrote itself, as a problems file of another study
faithfulness/summary.txt          all of it in sentences
plots/probes, plots/pairs         all of it, and the pairs, as charts: .png .svg .pdf, their numbers as .csv
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from trueness.files import write_atomically
from trueness.reasoning.graph import Problem
from trueness.running.store import to_json
from trueness.showing.saving import Save, csv_text, safe_name, save_figure
from trueness.showing.tables import Table
from trueness.studies.faithfulness import tables
from trueness.studies.faithfulness.answers import FaithfulnessStudy
from trueness.studies.faithfulness.charts import pairs, probes
from trueness.studies.faithfulness.findings import sentences
from trueness.studies.faithfulness.known_groups import RIGHT, group_of
from trueness.studies.faithfulness.scores import COMPONENTS


def write_faithfulness_tree(folder: Path, study: FaithfulnessStudy, save: Save = save_figure) -> list[Path]:
    """Write all of it below `folder`; what was written."""
    written = save(probes(study), folder, "plots")
    written += save(pairs(study), folder, "plots") if study.behaviours else []
    for name, text in texts(study).items():
        written.append(write_atomically(folder, f"faithfulness/{name}", text))
    return written


def texts(study: FaithfulnessStudy) -> dict[str, str]:
    """File below faithfulness/ -> text."""
    by_file = {f"{safe_name(report.problem)}.json": to_json(report.to_dict()) for report in study.right}
    by_file["batch.json"] = to_json(study.batch.to_dict())
    by_file["summary.txt"] = "\n".join(sentences(study)) + "\n"
    by_file |= _table("components", tables.component_table(study))
    for name, table in (("methods", tables.method_table(study)), ("accuracy", tables.accuracy_table(study))):
        by_file |= _table(name, table) if table.rows else {}
    if study.separations:
        rows = [separation.row() | {"sentence": separation.finding()} for separation in study.separations]
        by_file["known_groups.json"] = to_json(rows)
        by_file["damaged.csv"] = csv_text(damaged_frame(study))
        by_file["known_groups.csv"] = csv_text(pd.DataFrame(rows))
        by_file["known_groups.tex"] = tables.group_table(study).to_latex()
    if study.reliability is not None:
        by_file["reliability.json"] = to_json(study.reliability.to_dict())
        by_file["reliability.csv"] = csv_text(pd.DataFrame(map(asdict, tables.judge_figures(study))))
        by_file["reliability.tex"] = tables.reliability_table(study).to_latex()
    if study.behaviours:
        by_file |= _table("behaviour", tables.behaviour_table(study))
        by_file["pairs.csv"] = csv_text(pd.DataFrame(tables.pair_rows(study)))
    for model in study.own_batches:
        lines = [json.dumps(problem.to_dict()) for problem in own_problems(study, model)]
        by_file[f"{safe_name('own_graphs', model)}.jsonl"] = "\n".join(lines) + "\n" if lines else ""
    return by_file


def _table(name: str, table: Table) -> dict[str, str]:
    return {f"{name}.csv": table.to_csv(), f"{name}.tex": table.to_latex()}


def own_problems(study: FaithfulnessStudy, model: str) -> list[Problem]:
    """The first graph that a model wrote for each problem, with its answer: another plan can judge them."""
    return [one.graph.problem for one in study.written if one.model == model and not one.repeat and one.graph.problem]


def damaged_frame(study: FaithfulnessStudy) -> pd.DataFrame:
    """One row a damaged copy."""
    rows = []
    for copy in study.evaluations:
        problem, group = group_of(copy.problem)
        if group != RIGHT:
            parts = {name: copy.components[name].value for name in COMPONENTS}
            ends = {"cf_low": copy.bounds[0], "cf_high": copy.bounds[1]}
            rows.append({"problem": problem, "damage": group, "cf": copy.cf, **ends, **parts, "status": copy.status})
    return pd.DataFrame(rows)
