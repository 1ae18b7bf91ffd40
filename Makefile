# Everything a developer does, by name. `make help` lists it.
.DEFAULT_GOAL := help
SHELL := /bin/bash
VENV := .venv
PY := $(VENV)/bin/python
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export PYTHONPATH := $(CURDIR):$(CURDIR)/functions:$(CURDIR)/layers/skillgate

PORT ?= 8080
GITHUB ?= stand-in
# In an environment of its own: it pins what the product uses in other versions.
CHECKOV := 3.3.30
WORKER ?=

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sort | awk -F':.*## ' '{printf "  %-12s %s\n", $$1, $$2}'

# --- set-up: one stamp per lock file, so that a second call costs nothing -------------------------------------------
$(VENV)/python.stamp: local/find-python.sh
	"$$(local/find-python.sh)" -m venv --clear $(VENV)
	$(PY) -m pip install --quiet uv
	touch $@

$(VENV)/packages.stamp: $(VENV)/python.stamp requirements.lock
	$(VENV)/bin/uv pip sync --quiet --require-hashes --python $(PY) requirements.lock
	touch $@

node_modules/.package-lock.json: $(VENV)/packages.stamp package-lock.json
	$(VENV)/bin/npm ci --silent --no-audit --no-fund
	touch $@

.PHONY: setup
setup: $(VENV)/packages.stamp node_modules/.package-lock.json ## Install what running and testing need (run and test do it themselves)

.PHONY: lock
lock: $(VENV)/python.stamp ## Pin the dependencies again after editing a requirements.in
	cd $(CURDIR) && $(VENV)/bin/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header \
		--python-version 3.11 requirements.in -o requirements.lock
	$(VENV)/bin/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --python-version 3.13 \
		-c requirements.lock layers/dependencies/requirements.in -o layers/dependencies/requirements.txt
	$(VENV)/bin/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --python-version 3.11 \
		workers/scanner/requirements.in -o workers/scanner/requirements.lock

# --- checking --------------------------------------------------------------------------------------------------------
.PHONY: test
test: setup ## Run everything that must hold
	local/browser.sh
	$(PY) -m pytest tests --ignore=tests/bench --ignore=tests/fuzz

.PHONY: e2e
e2e: setup ## Click through the pages in a real browser
	local/browser.sh
	$(PY) -m pytest tests/e2e/pages

.PHONY: screenshots
screenshots: setup ## Take pictures of every page, wide and narrow, light and dark
	local/browser.sh
	$(PY) -m tests.e2e.pages .local/screenshots

.PHONY: lint
lint: setup ## Check style, types and formatting
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy layers/skillgate/skillgate functions local tests

.PHONY: faults
faults: setup ## Break the stores, the queue and the consumer while submissions run
	$(PY) -m pytest tests/faults -q -s

.PHONY: audit
audit: setup ## Hold the template against cfn-lint and checkov
	$(VENV)/bin/cfn-lint template.yaml
	$(VENV)/bin/uv tool run --quiet checkov@$(CHECKOV) -f template.yaml --framework cloudformation --skip-download --compact --quiet

.PHONY: newcomer
newcomer: setup ## Follow the README in a fresh clone with an empty home (TESTS=1 and LONG=1 run the long commands too)
	$(PY) -m local.newcomer $(if $(TESTS),--tests) $(if $(LONG),--long)

.PHONY: fuzz
fuzz: setup ## Send generated requests over the whole API document to a running stack, as five callers
	$(PY) -m tests.fuzz $(if $(SEED),--seed $(SEED))

.PHONY: bench
bench: setup ## Print ratios and write bench.json (ONLY=name runs one)
	$(PY) -m tests.bench $(ONLY)

.PHONY: eval
eval: setup ## Scan a labelled corpus (CORPUS=folder or archive, OUT=results.jsonl, PEER=1 compares with another scanner)
	$(PY) -m tests.eval $(CORPUS) $(if $(OUT),--out $(OUT)) $(if $(PEER),--peer)

.PHONY: scan
scan: setup ## Scan skills as an author would (TARGET=path or URL, FORMAT=text|json|sarif)
	@$(PY) -m skillgate scan $(TARGET) --format $(or $(FORMAT),text)

.PHONY: build
build: setup ## Build the functions and layers for AWS
	SAM_CLI_TELEMETRY=0 $(VENV)/bin/sam validate --lint --region $${AWS_REGION:-us-east-1}
	SAM_CLI_TELEMETRY=0 $(VENV)/bin/sam build

.PHONY: schema
schema: setup ## Write the schema down again after a migration (sql/schema.sql)
	@$(PY) -m local.schema

.PHONY: docs
docs: setup ## Write the settings page, the OpenAPI document and its examples again
	@$(PY) -m local.docs && $(PY) -m local.openapi && $(PY) -m tests.support.api_examples >/dev/null

# --- running ---------------------------------------------------------------------------------------------------------
.PHONY: run
run: setup ## Start the whole product on this machine (PORT=8080, GITHUB=stand-in|real, WORKER=1 for a scan worker)
	@exec $(PY) -m local run --port $(PORT) --github $(GITHUB) $(if $(WORKER),--worker)

.PHONY: worker
worker: setup ## Install the scan worker's scanners, 330 MB (run WORKER=1 and test do it themselves)
	@PYTHON=$(PY) workers/scanner/setup.sh .local/worker-venv

.PHONY: invoke
invoke: setup ## Send an event to a function of the running stack (FUNCTION=Sweeper EVENT=events/sweeper.json)
	@$(PY) -m local invoke $(FUNCTION) $(EVENT)

.PHONY: reset
reset: setup ## Forget everything that the local stack stored
	@$(PY) -m local reset

# --- planning --------------------------------------------------------------------------------------------------------
.PHONY: measured
measured: setup ## Measure again what the two below reckon with (local/capacity/measured.yaml)
	$(PY) -m tests.bench capacity --measured local/capacity/measured.yaml

.PHONY: cost
cost: setup ## What a month costs at three volumes, and what each setting does to it
	@$(PY) -m local.capacity.cost

.PHONY: simulate
simulate: setup ## How long people wait at 170,000 submissions a day, by concurrency
	@$(PY) -m local.capacity.simulate
