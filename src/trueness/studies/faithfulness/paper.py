"""What the paper and the PDF say of a faithfulness study: methods, sentences, tables, and the figures drawn already."""

from __future__ import annotations

from pathlib import Path

from trueness.showing.drawn import read_pictures
from trueness.showing.methods_paragraph import listed
from trueness.showing.paper import Part
from trueness.studies.faithfulness import tables as faithfulness_tables
from trueness.studies.faithfulness.answers import FaithfulnessStudy
from trueness.studies.faithfulness.findings import by_default, findings_and_open
from trueness.texts import counted


def methods(study: FaithfulnessStudy) -> list[str]:
    copies = len(study.evaluations) - len(study.right)
    weights = listed(f"{name.replace('_', ' ')} {weight:g}" for name, weight in study.scoring.weights.items())
    return [
        f"Graphs of {counted(len(study.right), 'problem')} that hold; damaged copies of them: {copies:,}.",
        f"Judges: {listed(study.judges) or 'none; rules were executed'}. Models that wrote graphs of their own: "
        f"{listed(study.evaluated) or 'none'}.",
        f"cf is the weighted mean of its components (weights: {weights}); where execution and a judge both have a "
        f"value, the {study.scoring.prefer} one counts. "
        + (by_default(study) or "What could not be had is missing, never one half."),
    ]


def part(folder: Path, study: FaithfulnessStudy) -> Part:
    graphs = counted(len(study.right), "causal graph")
    abstract = f"We measure how faithfully {graphs} explain the answers they were written for."
    tables = [table for table in faithfulness_tables.all_tables(study) if table.rows]
    read = sum(judgement.verdict.status == "ok" for judgement in study.judgements)
    judged = f"{read:,} of {len(study.judgements):,} judgements were read" if study.judgements else "no judge was asked"
    checks = [f"Graphs scored: {len(study.evaluations):,}; {judged}."]
    findings, untold_ones = findings_and_open(study)
    sections = [("What was found", findings), ("What this design cannot tell", untold_ones)]
    pictures = read_pictures(folder, "plots", "probes")
    return Part("faithfulness", abstract, checks, methods(study), sections, tables, pictures)
