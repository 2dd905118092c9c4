"""A file of a stranger, damaged at will, is read or refused in one line: no crash, no hang, whatever stands in it."""

import gzip
import io
import json
import zipfile

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, given, settings

from tests.datasets.xport import write_xport
from tests.each import each
from tests.hostile.attack import damaged, survives
from trueness.analyse.analysis_settings import AnalysisSettings
from trueness.analyse.loading import read_tables
from trueness.datasets import load
from trueness.datasets.frames import read_rows
from trueness.datasets.networks import network_of_file
from trueness.datasets.surveys import open_microdata
from trueness.datasets.table import check_usable
from trueness.graphs import Graph
from trueness.graphs.formats import read_graph, to_json
from trueness.models.mock import read_script
from trueness.reading.expected import readings_of
from trueness.reasoning.problems import read_problems
from trueness.running.study import foreign_plan
from trueness.studies.forecast.references import read_experts
from trueness.studies.population.questions import read_questions

FEW = settings(max_examples=32, derandomize=True, database=None, suppress_health_check=list(HealthCheck))

GRAPHS = [
    Graph.from_edges(["a -> b", "b -> c", "a -> c"]),
    Graph.from_edges(["a -- b", "b -> c"], kind="cpdag"),
    Graph.from_edges(["a o-> b", "b <-> c", "c o-o d"]),
    Graph.from_matrix([[0, 0.5], [0, 0]], ["x y", 'z"q'], direction="row to column", kind="weighted"),
]
BIF = b"""network n { }
variable a { type discrete [ 2 ] { no, yes }; }
variable b { type discrete [ 2 ] { no, yes }; }
probability ( a ) { table 0.5, 0.5; }
probability ( b | a ) { (no) 0.1, 0.9; (yes) 0.5, 0.5; }
"""
TABLE = b"a,b,c\n" + b"\n".join(b"%.2f,%d,%s" % (k * 1.7 % 3, k % 4, b"uv"[k % 2 : k % 2 + 1]) for k in range(30))
SCORES = b"model,condition,task,repeat,score\n" + b"\n".join(
    b"m%d,%s,t%d,%d,%.1f" % (m, c, k, r, (m + k + r) % 3 / 2)
    for m in range(2)
    for c in (b"none", b"plan")
    for k in range(3)
    for r in range(2)
)
INSPECT = {
    "version": 2,
    "eval": {"task": "t", "model": "m", "metadata": {"condition": "none"}},
    "samples": [{"id": i, "epoch": 1, "scores": {"match": {"value": "CI"[i % 2]}}} for i in range(4)],
}
PROBLEM = {
    "id": "p", "problem_text": "F = 10 N acts on m = 2 kg.", "answer": {"value": 5, "unit": "m/s^2"},
    "dag": {"target_variable": "a", "knowns": {"F": "10 N", "m": "2 kg"}, "units": {"a": "m/s^2"},
            "causal_graph": [{"cause": ["F", "m"], "effect": "a", "rule": "a = F / m"}]},
}  # fmt: skip
TASKS = b"""[defaults]
data = "people.csv"
weight = "w"
[variables.age]
bins = [18, 30, 45]
top = 65
[tasks.sex_by_age]
variables = ["sex", "age"]
levels = [["male", "man"], {name = "female", values = [2]}]
prompt = "What is the sex of a person who is {} years old?"
replicate_weights = {prefix = "w", count = 3}
"""
EXPERTS = b"dataset,learner,measure,low,high,level,expert\nasia,pc,f1,0.5,0.7,0.95,ann\nasia,fci,shd,1,5,,bob\n"


def _parquet(**more):
    out = io.BytesIO()
    columns = {"a": np.arange(30.0), "b": [1, 2, 3] * 10, "c": ["u", "v", "w"] * 10, "d": [True, False] * 15}
    pd.DataFrame(columns | more).to_parquet(out)
    return out.getvalue()


