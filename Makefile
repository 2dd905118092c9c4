# Two commands do everything, on a machine that has Python 3.11+, pip and make:
#   make run     the main job: `assay run`, the quickstart
#   make test    ruff, mypy, tests
# Both set up .venv by themselves, once; `make setup` is the set-up alone, `make bench` all benchmarks.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
WORKERS ?= 2

.PHONY: run test setup bench lint types unit clean

run: setup
	$(BIN)/assay run

test: lint types unit

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt tools/setup.sh
	PYTHON="$(PYTHON)" sh tools/setup.sh $(VENV)
	touch $(STAMP)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

unit: setup
	$(BIN)/python -m pytest -n $(WORKERS)

bench: setup
	status=0; for file in $(filter-out benchmarks/harness.py,$(wildcard benchmarks/*.py)); do $(BIN)/python $$file || status=1; done; exit $$status

clean:
	rm -rf $(VENV) results .mypy_cache .ruff_cache .pytest_cache
