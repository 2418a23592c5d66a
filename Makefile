# `make train` and `make test` set up everything they need in .venv and web/node_modules. Elsewhere nothing is installed,
# but for Chromium, which `make test` adds where it runs as root on Debian: in a container, on a machine of CI.
PYTHON ?= python3
TRAIN ?= badd --seed 1 --threads 1
ARGS ?=

BIN := .venv/bin
PIP_INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: train test lint docs wheel page browser bench experiments fuzz fuzz-kernels torture mutate sanitize clean

train: .venv/installed
	$(BIN)/ngpu train $(TRAIN)

test: .venv/installed-test lint browser sanitize
	$(BIN)/pytest --numprocesses 2 $(ARGS)

lint: .venv/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The site into docs/_build; a link that leads nowhere is an error.
docs: .venv/installed-test
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --jobs 2 docs docs/_build
	@echo "open docs/_build/index.html"

# One wheel for every Python 3 of this platform, into dist.
wheel: .venv/installed-test
	$(BIN)/python tools/build_wheel.py

# The playground from its source; the result is committed, so that only those who change it need Node.
page: web/node_modules/.package-lock.json
	npm --prefix web run build

# What the tests of the playground need. They say what is missing where it cannot be had.
browser:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web/node_modules/.package-lock.json; fi
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || ! command -v apt-get >/dev/null \
	  || [ "$$(id -u)" != 0 ] \
	  || { apt-get update -qq && apt-get install -qq --yes --no-install-recommends chromium >/dev/null; }

web/node_modules/.package-lock.json: web/package-lock.json
	npm --prefix web ci --no-audit --no-fund
	touch $@

bench: .venv/installed
	$(BIN)/python benchmarks/engines.py $(ARGS)
	$(BIN)/python benchmarks/sparse.py
	$(BIN)/python benchmarks/threads.py
	$(BIN)/python benchmarks/sampling.py

# What nobody waits for in `make test`: attacks on texts, command lines, configurations and the files of runs, and a
# training that is killed a hundred times. The counts are committed in experiments/armour.
fuzz: .venv/installed-test
	PYTHONPATH=tests $(BIN)/python experiments/armour.py $(ARGS)

fuzz-kernels: .venv/installed-test build/sanitized/libngpu_avx2.so
	cp build/sanitized/libngpu_avx2.so build/sanitized/libngpu_baseline.so
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=tests \
	  $(BIN)/python experiments/kernels.py $(ARGS)

build/sanitized/libngpu_avx2.so: $(wildcard native/*)
	mkdir -p build/sanitized
	$(CXX) -std=c++17 -O1 -g -mavx2 -mfma -fvisibility=hidden -Wno-psabi -pthread -fPIC -shared \
	  -fsanitize=address,undefined -fno-sanitize-recover=all native/api.cpp -o $@

torture: .venv/installed
	$(BIN)/python experiments/torture.py $(ARGS)

mutate: .venv/installed-test
	PYTHONPATH=tests $(BIN)/python experiments/mutate.py $(ARGS)

# What has been measured, and by which command; docs/claims.md shows all of it.
experiments: .venv/installed
	@$(BIN)/python experiments/results.py --list

# The native kernel's own test, under the address and undefined-behaviour sanitizers, where there is what it needs.
sanitize:
	@if ! command -v $(CXX) >/dev/null; then echo "no C++ compiler, so no test of the native kernel"; \
	elif ! grep -qs avx2 /proc/cpuinfo; then echo "no AVX2, so no test of the native kernel's vectors"; \
	else $(MAKE) --no-print-directory build/selftest build/stack_selftest && build/selftest && build/stack_selftest; fi

build/selftest build/stack_selftest: build/%: $(wildcard native/*)
	mkdir -p build
	$(CXX) -std=c++17 -O1 -g -mavx2 -mfma -Wno-psabi -pthread -fsanitize=address,undefined \
	  -fno-sanitize-recover=all native/$*.cpp -o $@

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
	rm -rf .venv build dist docs/_build src/*.egg-info web/node_modules