def _archive():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"eval": INSPECT["eval"]}))
        archive.writestr("summaries.json", json.dumps(INSPECT["samples"]))
    return out.getvalue()


def _stata(folder):
    pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}).to_stata(folder / "seed.dta", write_index=False)
    return (folder / "seed.dta").read_bytes()


def _xport(folder):
    write_xport(folder / "seed.xpt", {"SEQN": [1, 2, None], "TXT": ["a", "bb", ""]})
    return (folder / "seed.xpt").read_bytes()


def rows(path):
    check_usable(read_rows(path))


def survey(path):
    opened = open_microdata(path.name, path.parent)
    opened.read(opened.columns[:2])


def network(path):
    found = network_of_file(path)
    found.draw(5, np.random.default_rng(0)), found.truth


def series(path):
    load("log", {"kind": "series", "data": path.name, "graph": "truth.dot", "drop": ["c"]}, path.parent)


READERS = {
    "graph.json": (read_graph, [to_json(graph).encode() for graph in GRAPHS]),
    "graph.dot": (read_graph, [graph.to_dot().encode() for graph in GRAPHS]),
    "graph.bif": (read_graph, [BIF]),
    "graph.csv": (read_graph, [b"source,target,weight\na,b,1\nb,c,2\n"]),
    "graph.json.gz": (read_graph, [gzip.compress(to_json(GRAPHS[0]).encode(), mtime=0)]),
    "network.bif": (network, [BIF]),
    "rows.csv": (rows, [TABLE, TABLE.replace(b",", b";")]),
    "rows.csv.gz": (rows, [gzip.compress(TABLE, mtime=0)]),
    "rows.parquet": (rows, [_parquet()]),
    "series.csv": (series, [TABLE]),
    "micro.csv": (survey, [TABLE]),
    "micro.parquet": (survey, [_parquet(e=[[1], None, [2]] * 10)]),
    "gss.dta": (survey, _stata),
    "nhanes.xpt": (survey, _xport),
    "tasks.toml": (read_questions, [TASKS]),
    "scores.csv": (lambda path: read_tables([path]), [SCORES]),
    "scores.parquet": (lambda path: read_tables([path]), [_parquet(e=[1, None, 3] * 10)]),
    "log.json": (lambda path: read_tables([path]), [json.dumps(INSPECT).encode()]),
    "log.jsonl": (lambda path: read_tables([path]), [b'{"model": "m", "score": 1}\n{"model": "n", "score": 0}\n']),
    "log.eval": (lambda path: read_tables([path]), [_archive()]),
    "analyse.toml": (
        AnalysisSettings.read,
        [b'files = ["a.csv"]\nexclude = ["model=x"]\nlevel = 0.9\nresamples = 500\n'],
    ),
    "experts.csv": (read_experts, [EXPERTS]),
    "problems.jsonl": (read_problems, [json.dumps(PROBLEM).encode()]),
    "replies.jsonl": (lambda path: list(readings_of(str(path))), [b'{"text": "precision: 0.5-0.6", "nodes": 8}\n']),
    "script.jsonl": (read_script, [b'{"match": ["a"], "reply": "x"}\n{"status": "failed"}\n']),
    "config.json": (
        foreign_plan,
        [b'{"experiments": {"datasets": ["asia"], "algorithms": ["PC"], "n_runs": 2, "llm_models": ["mock/vacuous"]}}'],
    ),
}


@each("name", READERS)
def test_a_damaged_file_is_read_or_refused_in_one_line(name, tmp_path):
    read, seeds = READERS[name]
    seeds = [seeds(tmp_path)] if callable(seeds) else seeds
    (tmp_path / "truth.dot").write_text("digraph { a -> b }")
    path = tmp_path / name

    @FEW
    @given(damaged(seeds))
    def attack(content):
        path.write_bytes(content)
        survives(read, path)

    for seed in seeds:  # undamaged, each is read
        path.write_bytes(seed)
        read(path)
    attack()
