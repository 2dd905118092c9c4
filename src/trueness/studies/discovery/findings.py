"""What a discovery study says beside what every study of runs says (run_findings.py): whether it is whole."""

from __future__ import annotations

from trueness.running.results import Results


def completeness_sentences(results: Results) -> list[str]:
    """Whether every planned run is there; a sentence a cell of those that are not whole."""
    counts = results.completeness()
    incomplete = []
    for row in counts:
        others = {key: n for key, n in row.items() if key not in ("item", "respondent", "planned", "ok")}
        if others:
            how = ", ".join(f"{status} {n}" for status, n in others.items())
            incomplete.append(f"{row['respondent']} on {row['item']}: {row['ok']} of {row['planned']} runs ok; {how}.")
    planned, done = (sum(row[key] for row in counts) for key in ("planned", "ok"))
    return [f"{done:,} of {planned:,} runs that were planned gave a graph.", *incomplete]
