"""docs/gallery.md and docs/pictures/: every chart with the question it answers, from small simulated studies.

    python tools/gallery.py            (make docs)

Nothing is asked of a model that is not scripted, nothing is downloaded.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from trueness.running.results import Results
from trueness.running.study import Plan, Study
from trueness.showing.drawers import pictures as drawn
from trueness.showing.saving import Figure, source_of, write_pictures
from trueness.studies import charts
from trueness.studies.discovery.reading import DiscoveryReading
from trueness.studies.faithfulness.answers import read_faithfulness
from trueness.studies.population.answers import read_populations
from trueness.studies.robustness.answers import read_robustness
from trueness.studies.robustness.charts import panels_of, sensitivity_panels

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"

DISCOVERY = """
seed = 3
[discovery]
datasets = ["asia", "cancer", "survey", "sachs"]
learners = ["pc", "ges", "notears", "random"]
runs = 20
rows = 500
codes = true
"""
ROBUSTNESS = """
seed = 1
[robustness]
datasets = ["series"]
corruptions = ["clean", "mcar_40", "compound_full_decoy"]
scorers = ["granger", "correlation", "notears"]
seeds = 2
rows = 200
validation = "compound_full_decoy"
match = "granger"
subsamples = 3
k_seeds = 1
[robustness.notears]
sweep.lambda1 = [0.005, 0.02, 0.1, 0.3]
[datasets.series]
kind = "var"
graphs = 4
nodes = 6
lags = 1
"""
FAITHFULNESS = """
seed = 7
[faithfulness]
problems = ["physics", "finance", "chemistry", "everyday"]
corrupt = true
judges = ["mock/judge"]
judged = 2
repeats = 2
[models."mock/judge"]
script = "judge.jsonl"
"""
POPULATION = """
seed = 5
[population]
models = ["mock/close", "mock/even"]
tasks = ["tasks.toml"]
modes = ["distribution"]
[models."mock/close"]
script = "close.jsonl"
[models."mock/even"]
script = "even.jsonl"
"""
TASKS = """
[defaults]
data = "people.csv"
source = "a simulated survey"
modes = ["distribution"]
[defaults.population]
who = "people"
country = "Atlantis"
[variables.vehicle]
levels = ["car", "bus", "bicycle"]
[variables.age]
bins = [18, 45]
[tasks.vehicle_by_age]
variables = ["vehicle", "age"]
prompt = "How does a person aged {} go to work?"
"""
TASK = "vehicle_by_age"
SHARES = {"18-44": (0.35, 0.40, 0.25), "45 or more": (0.65, 0.25, 0.10)}
LEVELS = ("car", "bus", "bicycle")

BESIDE = """## Beside the charts
- `plots/results_summary.csv .tex .md`: what the learners did; decimals by the width of the intervals, bold only where
  the best can be told apart.
- `paper/draft.tex`, `tables/`, `figures/`: checks, methods (from the plan: data, learners, measures, prompts, settings,
  versions, seed), results and figures; a plain article with booktabs and graphicx.
- `report.pdf`: the same on A4 pages, made without TeX.

In a notebook, studies, results, intervals, statistics, tables, figures and graphs show themselves.

[All pages](index.md)
"""
QUESTIONS = {
    "intervals": "Did models know what the learners would do? Does a claimed bar cross the black line?",
    "runs": "How are the runs spread, and where do the claims lie?",
    "heatmap": "Where did claims meet what was measured, and where is nothing to average?",
    "calibration": "Do ranges that say 95 % hold 95 %?",
    "measured": "What did the learners do, and how much do single runs differ?",
    "ranks_learners": "Which learner is better, and can so few data sets tell?",
    "distribution": "Do a model's beliefs about a population agree with its microdata?",
    "probes": "Do measures of faithful reasoning tell right graphs from damaged ones?",
    "sensitivity": "How much do F1 and SHD depend on how many edges are kept?",
    "k_lambda": "Does the best K move with a setting of the learner?",
}


def main() -> None:
    pictures, found = DOCS / "pictures", {}
    with tempfile.TemporaryDirectory() as place:
        for name, make in makers(Path(place)):
            figure = found[name] = make()
            write_pictures(pictures, name, drawn(source_of(figure.chart), ("svg",)), figure.caption)
    (DOCS / "gallery.md").write_text(page(found), encoding="utf-8")


def page(found: dict[str, Figure]) -> str:
    lines = [
        "# Gallery",
        "",
        "Every chart, the question it answers, and the caption it writes itself, from small simulated studies",
        "(`make docs`). A study's own charts are in its `plots/` (or `robustness/`), each as PNG, SVG and PDF with its",
        "numbers as CSV; for another program take the frame: `charts.intervals_frame(...)`.",
        "",
    ]
    for name, question in QUESTIONS.items():
        picture = f"![{name}](pictures/{name}.svg)"
        lines += [f"## `{name}`", f"**{question}**", "", picture, "", found[name].caption, ""]
    return "\n".join([*lines, BESIDE])


def makers(place: Path) -> Iterator[tuple[str, Callable[[], Figure]]]:
    """Each chart as a call that draws it, once its study is there."""
    sys.path.insert(0, str(ROOT))
    from tests.forecast.example import example  # a simulated study; only tests and this page need it

    forecasts = example(seed=3, repeats=3)
    yield "intervals", lambda: charts.intervals(forecasts, "f1")
    yield "runs", lambda: charts.runs(forecasts, "f1")
    yield "heatmap", lambda: charts.heatmap(forecasts, "overlaps_mean_ci")
    yield "calibration", lambda: charts.calibration(forecasts)
    results = Results.read(run(DISCOVERY, place / "discovery"))
    yield "measured", lambda: charts.measured(results)
    yield "ranks_learners", lambda: list(DiscoveryReading(results).figures(place))[-1]
    write_survey(place)
    populations = read_populations(run(POPULATION, place / "people", place))
    yield "distribution", lambda: charts.distribution(populations, TASK)
    faithfulness = read_faithfulness(run(FAITHFULNESS, place / "faithfulness", DOCS.parent / "examples"))
    yield "probes", lambda: charts.probes(faithfulness)
    evaluation = read_robustness(run(ROBUSTNESS, place / "robustness")).evaluation
    worst = evaluation.validation
    yield "sensitivity", lambda: sensitivity_panels(panels_of(evaluation, worst), worst)
    yield "k_lambda", lambda: charts.k_lambda(evaluation, "notears", "series")


def run(plan: str, folder: Path, base: Path = Path()) -> Path:
    with ThreadPoolExecutor(1) as executor:
        Study(Plan.parse(plan, "gallery.toml", base, folder)).run(executor, 1)
    return folder


def write_survey(place: Path) -> None:
    """600 people, and two models that claim shares: one close to the truth, one that knows nothing."""
    rows = ["vehicle,age"]
    for age, shares in zip((30, 60), SHARES.values(), strict=True):
        rows += [f"{level},{age}" for level, p in zip(LEVELS, shares, strict=True) for _ in range(round(300 * p))]
    (place / "people.csv").write_text("\n".join(rows))
    (place / "tasks.toml").write_text(TASKS)
    for name, off in (("close", 0.05), ("even", None)):
        entries = []
        for age, shares in SHARES.items():
            claim = [1 / 3] * 3 if off is None else [shares[0] + off, shares[1] - off, shares[2]]
            reply = json.dumps({level: round(100 * p, 1) for level, p in zip(LEVELS, claim, strict=True)})
            entries.append(json.dumps({"match": [f"aged {age}"], "reply": reply}))
        (place / f"{name}.jsonl").write_text("\n".join(entries))


if __name__ == "__main__":
    main()
