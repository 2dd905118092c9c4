"""docs/index.md: what to read for which question, a line a page.

    python tools/docs_index.py            (make docs)

A page that no question below leads to stands at the end, under its own title, so that none is lost.
"""

from __future__ import annotations

import json
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"

QUESTIONS: dict[str, dict[str, str]] = {
    "Learn it": {
        "tutorials/paper.md": "I want to write a paper: from an empty folder to tables, figures and a PDF.",
        "tutorials/which-algorithm.md": "I have a table: what is its graph, and which algorithm should I trust on it?",
        "tutorials/messy-table.md": "I have a messy CSV, with words and gaps: which edges can I defend?",
        "tutorials/population.md": "I have survey microdata: does a model know this population?",
        "notebooks/a-graph-you-can-defend.ipynb": "And in a notebook: learn a graph, score it, doubt it?",
        "notebooks/a-scores-table.ipynb": "And in a notebook: what does a scores table say?",
    },
    "Use it": {
        "learn.md": "What does `trueness learn` do with my table, and how well does it do it?",
        "atlas.md": "What will an algorithm do on a table like mine, said in a second?",
        "tables.md": "I have a messy CSV and no graph: how do I get from there to edges?",
        "cli.md": "Which commands and options are there, which exit codes, which variables of the environment?",
        "api.md": "Which names does `import trueness` offer, with which arguments?",
        "models.md": "How is a model named, what does it need, what does its reply hold; how do I script one?",
        "analyse.md": "I have a scores table of some benchmark: what may be concluded from it?",
        "inspect.md": "I have logs of Inspect: what can be read from them?",
        "view.md": "What does the page of a study show, and is it safe to open?",
        "gallery.md": "What charts are there, and which question does each answer?",
        "clusters.md": "How do I run a study on SLURM, Kubernetes or in the cloud?",
        "reading.md": "How is a written reply turned into numbers, and how often does that go wrong?",
    },
    "Know what each study computes": {
        "forecast.md": "Does a model know what an algorithm will do?",
        "population.md": "Does a model know real distributions?",
        "faithfulness.md": "Does reasoning depend on what it says it depends on?",
        "robustness.md": "What do corrupted data do to a learner, and how many edges should be kept?",
        "rcgnn.md": "Which scorers are there, and how good is RC-GNN?",
    },
    "Judge it": {
        "statistics.md": "Which test when, by which formula, from which paper, and what does it hold?",
        "documents.md": "Where is what the original documents describe, and what was changed on purpose?",
        "mistakes.md": "What did the original protocols get wrong, and how is each mistake handled here?",
        "equality.md": "Do our learners give the graphs of the reference implementations?",
        "benchmarks.md": "How fast is it, and how good are its graphs beside those of other programs?",
        "reliability.md": "What happens when processes are killed, disks are full, clusters are lost?",
        "hostile.md": "What can a file of a stranger do, and how large may each file be?",
        "scale.md": "How large may a study be?",
        "glossary.md": "What does this word mean?",
    },
    "Extend it": {
        "adding.md": "How do I add a learner, a model, a task or a data set, in one file?",
        "../CONTRIBUTING.md": "How is the code laid out, and what does a change need?",
    },
}

HEAD = """# Documentation

What to read for which question. Every command and every block of code on these pages is run by the tests, or says why
not (`pytest tests/docs -rs` lists those). This page is made by `make docs`.
"""


def main() -> None:
    (DOCS / "index.md").write_text(page(), encoding="utf-8")


def page() -> str:
    there = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))
    listed = {name for pages in QUESTIONS.values() for name in pages}
    lines = [HEAD]
    for heading, pages in QUESTIONS.items():
        lines += [f"## {heading}", "", "| question | page |", "|---|---|"]
        known = {name: question for name, question in pages.items() if (DOCS / name).is_file()}
        lines += [f"| {question} | [{title(name)}]({name}) |" for name, question in known.items()]
        lines.append("")
    rest = [name for name in there if name not in listed and name != "index.md"]
    lines += ["## More", "", *(f"- [{title(name)}]({name})" for name in rest), ""] if rest else []
    lines.append("[README](../README.md)")
    return "\n".join(lines) + "\n"


def title(name: str) -> str:
    """The first heading of a page or notebook."""
    text = (DOCS / name).read_text(encoding="utf-8")
    if name.endswith(".ipynb"):
        text = "".join(json.loads(text)["cells"][0]["source"])
    return next(line.removeprefix("# ") for line in text.splitlines() if line.startswith("# "))


if __name__ == "__main__":
    main()
