# Two targets do all the set-up on a machine that has Python 3.11 or later, git and make:
#   make demo    install into .venv, and run the main job on this very repository
#   make test    all checks

BIN := .venv/bin

.PHONY: demo test lint types tests bench clean

demo: .venv/.installed
	@echo "— snob check: what fails here, and why (exit status 1: something is owed)"
	@$(BIN)/snob check; status=$$?; echo "— exit status $$status"; test $$status -le 1
	@echo "— snob pending: the work list, with each rule's guidance and the subject to record"
	@$(BIN)/snob pending; status=$$?; echo "— exit status $$status"; test $$status -eq 0
	@echo "— snob explain ground/runs-nothing: what a rule asks, of which files"
	@$(BIN)/snob explain ground/runs-nothing

test: lint types tests

lint: .venv/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.installed-dev
	$(BIN)/mypy

tests: .venv/.installed-dev
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n auto
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

bench: .venv/.installed-dev
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis

# make PYTHON=… names one; what venv leaves behind when it fails must not pass for made
.venv/bin/python:
	@for p in $${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do \
		"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
		echo "$$p -m venv .venv"; "$$p" -m venv .venv && exit 0; rm -rf .venv; exit 1; \
	done; echo "snob needs Python 3.11 or later; name one with make PYTHON=…" >&2; exit 1

.venv/.installed: pyproject.toml .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

.venv/.installed-dev: pyproject.toml .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ .venv/.installed
