"""The files of a faithfulness study, all of which can be written again from its store.

faithfulness/{problem}.json       one report a problem, in the original's schema with our fields added
faithfulness/batch.json           the original's batch report over the right problems
faithfulness/damaged.csv          cf and components of every damaged copy
faithfulness/known_groups.json    AUC of every measure, with intervals and the sentence
faithfulness/reliability.json     agreement of judges with themselves, each other and the executed graphs
faithfulness/counterfactual.json  changed problems: does the evaluated model's answer follow its graph?
faithfulness/summary.txt          all of it in sentences
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pandas as pd

from assay.faithfulness.known_groups import RIGHT, group_of
from assay.faithfulness.score import COMPONENTS
from assay.faithfulness_study import FaithfulnessStudy
from assay.report.saving import csv_text, safe_name
from assay.store import to_json, write_atomically


def write_faithfulness_tree(folder: Path, study: FaithfulnessStudy) -> list[Path]:
    """Write all of it below `folder`; what was written."""
    written = []
    for name, text in texts(study).items():
        write_atomically(folder / "faithfulness" / name, text)
        written.append(folder / "faithfulness" / name)
    return written


def texts(study: FaithfulnessStudy) -> dict[str, str]:
    """File below faithfulness/ -> text."""
    found = {f"{safe_name(report.problem)}.json": to_json(report.to_dict()) for report in study.right}
    found["batch.json"] = to_json(study.batch.to_dict())
    found["summary.txt"] = "\n".join(study.sentences()) + "\n"
    if study.separations:
        rows = [separation.row() | {"sentence": separation.sentence()} for separation in study.separations]
        found["known_groups.json"] = to_json(rows)
        found["damaged.csv"] = csv_text(damaged_frame(study))
    if study.reliability is not None:
        found["reliability.json"] = to_json(study.reliability.to_dict())
    if study.changed:
        following = {model: estimate.row() for model, estimate in study.following().items()}
        found["counterfactual.json"] = to_json(
            {"follows": following, "answers": [asdict(changed) for changed in study.changed]}
        )
    return found


def damaged_frame(study: FaithfulnessStudy) -> pd.DataFrame:
    """One row a damaged copy."""
    rows = []
    for found in study.evaluations:
        problem, group = group_of(found.problem)
        if group != RIGHT:
            parts = {name: found.components[name].value for name in COMPONENTS}
            ends = {"cf_low": found.bounds[0], "cf_high": found.bounds[1]}
            rows.append({"problem": problem, "damage": group, "cf": found.cf, **ends, **parts, "status": found.status})
    return pd.DataFrame(rows)
