# Every path here is relative: the checkout may lie in a folder with spaces in its name.

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
PY := .venv/bin/python
LOCAL := $(PY) -m deploy.local
# More arguments: make test ARGS="-k hold -x", make chaos ARGS="--short"
ARGS ?=
# Tests mostly wait, so there may be more of these than processors. With 1 the tests run in one process.
PROCESSES ?= 4

.DEFAULT_GOAL := help
.PHONY: help demo test smoke chaos lint bench install requirements clean system-bench system-demo system-test

help: ## This list
	@echo "BoxOffice: make TARGET, with BROKER=redis (as it is) or BROKER=rabbitmq, MAIL=esp (as it is) or MAIL=smtp"
	@sed -n 's/^\([a-z%-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18

demo: install system-demo ## Everything on this machine, until Ctrl-C; PORT=8000 chooses the port
	@exec $(LOCAL) demo

# Hundreds of processes of ours are started, which would each compile our modules where no bytecode is kept.
test: install system-test ## The whole test suite, against real servers; ARGS="-k hold" goes to pytest
	@exec env -u PYTHONDONTWRITEBYTECODE $(LOCAL) run --in test --fresh --all-brokers --test-processes $(PROCESSES) -- \
		pytest -n auto --max-worker-restart 0 $(ARGS)

smoke: install system-demo ## Buy two tickets over HTTP, follow them to the QR code, print the times
	@exec $(LOCAL) smoke

chaos: install system-test ## Kill, pause and cut off real processes, and count: a line for each fault; ARGS=--short
	@exec $(PY) -m tests.chaos $(ARGS)

lint: install system-demo ## Style, types, layers, templates, migrations, production settings
	@exec $(PY) -m deploy.local.lint

bench: install system-bench ## All measurements, each against a peer; one JSON line for each
	@exec $(PY) -m bench

bench-%: install system-bench ## One measurement, for example: make bench-holds
	@exec $(PY) -m bench $*

install: ## The virtual environment with the pinned requirements, if they changed
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: sudo apt-get install python3" >&2; exit 1; }
	@"$(PYTHON)" -m deploy.local.install

system-bench: system-demo
	@$(PY) -m deploy.local.packages --try load

system-demo:
	@$(PY) -m deploy.local.packages pdf
	@$(PY) -m deploy.local.packages --try fonts
	@test "$$BROKER" != rabbitmq || $(PY) -m deploy.local.packages --try rabbitmq

system-test:
	@$(PY) -m deploy.local.packages pdf
	@$(PY) -m deploy.local.packages --try fonts rabbitmq pooler browser

requirements: install ## Pin requirements*.in anew, with hashes
	@exec $(PY) -m deploy.local.pin_requirements

clean: ## Remove .venv, .local with all its data, and the caches
	@"$(PYTHON)" -m deploy.local.clean
