"""Forward sampling of the child network, 5,000 rows, against pgmpy's."""

import contextlib
import gzip
import io
import logging
import tempfile
from importlib import resources
from pathlib import Path

import harness  # first: it sets the number of threads
import numpy as np

from trueness.datasets import load

ROWS = 5000


def pgmpy_sampler():
    from pgmpy.readwrite import BIFReader
    from pgmpy.sampling import BayesianModelSampling

    logging.getLogger("pgmpy").setLevel(logging.ERROR)
    packed = (resources.files("trueness.datasets") / "data" / "child.bif.gz").read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "child.bif"
        path.write_bytes(gzip.decompress(packed))
        model = BIFReader(str(path)).get_model()
    sampler = BayesianModelSampling(model)

    def sample():
        with contextlib.redirect_stderr(io.StringIO()):
            return sampler.forward_sample(size=ROWS, seed=1, show_progress=False)

    return sample


def main():
    options = harness.options(__doc__)
    child = load("child")
    rng = np.random.default_rng(1)
    sample = pgmpy_sampler()
    peer = harness.median_seconds(sample, options.repeats)
    mine = harness.median_seconds(lambda: child.draw(ROWS, rng), options.repeats * 20)
    theirs = sample()["Disease"].value_counts(normalize=True)
    ours = child.draw(ROWS, rng)
    codes = ours.values[:, ours.names.index("Disease")].astype(int)
    levels = ours.levels[ours.names.index("Disease")]
    apart = max(abs((codes == k).mean() - theirs.get(level, 0.0)) for k, level in enumerate(levels))
    lines = [harness.Line(f"child, {ROWS:,} rows", mine, 20, "pgmpy", peer)]
    harness.finish("sampling", lines, (f"shares of Disease differ by at most {apart:.3f}",), options.json)


if __name__ == "__main__":
    main()
