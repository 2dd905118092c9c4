"""Our learners against the libraries': one thread, same process, same data, median of repeats, ratios with targets.

    python benchmarks/learners.py [--json] [--repeats 5] [--quick]

Data: asia n = 10,000, cancer 5,000, child 5,000 sampled; sachs 853 rows; synthetic-12 and synthetic-30 (Erdos-Renyi,
1.5 edges a node, Laplace noise, n = 1,000, standardised). alpha .05; NOTEARS lambda .1, threshold .3. Sachs is
continuous: the chi2 line uses it cut into terciles. LiNGAM and NOTEARS get level codes of the discrete sets.
A peer that is not installed is left out and said so; `make bench-learners` installs them all.
"""

import contextlib
import functools
import io
import logging
import math
import os
import statistics
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import harness  # first: it sets the number of threads
import numpy as np

from trueness.datasets import Table, load
from trueness.datasets.synthetic import Synthetic
from trueness.learners.stability import stability
from trueness.learners import build
from trueness.learners.batches import fit_resamples

DISCRETE = {"asia": 10_000, "cancer": 5_000, "child": 5_000}
SIX = ("asia", "cancer", "sachs", "child", "synthetic-12", "synthetic-30")
ALPHA, LAMBDA, THRESHOLD = 0.05, 0.1, 0.3
MOST_MEMORY = 600  # MB


def data(name):
    if name == "sachs":
        return load("sachs").table
    return load(name).draw(DISCRETE.get(name, 1000), np.random.default_rng(1))


def terciles(table):
    codes = np.stack([np.searchsorted(np.quantile(x, (1 / 3, 2 / 3)), x) for x in table.values.T], axis=1)
    return Table(table.names, codes, (("low", "middle", "high"),) * table.d, "sachs in terciles")


def timed(call, repeats, most=20.0):
    """Median CPU seconds of at most `repeats` calls after a first one; a slow peer is called once, within `most`."""
    first = harness.cpu_seconds(lambda: quietly(call))
    if first * repeats > most:
        return first
    return statistics.median(harness.cpu_seconds(lambda: quietly(call)) for _ in range(repeats))


def quietly(call):
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        call()


def pair(ours, peer, tables, repeats):
    """Seconds of ours and of the peer on each table."""
    found = {}
    for name, table in tables.items():
        ours.fit(table, np.random.default_rng(0))  # compiles
        mine = timed(lambda table=table: ours.fit(table, np.random.default_rng(0)), repeats * 4)
        theirs = timed(lambda table=table: peer(table), repeats)
        found[name] = (mine, theirs)
    return found


