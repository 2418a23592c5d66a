# `make train` and `make test` set up everything they need in .venv; nothing is installed elsewhere.
PYTHON ?= python3
TASK ?= copy
RECIPE ?= paper
ARGS ?=

BIN := .venv/bin
PIP_INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: train test lint bench sanitize clean

train: .venv/installed
	$(BIN)/ngpu train $(TASK) --recipe $(RECIPE) $(ARGS)

test: .venv/installed-test lint
	$(BIN)/pytest --numprocesses 2 $(ARGS)

lint: .venv/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/installed
	$(BIN)/python benchmarks/engines.py $(ARGS)
	$(BIN)/python benchmarks/sampling.py

# The native kernel's own test, under the address and undefined-behaviour sanitizers.
sanitize:
	mkdir -p build
	$(CXX) -std=c++17 -O1 -g -mavx2 -mfma -Wno-psabi -pthread -fsanitize=address,undefined \
	  -fno-sanitize-recover=all native/selftest.cpp -o build/selftest
	build/selftest

# torch goes first and by its exact version: a range would resolve to a build with gigabytes of CUDA packages.
.venv/installed: pyproject.toml constraints.txt setup.py $(wildcard native/*)
	$(PYTHON) -m venv .venv
	$(PIP_INSTALL) torch==2.13.0
	$(PIP_INSTALL) --editable .
	touch $@

.venv/installed-test: .venv/installed
	$(PIP_INSTALL) --editable '.[test]'
	touch $@

clean:
	rm -rf .venv build src/*.egg-info
