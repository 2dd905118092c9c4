"""What a faithfulness study says: what was found, and what its design leaves open."""

from __future__ import annotations

from trueness.showing import finding
from trueness.studies.faithfulness.answers import FaithfulnessStudy


def told_and_open(study: FaithfulnessStudy) -> tuple[list[str], list[str]]:
    findings, left = finding.told_and_open(study.sentences())
    if not study.criteria:
        left.append("No answer is labelled right or wrong: whether cf and its parts tell them apart is not checked.")
    return findings, [*left, "Problems were written or chosen by people: cf of other problems may be another one."]
