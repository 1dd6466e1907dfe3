# Each target does its own set-up: a machine with python3 (3.11 or later) and make is enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SITE_READY := $(VENV)/.site-ready

.PHONY: setup demo test lint format bench conformance recordings pages docs accept clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "groundwire needs Python 3.11 or later; '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { \
	  echo "python3 cannot make a virtual environment here. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@echo "Setting up $(VENV) (once; repeated only when pyproject.toml or constraints.txt change)"
	@PIP_CONSTRAINT=constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install --quiet 'pip>=25.1'
	@PIP_CONSTRAINT=constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install --quiet --group dev --editable '.[emulator]'
	@touch $(READY)

demo: $(READY)
	@$(BIN)/groundwire demo

test: $(READY)
	@PYTHONWARNDEFAULTENCODING=1 $(BIN)/python -m pytest -n 4 --dist worksteal $(ARGS)

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

bench: $(READY) $(if $(ONLY),,$(SITE_READY))
	@$(BIN)/python -m bench $(ONLY)

format: $(READY)
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

conformance: $(READY)
	@$(BIN)/python -m conformance $(PEER)

recordings: $(READY)
	@$(BIN)/python -m conformance --record $(PEER)
	@$(BIN)/python -m docs.generate

$(SITE_READY): $(READY)
	@echo "Setting up what builds the site (once)"
	@PIP_CONSTRAINT=constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install --quiet --group site
	@touch $(SITE_READY)

pages: $(READY)
	@$(BIN)/python -m docs.generate

docs: pages $(SITE_READY)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "The site is in site/; open site/index.html"

accept: pages
	@$(BIN)/python -m tests.contract

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
