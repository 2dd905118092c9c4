"""`trueness analyse` on the same page: findings and red flags first, then every table. One file, nothing loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from trueness import __version__
from trueness.analyse import documents
from trueness.analyse.scores_analysis import ScoresAnalysis
from trueness.outside import Json
from trueness.page.page import html_of
from trueness.showing import blocks
from trueness.showing.saving import Figure, csv_text

_TABLES = {
    "conditions": "Means",
    "contrasts": "Contrasts",
    "otherwise": "Read otherwise",
    "by_rule": "By rule",
    "by_model": "By model",
    "by_family": "By family",
}


def as_html(analysis: ScoresAnalysis, drawings: Mapping[str, tuple[Figure, str]] | None = None) -> str:
    """The analysis as one self-contained page. drawings: the figures that were drawn, with their SVG."""
    charts = [
        {"name": name, "title": name, "svg": svg, "caption": figure.caption, "csv": csv_text(figure.frame), "files": {}}
        for name, (figure, svg) in (drawings or {}).items()
    ]
    document = documents.as_dict(analysis)
    domains = document["domains"]
    head = {
        "study": "Analysis",
        "folder": ", ".join(domain["domain"] for domain in domains),
        "version": __version__,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "tasks": [],
    }
    data = {
        "overview": {
            "tasks": [_overview(document)],
            "completeness": [],
            "provenance": {},
            "seed": None,
        },
        "progress": {"tasks": [], "cost": None, "latest": [], "version": ""},
        "figures": charts,
        "analysis": [{"task": domain["domain"], "parts": list(_parts(domain))} for domain in domains],
    }
    tabs = ["overview", "analysis", *(["figures"] if charts else [])]
    return html_of({"served": False, "head": head, "tabs": tabs, "sample": "", "data": data})


def _overview(document: Mapping[str, Json]) -> dict[str, Json]:
    domains = document["domains"]
    understood = [f"{domain['domain']}: {'; '.join(domain['understood'])}" for domain in domains]
    flags = [flag for domain in domains for flag in domain["red_flags"]]
    return {
        "task": "analysis",
        "checks": [
            {
                "name": flag["name"],
                "passed": {"raised": False, "clear": True}.get(flag["state"]),  # neither where it was not checked
                "sentence": f"{flag['domain']}: {'not checked: ' * (flag['state'] == 'not checked')}{flag['evidence']}",
            }
            for flag in flags
        ],
        "sections": [
            {"title": "findings", "sentences": document["findings"]},
            {"title": "what was understood", "sentences": [*understood, *document["notes"]]},
        ],
        "untold": list(_open(domains)),
        "forest": [line for domain in domains for line in _forest(domain["contrasts"])],
    }


def _open(domains: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    """How small a q so few units allow, and for whom the verdicts hold."""
    made = [row for domain in domains for row in domain["contrasts"]]
    for row in made:
        if row["q_least"] is not None:
            yield (
                f"{row['domain']}: with {row['n_units']} cells in {row['n_clusters']} clusters and "
                f"{row['n_comparisons']} comparisons no effect alone can go below {row['q_least']:.2g}."
            )
    for scope in dict.fromkeys(row["scope"] for row in made):
        yield f"The verdicts hold for {scope}; q_beyond is over models and tasks like these."


def _forest(contrasts: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
    """The paired differences that have an interval."""
    return [
        {
            "label": f"{row['domain']}: {row['treatment']} against {row['reference']}",
            "value": row["diff"], "low": row["diff_low"], "high": row["diff_high"],
        }
        for row in contrasts
        if row.get("diff") is not None and row.get("diff_low") is not None
    ]  # fmt: skip


def _parts(domain: Mapping[str, Json]) -> Sequence[dict[str, Json]]:
    return [
        {
            "name": f"{domain['domain']}: {title.lower()}",
            "sentences": [],
            "told": True,
            "tables": [blocks.table("", domain[name])],
        }
        for name, title in _TABLES.items()
        if domain[name]
    ]
