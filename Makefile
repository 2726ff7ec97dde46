# Everything a person does here. `make` alone lists it.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# The backtracer can hang a crashed process for minutes; a test wants the exit status.
export SWIFT_BACKTRACE = enable=no

# The server is a package of its own: the root's is the client library, which apps fetch.
SWIFT_FLAGS = --package-path Server --explicit-target-dependency-import-check error
SOURCES = Package.swift Kit Server/Package.swift Server/Apps Server/Platform Server/Features Server/Console Server/Tests Server/Benchmarks
HOST ?= 127.0.0.1
PORT ?= 8080
DATA ?= data
SECONDS_EACH ?= 60

.PHONY: help run build test services lint format bench fuzz campaign screenshots

help: ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

run: ## build and serve on http://127.0.0.1:8080, and print how to send a first photo
	@scripts/packages.sh run
	swift build -c release --scratch-path $(CURDIR)/.build-release --product keepsake $(SWIFT_FLAGS)
	swift build -c release --scratch-path $(CURDIR)/.build-release --product keepsake-media $(SWIFT_FLAGS)
	@exec "$$(swift build -c release --scratch-path $(CURDIR)/.build-release --package-path Server --show-bin-path)/keepsake" serve --host $(HOST) --port $(PORT) --data $(DATA) --welcome

build: ## debug build of everything; undeclared imports and warnings are errors
	@scripts/packages.sh test
	swift build --build-tests $(SWIFT_FLAGS)

test: ## install what tests need, build, run every test
	@scripts/packages.sh test
	$(MAKE) --no-print-directory lint
	@scripts/dependencies.sh
	swift build --build-tests $(SWIFT_FLAGS)
	@scripts/services.sh start
	@scripts/python.sh >/dev/null && scripts/nginx.sh >/dev/null
	@sync # what the build wrote is on the disk: the tests' own syncs do not wait for it
	swift test --package-path Server --skip-build --no-parallel

services: ## start what tests run against on loopback: PostgreSQL and clamd; prints their addresses (scripts/services.sh stop ends it)
	@scripts/packages.sh test
	@scripts/services.sh start

lint: ## formatting, strictly; no target declares a dependency that its sources do not import
	swift format lint --strict --parallel --recursive $(SOURCES)
	scripts/unused-edges

format: ## make it so
	swift format --in-place --parallel --recursive $(SOURCES)

bench: ## uploads beside plain C and Go's net/http; lists beside Express and FastAPI; rows beside single commits and pgbench; small pictures beside vipsthumbnail and thumbor
	@scripts/packages.sh bench
	Server/Benchmarks/run.sh
	Server/Benchmarks/Lists/run.sh
	Server/Benchmarks/Variants/run.sh
	swift build -c release --scratch-path $(CURDIR)/.build-release --package-path Server --product row-bench
	@scripts/services.sh start
	.build-release/release/row-bench

fuzz: ## libFuzzer on the parsers; SECONDS_EACH=60
	Server/Tests/Fuzz/run.sh $(SECONDS_EACH)

screenshots: ## the pictures of the console in docs/pictures/console, taken anew
	@scripts/packages.sh pictures
	swift build --product keepsake $(SWIFT_FLAGS)
	swift build --product keepsake-media $(SWIFT_FLAGS)
	scripts/screenshots.sh

campaign: ## the full form of a campaign: NAME=kill, moods, deletion, scrub, export, rows (20 GB of disk; ENGINE=sqlite or postgres for one), powercut (root), retries, database, live, jobs, bombs, viruses, sockets, slow, overload, fairness, distance, openapi, search, rotation, keys, transcription, new-feature, autobahn (Python 2.7)
	@scripts/packages.sh test
	swift build --build-tests $(SWIFT_FLAGS)
	@scripts/services.sh start
	@if [ "$(NAME)" = new-feature ]; then scripts/new-feature-campaign.sh; else \
	KEEPSAKE_CAMPAIGN=$(NAME) KEEPSAKE_CAMPAIGN_ENGINE=$(ENGINE) swift test --package-path Server --skip-build --no-parallel --filter "Campaign"; fi
