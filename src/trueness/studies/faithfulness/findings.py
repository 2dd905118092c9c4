"""What a faithfulness study says: what was found, and what its design leaves open."""

from __future__ import annotations

from trueness.studies.faithfulness.answers import FaithfulnessStudy

_OPEN = ("is not known", "cannot be told", "no interval is known", "carry no information", "no interval.")


def told_and_open(study: FaithfulnessStudy) -> tuple[list[str], list[str]]:
    """The study's sentences: what was found, and what its design leaves open."""
    told: list[str] = []
    left: list[str] = []
    for sentence in study.sentences():
        (left if any(words in sentence for words in _OPEN) else told).append(sentence)
    left.append("Problems were written or chosen by people: cf of other problems may be another one.")
    return told, left
