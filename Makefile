# Everything that is done with this project, by one name each. A fresh machine needs Python 3.11 or later, make and git.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
BIN := .venv/bin
# One stamp for what runs (`make demo` needs no more), one for what develops; each is remade when its files change.
RUN := .venv/.run
DEV := .venv/.dev
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Building metadata of old source packages warns about their style, which is not ours to mend.
PIP_COMPILE := PYTHONWARNINGS=ignore $(BIN)/pip-compile pyproject.toml --quiet --strip-extras --generate-hashes --no-header --allow-unsafe \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host

.PHONY: help setup demo test lint docs soak lab bench lock clean

help: ## list these targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

$(RUN): requirements/run.txt requirements/build.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP_INSTALL) --require-hashes -r requirements/build.txt -r requirements/run.txt
	$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	touch $@

$(DEV): $(RUN) requirements/dev.txt
	$(PIP_INSTALL) --require-hashes -r requirements/dev.txt
	touch $@

setup: $(DEV) ## make .venv with the pinned requirements; nothing to do when it is up to date

demo: $(RUN) ## deal three rounds of Colorado Hold 'Em from a simulated shoe
	$(BIN)/shoed demo --game colorado-hold-em-poker --rounds 3

test: $(DEV) ## all tests but the slow ones, on both cores
	@# Compiled once here: the tests start hundreds of processes, which in a fresh clone would each compile the program.
	$(BIN)/python -m compileall -q firmware_bridge controller device_profiles hil
	$(BIN)/python -m pytest -n 2 $(ARGS)

lint: $(DEV) ## style, format, types and the import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

docs: $(DEV) ## build the documents into docs/_build/html
	$(BIN)/python -m pytest --collect-only --quiet -m "" --traceability=docs/_generated/traceability.md > /dev/null
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

soak: $(DEV) ## the slow tests, with fresh seeds
	$(BIN)/python -m pytest -m slow --timeout 0 --hypothesis-profile=soak $(ARGS)

lab: $(DEV) ## a Debian kernel in QEMU: its own USB drivers, real plugs; ends with a skip where QEMU is missing
	$(BIN)/python -m pytest -m lab -s --timeout 0 tests/lab $(ARGS)

bench: $(DEV) ## measure the performance goals, one line of JSON each; `make bench ARGS=P5` measures one
	$(BIN)/python -m hil.bench $(ARGS)

lock: $(DEV) ## make the lock files again from pyproject.toml; `make lock ARGS=--upgrade` takes newer versions
	$(PIP_COMPILE) $(ARGS) --only-build-deps --all-build-deps -o requirements/build.txt
	$(PIP_COMPILE) $(ARGS) -c requirements/build.txt -o requirements/run.txt
	$(PIP_COMPILE) $(ARGS) --extra dev --extra docs -c requirements/build.txt -c requirements/run.txt -o requirements/dev.txt

clean: ## remove what was built here, the virtual environment too
	rm -rf .venv docs/_build docs/_generated .mypy_cache .ruff_cache .pytest_cache .hypothesis
