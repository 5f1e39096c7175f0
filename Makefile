# `make run` serves Footnote on this machine, `make test` checks everything. Both set up `.venv` first.

PORT ?= 8000
DATA ?= data
DOCS ?= docs
PYTHON ?=
VENV ?= .venv
JOBS ?= auto
SHARD ?= 1/1
EXTRAS ?=

BIN := $(VENV)/bin
UV ?= $(BIN)/uv
export SAM_CLI_TELEMETRY := 0
# The name of a stamp file contains the checksum of its inputs, so libraries are installed once and reinstalled when these change.
# The folder is an input, too, because an editable install points to it.
sum = $(shell { echo "$(CURDIR)"; cat $(1); } | cksum | cut -d' ' -f1)
RUNTIME := requirements/build.txt requirements/runtime.txt $(EXTRAS:%=requirements/%.txt)
SETUP_DONE := $(VENV)/setup-$(call sum,$(RUNTIME) pyproject.toml)
DEV_DONE := $(VENV)/dev-$(call sum,requirements/dev.txt)
SAM_DONE := .venv-sam/$(call sum,requirements/sam.txt)
CHECKOV_DONE := .venv-checkov/$(call sum,requirements/checkov.txt)
SITE_DONE := .venv-site/$(call sum,requirements/site.txt)
# The lock files name every package, hence --no-deps.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-deps --progress-bar off
include build.mk # passes pip's package index on to uv
UV_PIP = $(UV) pip install --python $(BIN)/python --no-deps --compile-bytecode --require-hashes
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help setup run tools test quick nightly newer lint style types imports pytest adapter engines sam site artifacts bench compare clean lock

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s  %s\n", $$1, $$2 }' Makefile

setup: $(SETUP_DONE) ## the libraries and the `footnote` command, in .venv; EXTRAS=docling: the other reader for Office files, too

run: setup ## serve on PORT (8000), keep data in DATA (data), ingest DOCS (docs)
	@exec $(BIN)/footnote serve --port "$(PORT)" --data "$(DATA)" --ingest "$(DOCS)"

tools: $(DEV_DONE) $(SAM_DONE) $(CHECKOV_DONE) $(SITE_DONE) ## what the checks need; the tests are compiled once, not by each process that runs them
	@env -u MAKEFLAGS $(BIN)/python -m pytest --collect-only -q -n 0 >/dev/null || true

test: lint pytest ## everything: style, types, imports, tests

quick: style ## style, and the tests that need neither an engine nor a browser: two minutes
	$(PYTEST) --quick

nightly: $(DEV_DONE) ## every fault, kill and seeded defect, with the day's seed, and the clock's figures if DATA_SETS is set; SHARD=2/5: the second of five parts
	FOOTNOTE_DEEP=1 FOOTNOTE_SHARD=$(SHARD) FOOTNOTE_SEED=$$(date +%F) $(PYTEST) --timeout 2700
	@test -z "$(DATA_SETS)" || $(BIN)/python -m bench --only overhead turn_profile beside_sdk memory

newer: ## the tests with each newer Python that is installed, every one in an environment of its own
	for python in python3.12 python3.13 python3.14; do \
	  $$python -c "" 2>/dev/null || continue; \
	  $(MAKE) pytest PYTHON=$$python VENV=.venv-$$python || exit 1; \
	done

lint: style types imports ## style, types and the direction of imports

style: $(DEV_DONE)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/hadolint Dockerfile

types: $(DEV_DONE)
	$(BIN)/mypy

imports: $(DEV_DONE)
	$(BIN)/lint-imports --no-cache

pytest: $(DEV_DONE)
	env -u MAKEFLAGS $(PYTEST)

adapter: setup ## the Lambda Web Adapter, for `footnote invoke query`; needs cargo, takes a minute or two
	$(BIN)/python -m footnote_local.lambda_service.web_adapter

engines: $(DEV_DONE) ## the engines for tests, in ~/.cache/footnote; most need a JDK (17 or newer) and Maven
	$(BIN)/python -m tests.engines

sam: $(SAM_DONE) $(CHECKOV_DONE) ## template.yaml is valid and careful
	.venv-sam/bin/sam validate --lint --region us-east-1
	.venv-checkov/bin/checkov --config-file .checkov.yaml

