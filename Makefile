# All commands of this repository. `make` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# The backtracer can keep a crashed process alive for minutes; tests need its exit status.
export SWIFT_BACKTRACE = enable=no

# The root package is the client library, which apps depend on. The server is a separate package.
SWIFT_FLAGS = --package-path Server --explicit-target-dependency-import-check error
# Builds for tests are debug builds with optimised code. The tests then take half the time, which saves more time than the compiler needs
# for it. The test targets and the program's module are not optimised (Server/Package.swift). Without debug information the build is faster;
# for a debugger, call `swift build --package-path Server` without these flags.
TEST_FLAGS = $(SWIFT_FLAGS) -Xcxx -O1 -Xswiftc -O -Xswiftc -gnone
# CLEAN=1 is for a build after which nothing is edited, as in CI. It compiles each module as a whole, which takes a fifth less time; after
# an edit, the whole module would be compiled again.
ifdef CLEAN
TEST_FLAGS += -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2
endif
# Release builds contain Swift's runtime, so that a package does not depend on it. All of them use the same flags and folder, so they share
# one build.
RELEASE_FLAGS = $(SWIFT_FLAGS) -c release --static-swift-stdlib --scratch-path $(CURDIR)/.build-release
SOURCES = Package.swift Kit Server/Package.swift Server/Apps Server/Platform Server/Features Server/Console Server/Tests Server/Benchmarks
HOST ?= 127.0.0.1
PORT ?= 8080
DATA ?= data
SECONDS_EACH ?= 60
# Restricts the tests to one target: ONLY=Moments builds and runs Server/Tests/MomentsTests.
ONLY ?=
TEST_NAMES = $(patsubst Server/Tests/%Tests,%,$(wildcard Server/Tests/*Tests))

.PHONY: help run build test services lint format bench quality fuzz campaign screenshots dist

help: ## list all commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

run: ## build and run the server on http://127.0.0.1:8080, and print how to upload a first photo
	@scripts/packages.sh run
	swift build $(RELEASE_FLAGS) --product keepsake
	swift build $(RELEASE_FLAGS) --product keepsake-media
	swift build $(RELEASE_FLAGS) --product keepsake-phone
	@exec "$$(swift build $(RELEASE_FLAGS) --show-bin-path)/keepsake" serve --host $(HOST) --port $(PORT) --data $(DATA) --welcome

dist: ## build a Debian package and a tarball, which need no compiler, into .build-dist: a quarter of an hour on two cores
	@scripts/packages.sh dist
	scripts/dist.sh

build: ## build everything for tests; undeclared imports and warnings are errors
	@scripts/packages.sh test
	swift build --build-tests $(TEST_FLAGS)

test: ## install what tests need, build, run every test, stop the services that it started; ONLY=Moments: the tests of one target, without lint
	@[[ -z "$(ONLY)" || -d "Server/Tests/$(ONLY)Tests" ]] || { echo "There is no Server/Tests/$(ONLY)Tests. ONLY is one of:" $(TEST_NAMES); exit 2; }
	@scripts/packages.sh test
	@[[ -n "$(ONLY)" ]] || { $(MAKE) --no-print-directory lint && scripts/dependencies.sh; }
	@[[ -n "$(filter-out EndToEnd,$(ONLY))" ]] || { scripts/python.sh && scripts/python.sh client && scripts/nginx.sh; } >/dev/null
	@# The sync puts on the disk what the build wrote: the tests' own syncs do not wait for it.
	KEEPSAKE_TEST_ONLY=$(ONLY) scripts/with-services.sh --while 'swift build --build-tests $(TEST_FLAGS) && sync' scripts/test.sh $(ONLY)

services: ## start PostgreSQL, clamd and radosgw (S3) for the tests, on loopback, and print their addresses (scripts/services.sh stop stops them)
	@scripts/packages.sh test
	@scripts/services.sh start

lint: ## check the formatting, the declared dependencies of each target, that no folders of a module refer to each other in a cycle, and that the client library uses only what iOS 16 and macOS 13 have
	swift format lint --strict --parallel --recursive $(SOURCES)
	scripts/unused-edges
	scripts/folder-cycles
	scripts/kit-availability

format: ## format all sources
	swift format --in-place --parallel --recursive $(SOURCES)

bench: ## compare uploads with plain C and Go's net/http, lists with Express and FastAPI, serving with Go's net/http, nginx and Express, rows with single commits and pgbench, small pictures with vipsthumbnail and thumbor, files in radosgw with aws s3 cp, acknowledgements of captures with a Go program with one log, streamed answers with a Go reverse proxy
	@scripts/packages.sh bench
	Server/Benchmarks/run.sh
	Server/Benchmarks/Lists/run.sh
	Server/Benchmarks/Serving/run.sh
	Server/Benchmarks/Variants/run.sh
	Server/Benchmarks/S3/run.sh
	Server/Benchmarks/Captures/run.sh --result docs/results/024-captures.md
	Server/Benchmarks/Chat/run.sh
	swift build $(RELEASE_FLAGS) --product row-bench
	@scripts/services.sh start
	.build-release/release/row-bench

quality: ## print how well names, themes, text in pictures and answers are found, from labelled sets: one half to develop rules on, one to judge
	@scripts/packages.sh test
	KEEPSAKE_TEST_ONLY=Quality swift build --build-tests $(TEST_FLAGS)
	@set -o pipefail; KEEPSAKE_TEST_ONLY=Quality KEEPSAKE_CAMPAIGN=quality swift test --package-path Server --skip-build --no-parallel --filter QualityTests 2>&1 \
	| grep -E '^quality|issue|error|failed|passed'

fuzz: ## run libFuzzer on the parsers; SECONDS_EACH=60
	Server/Tests/Fuzz/run.sh $(SECONDS_EACH)

screenshots: ## take the pictures of the console in docs/pictures/console again
	@scripts/packages.sh pictures
	swift build --product keepsake $(TEST_FLAGS)
	swift build --product keepsake-media $(TEST_FLAGS)
	swift build --product keepsake-phone $(TEST_FLAGS)
	scripts/screenshots.sh

campaign: ## run the full form of a campaign: NAME=kill, moods, coves, friends, contacts, deletion, scrub, export, gallery, rows (20 GB of disk; ENGINE=sqlite or postgres for one), copy (40 GB of disk), powercut (root), retries, database, nodes, failover, deploys (PREVIOUS=path of the last release's keepsake), live, kit-live, queue, jobs, bombs, viruses, sockets, captures, capture-sockets, providers, slow, overload, fairness, distance, inputs, openapi, generators, search, rotation, keys, transcription, streams, chat, local-chat, models, polyglots, documents, apps, newcomer, new-feature, package (root; KEEPSAKE_PROGRAMS for an existing build), autobahn (Python 2.7)
	@[[ $(NAME) == package || $(NAME) == newcomer ]] || { scripts/packages.sh test && swift build --build-tests $(TEST_FLAGS) && scripts/services.sh start; }
	@if [ "$(NAME)" = package ]; then scripts/package-campaign.sh; elif [ "$(NAME)" = new-feature ]; then scripts/new-feature-campaign.sh; \
	elif [ "$(NAME)" = newcomer ]; then scripts/newcomer-campaign.sh; else \
	KEEPSAKE_CAMPAIGN=$(NAME) KEEPSAKE_CAMPAIGN_ENGINE=$(ENGINE) KEEPSAKE_PREVIOUS=$(PREVIOUS) swift test --package-path Server --skip-build --no-parallel --filter "Campaign"; fi
