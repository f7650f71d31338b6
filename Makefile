# Build entry points. Each target works in a fresh clone and does its own set-up; continuous integration runs these too.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo test conformance bench tokens soak fuzz lint v8 servers

# Where cargo puts programs; examples/demo.mcp.json finds the demo's servers by this variable.
export COFFERDAM_BIN_DIR := $(abspath $(or $(CARGO_TARGET_DIR),target))/debug
# What the tests expect of scripts/test-servers.sh. A test that needs one of these fails when it is missing.
export COFFERDAM_TEST_SERVERS := $(CURDIR)/target/test-servers
export COFFERDAM_TSC := $(COFFERDAM_TEST_SERVERS)/bin/tsc

cofferdam := $(COFFERDAM_BIN_DIR)/cofferdam
conformance_client := $(COFFERDAM_BIN_DIR)/examples/conformance
demo_config := examples/demo.mcp.json
tickets := target/demo/tickets.db
# What is not built by default is tested all the same.
export features := --features embeddings,otel
demo_build ?= --package cofferdam --package demo-servers
fuzz_target ?= declare
fuzz_seeds ?= ../stubgen/tests/cases
fuzz_time ?= 600
heading = @printf '\n== %s\n\n'

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: v8 ## Build the program and two MCP servers, and let a script triage a day of logs
	cargo build $(demo_build)
	@mkdir -p $(dir $(tickets)) && rm -f $(tickets)*
	$(heading) 'The declarations that a model reads (cofferdam types)'
	@$(cofferdam) types --config $(demo_config)
	$(heading) 'The policy: what a script may call without asking ($(demo_config))'
	@sed -n '/"policy"/,/]/p' $(demo_config)
	$(heading) 'The script that a model wrote (examples/triage.ts)'
	@cat examples/triage.ts
	$(heading) 'The run: what the model gets back, and for you the ledger of its calls (cofferdam run --ledger)'
	@$(cofferdam) run --config $(demo_config) --ledger examples/triage.ts
	@printf '\nThe tickets are in %s (SQLite).\n' $(tickets)

# Programs first: the end-to-end tests start those of the demo's servers, which `cargo test` alone does not build.
test: v8 servers ## Run all tests, the conformance suite, then the demo and a check of what it left behind
	cargo build --workspace $(features) --bins --tests
	cargo test --workspace $(features)
	@scripts/conformance.sh $(conformance_client)
	@scripts/conformance-server.sh $(cofferdam)
	@scripts/test-demo.sh

# Built as for `make test`, which so finds it built.
conformance: servers ## Run the MCP conformance suite against our client and our server
	cargo build --workspace $(features) --bins --example conformance
	@scripts/conformance.sh $(conformance_client)
	@scripts/conformance-server.sh $(cofferdam)

bench: v8 servers ## Run the benchmarks; benches/README.md says what they measure
	cargo bench --workspace

tokens: v8 ## Make the tables of docs/tokens.md anew; COFFERDAM_TOOL_LISTS names a folder of tool lists
	cargo build --workspace --example tokens
	@$(COFFERDAM_BIN_DIR)/examples/tokens

soak: v8 servers ## Run 10,000 scripts in each isolation, and kill 500 workers; prints what the host needed
	cargo build --workspace $(features) --bins --tests
	cargo test --workspace $(features) --test it -- --ignored --nocapture --test-threads 1 soak:: serving::load

lint: v8 ## Check format, clippy and documentation, and licences if cargo-deny is installed
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo clippy --workspace $(features) --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --workspace $(features) --no-deps
	@if cargo deny --version >/dev/null 2>&1; then \
	  cargo deny check bans licenses sources; \
	else \
	  echo 'cargo-deny is not installed: deny.toml was not checked (cargo install cargo-deny --locked)'; \
	fi

fuzz: ## Look for tools that break their declarations, for fuzz_time seconds (600); needs cargo-fuzz
	@cargo fuzz --version >/dev/null 2>&1 || { \
	  echo 'cargo-fuzz is not installed: cargo install cargo-fuzz --locked' >&2; exit 1; }
	@mkdir -p fuzz/corpus/$(fuzz_target)
	cd fuzz && RUSTC_BOOTSTRAP=1 cargo fuzz run --sanitizer none $(fuzz_target) \
	  corpus/$(fuzz_target) $(fuzz_seeds) -- \
	  -dict=$(fuzz_target).dict -max_len=4096 -timeout=20 -max_total_time=$(fuzz_time)

v8:
	@scripts/v8.sh

servers:
	@scripts/test-servers.sh