site: $(SITE_DONE) ## the documentation site, in dist/site; a broken link fails it
	@rm -rf dist/site
	.venv-site/bin/sphinx-build --quiet --fail-on-warning --keep-going -j auto -c site . dist/site

artifacts: $(SAM_DONE) $(DEV_DONE) ## what Lambda gets, in .aws-sam/build, for ARCHITECTURE (arm64) and PYTHON_VERSION (3.14)
	.venv-sam/bin/sam build
	$(BIN)/python -m footnote_local.artifacts .aws-sam/build

fit: $(DEV_DONE) ## the models that judge excerpts, from bench/rows
	$(BIN)/python -m bench.fit

bench: $(DEV_DONE) ## the figures: quality, speed, memory
	$(BIN)/python -m bench

compare: setup ## Footnote beside other systems, on DATA_SETS; installs those once (6 GB)
	$(BIN)/python -m bench.peers --write

clean: ## remove .venv and caches; DATA stays
	rm -rf .venv .venv-* .aws-sam .mypy_cache .pytest_cache .ruff_cache .import_linter_cache dist test-results

$(VENV)/bin/python:
	@without_venv=; \
	for python in $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python3.14); do \
	  "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	  "$$python" -c 'import ensurepip, venv' 2>/dev/null || { without_venv=$$python; continue; }; \
	  echo "Making $(VENV) with $$("$$python" --version)." >&2; \
	  exec "$$python" -m venv --clear $(VENV); \
	done; \
	if [ -n "$$without_venv" ]; then \
	  version=$$("$$without_venv" -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
	  echo "$$without_venv (Python $$version) has no venv module. On Debian or Ubuntu: sudo apt-get install python$$version-venv" >&2; \
	else \
	  echo "Footnote needs Python 3.11 or newer, and found $$($(or $(PYTHON),python3) --version 2>&1 || true)." >&2; \
	  echo "Install one (apt-get install python3.11 python3.11-venv, brew install python@3.13), or name it: make setup PYTHON=/path/to/python3.11" >&2; \
	fi; \
	exit 1

$(SETUP_DONE): $(VENV)/bin/python
	@echo "Installing the libraries into $(VENV), about 550 MB: this is done once and takes a minute." >&2
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip
	@$(PIP) --require-hashes -r requirements/build.txt
	@$(UV_PIP) $(RUNTIME:%=-r %)
	@echo "Installing Footnote itself." >&2
	@$(PIP) --no-build-isolation --editable .
	@rm -f $(VENV)/setup-* && touch $@

$(DEV_DONE): $(SETUP_DONE)
	@echo "Installing the tools for tests into $(VENV); this is done once." >&2
	@$(UV_PIP) -r requirements/dev.txt
	@rm -f $(VENV)/dev-* && touch $@

# Each has its own environment, because their pinned versions conflict with each other and with ours.
$(SAM_DONE) $(CHECKOV_DONE) $(SITE_DONE): .venv-%: $(DEV_DONE)
	@echo "Installing $(@D:.venv-%=%) into $(@D); this is done once." >&2
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(@D)
	@$(BIN)/uv pip install --quiet --python $(@D) --no-deps --require-hashes -r requirements/$(@D:.venv-%=%).txt
	@touch $@

# Pins versions and hashes for every requirements.in. Delete a .txt first to upgrade to the newest versions.
LOCK = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header
lock: $(DEV_DONE) ## update requirements/*.txt and those of the functions
	$(LOCK) requirements/build.in -o requirements/build.txt
	$(LOCK) --overrides requirements/overrides.txt requirements/runtime.in -c requirements/build.txt -o requirements/runtime.txt
	$(LOCK) --overrides requirements/overrides-dev.txt requirements/dev.in -o requirements/dev.txt
	$(LOCK) --overrides requirements/overrides-dev.txt requirements/docling.in -c requirements/runtime.txt -o requirements/docling.txt
	$(LOCK) --no-deps tests/engines/llama/requirements.in -o tests/engines/llama/requirements.txt
	for each in sam checkov site; do $(LOCK) requirements/$$each.in -o requirements/$$each.txt || exit 1; done
	for each in layers/common functions/query functions/ingest functions/feedback functions/stats; do \
	  $(LOCK) --overrides requirements/overrides.txt $$each/requirements.in -c requirements/runtime.txt -o $$each/requirements.txt || exit 1; \
	done