def geometric(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def mean_line(what, found, target, peer):
    ours, theirs = (geometric(times) for times in zip(*found.values(), strict=True))
    return harness.Line(f"{what}, geometric mean", ours, target, peer, theirs)


def each_line(what, found, peer, targets=None):
    for name, (mine, theirs) in found.items():
        yield harness.Line(f"{what} {name}", mine, (targets or {}).get(name), peer, theirs)


def adapter(name, **settings):
    learner = build(name, settings)
    return lambda table: learner.fit(table, np.random.default_rng(0))


def pc_lines(repeats, quick):
    exhaustive = build("pc", {"search": "exhaustive", "colliders": "separating set", "conflicts": "first"})
    discrete = {"asia": data("asia"), "cancer": data("cancer"), "sachs (terciles)": terciles(data("sachs"))}
    discrete |= {} if quick else {"child": data("child")}
    found = pair(exhaustive, adapter("causal-learn/pc"), discrete, repeats)
    yield from each_line("PC exhaustive chi2", found, "causal-learn", dict.fromkeys(found, 35))
    yield mean_line("PC exhaustive chi2", found, 70, "causal-learn")
    gaussian = {"synthetic-12": data("synthetic-12"), "synthetic-30": data("synthetic-30"), "sachs": data("sachs")}
    gaussian |= {} if quick else {"d = 100": Synthetic(nodes=100).draw(1000, np.random.default_rng(1))}
    found = pair(exhaustive, adapter("causal-learn/pc"), gaussian, repeats)
    yield from each_line(
        "PC exhaustive Fisher-z", found, "causal-learn", {"synthetic-12": 250, "synthetic-30": 600, "d = 100": 1500}
    )


def agrum_lines(repeats, quick):
    import pandas as pd
    import pyagrum

    def peer(table):
        frame = pd.DataFrame(table.values.astype(int), columns=table.names)
        learner = pyagrum.BNLearner(frame)
        learner.usePC()
        learner.useChi2Test()
        learner.setPCAlpha(ALPHA)
        learner.learnPDAG()

    tables = {"asia": data("asia")} | ({} if quick else {"child": data("child")})
    found = pair(build("pc", FOUR["pc"]), peer, tables, repeats)
    yield from each_line("PC stable chi2", found, "pyAgrum", {"asia": 40, "child": 6})


def fci_lines(repeats, quick):
    tables = {name: data(name) for name in SIX if not (quick and name == "child")}
    found = pair(build("fci", FOUR["fci"]), adapter("causal-learn/fci"), tables, repeats)
    yield from each_line("FCI", found, "causal-learn")
    yield mean_line("FCI", found, 50, "causal-learn")


def lingam_lines(repeats, quick):
    tables = {name: data(name).as_numbers() for name in SIX if not (quick and name in ("child", "synthetic-30"))}
    found = pair(build("lingam"), adapter("lingam/direct"), tables, repeats)
    yield from each_line("DirectLiNGAM", found, "lingam")
    yield mean_line("DirectLiNGAM", found, 25, "lingam")


def notears_lines(repeats, quick):
    os.environ.setdefault("CASTLE_BACKEND", "pytorch")
    logging.disable(logging.INFO)  # gcastle logs every step
    from castle.algorithms import Notears

    learner = build("notears", {"lambda1": LAMBDA, "w_threshold": THRESHOLD, "solver": "reference"})
    names = ("sachs", "synthetic-12") if quick else ("sachs", "synthetic-12", "synthetic-30")
    tables = {name: standardised(data(name)) for name in names}

    def peer(table):
        Notears(lambda1=LAMBDA, w_threshold=THRESHOLD).learn(np.array(table.values))

    found = pair(learner, peer, tables, repeats)
    yield from each_line("NOTEARS", found, "gcastle")
    yield mean_line("NOTEARS", found, 25, "gcastle")


def batch_lines(repeats, quick):
    """Resamples as a batch and one by one, to the same graphs; then all that `stability` does. A batch never loses."""
    tables = {"sachs": data("sachs"), "sachs (terciles)": terciles(data("sachs")), "asia": data("asia")}
    for learner in (*map(build, ("pc", "fci", "rfci")), build("ges", {"search": "plain"})):
        for where, table in tables.items():
            rng = np.random.default_rng(1)
            draws = rng.integers(table.n, size=(40 if quick else 200, table.n))
            batch = functools.partial(in_a_batch, learner, table, draws)
            alone = functools.partial(one_by_one, learner, table, draws)
            if batch() != alone():
                raise SystemExit(f"{learner.card.title} gives other graphs in a batch on {where}")
            ours, theirs = (timed(call, repeats) / len(draws) for call in (batch, alone))
            yield harness.Line(f"{learner.card.title}, a resample of {where} in a batch", ours, 1, "one by one", theirs)
    for title, settings in (("by the libraries' rules", FOUR["pc"]), ("as it is by default", {})):
        many = functools.partial(stability, build("pc", settings), tables["sachs"], 1000, rng=np.random.default_rng(0))
        yield harness.Line(f"stability of PC {title} on sachs, 1,000 resamples", timed(many, repeats), None)


def in_a_batch(learner, table, draws):
    return [run.answer for run in fit_resamples(learner, table, draws, [None] * len(draws))]


def one_by_one(learner, table, draws):
    return [learner.fit(table.rows(draw), None) for draw in draws]


def standardised(table):
    values = (table.values - table.values.mean(axis=0)) / table.values.std(axis=0)
    return Table(table.names, values, (None,) * table.d, table.source)


def pass_lines(repeats):
    """Six data sets x four learners, once each; the libraries take 50.9 s, so that 200 times faster is .25 s."""
    learners = {name: build(name, settings) for name, settings in FOUR.items()}
    one_pass(learners)  # compiles
    yield harness.Line(PASS, timed(lambda: one_pass(learners), repeats), 50.9 / 200, limit=True)
    learners["notears"] = build("notears", {"solver": "reference"})
    one_pass(learners)
    yield harness.Line(f"{PASS}, NOTEARS by the reference's path", timed(lambda: one_pass(learners), repeats), None)


PASS = "the whole pass, 6 data sets x 4 learners"
# by the libraries' own rules
FOUR: dict[str, dict] = {
    "pc": {"colliders": "separating set", "conflicts": "first"},
    "fci": {"colliders": "separating set"},
    "lingam": {},
    "notears": {},
}


@functools.lru_cache
def pass_tables():
    tables = {name: data(name) for name in SIX}
    return {name: (table, table.as_numbers(), standardised(table.as_numbers())) for name, table in tables.items()}


def one_pass(learners):
    for table, numbers, standard in pass_tables().values():
        for name, learner in learners.items():
            chosen = standard if name == "notears" else numbers if name == "lingam" else table
            learner.fit(chosen, np.random.default_rng(0))


MEMORY = """
import resource, sys
sys.path.insert(0, sys.argv[1])
import learners
learners.one_pass({name: learners.build(name, settings) for name, settings in learners.FOUR.items()})
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def memory_of_a_pass():
    """Peak MB of a fresh process that makes one pass with our learners, imports and compiled code included."""
    run = [sys.executable, "-c", MEMORY, str(Path(__file__).parent)]
    return float(subprocess.run(run, capture_output=True, text=True, check=True).stdout)


def growth_lines(quick):
    learner = build("pc")
    times = {}
    for nodes in (10, 30, 100, 300) if quick else (10, 30, 100, 300, 1000):
        table = Synthetic(nodes=nodes).draw(1000, np.random.default_rng(1))
        times[nodes] = timed(lambda table=table: learner.fit(table, None), 3)
        limit = 10.0 if nodes == 1000 else None
        yield harness.Line(f"PC stable Fisher-z, d = {nodes}", times[nodes], limit, limit=True)
    last = list(times)[-2:]
    exponent = math.log(times[last[1]] / times[last[0]]) / math.log(last[1] / last[0])
    print(f"growth exponent from d = {last[0]} to {last[1]}: {exponent:.2f}", file=sys.stderr)


WARM = """
import sys, time, numpy as np
from trueness.datasets import load
from trueness.learners import build
syn, asia = (load(n).draw(500, np.random.default_rng(0)) for n in ("synthetic-12", "asia"))
def everything():
    began = time.process_time()
    for name in sys.argv[1:]:
        learner = build(name)
        learner.fit(syn, np.random.default_rng(0))
        learner.fit(asia if name in ("pc", "fci") else asia.as_numbers(), np.random.default_rng(0))
    return time.process_time() - began
first = everything()
print(first - everything())  # less the fits themselves
"""


def compile_lines():
    """The first call of everything the quickstart uses, with an empty numba cache and with a full one.

    One process, and two at a time as `trueness run` has them on two cores: the longer one counts.
    """
    everything = (("pc", "fci", "lingam", "notears"),)
    with tempfile.TemporaryDirectory() as cache:
        yield harness.Line("first call of everything, compilation", warm(everything, cache), 30, limit=True)
        yield harness.Line("first call of everything, from the cache", warm(everything, cache), 1, limit=True)
    with tempfile.TemporaryDirectory() as cache:
        halves = (("pc", "fci"), ("lingam", "notears"))
        yield harness.Line("the same in two processes at a time", warm(halves, cache), 30, limit=True)


def warm(parts, cache):
    """Seconds of the slowest of these processes, each of which fits its learners for the first time."""
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    running = [
        subprocess.Popen([sys.executable, "-c", WARM, *names], env=environment, stdout=subprocess.PIPE, text=True)
        for names in parts
    ]
    return max(float(process.communicate()[0]) for process in running)


def main():
    parser_options = harness.options(__doc__, quick=True)
    repeats, quick = parser_options.repeats, parser_options.quick
    lines, notes = [], []
    parts = [pc_lines, agrum_lines, fci_lines, lingam_lines, notears_lines, batch_lines]
    for part in parts:
        try:
            lines += list(part(repeats, quick))
        except ImportError as error:
            notes.append(f"left out: {part.__name__} ({error}); run 'make bench-learners'")
    lines += list(pass_lines(repeats))
    memory = memory_of_a_pass()
    short = memory >= MOST_MEMORY
    verdict = "SHORT" if short else "pass"
    notes.append(f"memory of one pass in a fresh process: {memory:,.0f} MB (target {MOST_MEMORY})  {verdict}")
    lines += list(growth_lines(quick))
    lines += list(compile_lines())
    try:
        harness.finish("learners", lines, tuple(notes), parser_options.json)
    except SystemExit as ended:
        raise SystemExit(int(bool(ended.code) or short)) from None


if __name__ == "__main__":
    main()
