# Three commands matter: `make run`, `make check` and `make test`. They need Go, Node.js and make.

.DEFAULT_GOAL := help

# As internal/local/build and a release build: with other flags here, everything would be compiled twice.
export CGO_ENABLED := 0
export GOFLAGS := $(shell go env GOFLAGS) -trimpath -tags=nomsgpack
.PHONY: help run check test kill upgrade-drill campaign demo pictures lint build release pin drill-containers drill-hosts generate reset bench

help: ## Say what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

# A program of its own rather than `go run`, so that signals reach it.
run: ## Start everything on this machine; Ctrl-C stops it
	@mkdir -p .data/bin
	@go build -o .data/bin/launcher ./internal/local/run
	@exec .data/bin/launcher

check: .data/bin/check ## What is run before a commit: lint, types, unit tests, contract, one story in the browser
	@exec .data/bin/check -quick

test: .data/bin/check ## Run every check and test of the project (FULL=1: every try and situation)
	@exec .data/bin/check $(if $(FULL),-full)

# What of it `make test` has: docs/testing.md. KILL=-full is the whole matrix, for hours.
kill: ## Kill processes, take Postgres and Temporal away, set clocks wrong, roll a release (about ten minutes)
	@go test ./e2e -tags kill,nomsgpack -own-stacks -run 'TestBar25KillMatrix|TestBar27|TestBar31TemporalDown|TestBar32|TestBar33Rolling' -timeout 5h -v $(KILL)

# FROM is a commit; else the newest tag, or the commit before the last migration. ONLY is Drill, Postgres or Temporal.
upgrade-drill: ## Upgrade the release before, Postgres and Temporal, each while orders go on (FROM=commit ONLY=Drill)
	@go test ./e2e -tags kill,nomsgpack -own-stacks -run 'TestUpgrade$(or $(ONLY),(Drill|Postgres|Temporal))$$' -timeout 60m -v $(if $(FROM),-upgrade-from $(FROM))

drill-hosts: ## Take the power of one host after the other, of three on network namespaces, while orders go on (root on Linux)
	@go test ./e2e -tags kill,nomsgpack -own-stacks -run TestHostsDrill -timeout 30m -v

# SEED is one or several (1,2,3). PLAN=1 prints what would be tried; REPORT=1
# writes the results into docs/campaign.md.
SEED ?= 1
ORDERS ?= 300
campaign: ## Hundreds of orders under faults, kills and moving clocks, reconciled (SEED=n ORDERS=n)
	@mkdir -p .data/bin
	@go build -o .data/bin/campaign ./e2e/campaign
	@exec .data/bin/campaign -seeds $(SEED) -orders $(ORDERS) $(if $(PLAN),-plan) $(if $(ONLY),-only '$(ONLY)') $(if $(REPORT),-report docs/campaign.md -coverage e2e/campaign/testdata/coverage.json)

# ORDERS about so many of them in DAYS days; stopped, it goes on where it was.
DAYS ?= 30
demo: ## Fill the local stack with a month of business (ORDERS=n DAYS=n), through the site, and keep it running
	@mkdir -p .data/bin
	@go build -o .data/bin/campaign ./e2e/campaign
	@exec .data/bin/campaign -month -days $(DAYS) -orders $(if $(filter command line,$(origin ORDERS)),$(ORDERS),2000)

# A house of its own with three days behind it, for each run to show the same.
pictures: ## Take the pictures of README and docs anew, of what runs
	@mkdir -p .data/bin
	@rm -rf .data/pictures
	@go build -o .data/bin/campaign ./e2e/campaign
	@exec .data/bin/campaign -month -days 3 -orders 90 -data .data/pictures -leave -pictures

lint: .data/bin/check ## Run the linters only
	@exec .data/bin/check lint lint-temporal lint-helm web-lint web-types

.PHONY: .data/bin/check
.data/bin/check:
	@mkdir -p .data/bin
	@go build -o $@ ./internal/local/check

# As the Dockerfile and a release name it: the newest tag, the commits since, the commit.
build: LDFLAGS = -s -w -X github.com/prometheus/common/version.Version=$(or $(VERSION),$(shell git describe --tags --always --dirty))
build: ## Build every program and the web app (VERSION=v1.2.3)
	@mkdir -p .data/bin
	go build -ldflags='$(LDFLAGS)' -o .data/bin/ ./worker/core ./worker/payments ./worker/exchange ./worker/custody ./backup
	go build -ldflags='$(LDFLAGS)' -o .data/bin/api ./api/server
	go build -ldflags='$(LDFLAGS)' -o .data/bin/identity ./internal/identity/server
	go build -ldflags='$(LDFLAGS)' -o .data/bin/sandbox ./internal/sandbox/server
	go build -ldflags='$(LDFLAGS)' -o .data/bin/launcher ./internal/local/run
	cd internal/local/temporal && go build -ldflags='$(LDFLAGS)' -o ../../../.data/bin/temporal .
	cd web && npm ci --no-audit --no-fund && npm run build

# As root on Debian, with ports 80 and 443 free: docs/testing.md. MODE=staging is a rehearsal; DRILL=--keep leaves everything running.
drill-containers: ## Run docker-compose.yml in containers, without Docker: an order, a memory limit, a release, a restore
	@mkdir -p .data/bin
	@go build -o .data/bin/drill ./deploy/drill
	@exec .data/bin/drill $(if $(MODE),--mode $(MODE)) $(DRILL)

# The same commit gives the same files: docs/upgrade.md.
release: ## Build a release of this commit into .data/release (VERSION=v1.2.3)
	@go run ./deploy/release $(VERSION)

# Where the registries are reached; what to try before it is kept: docs/images.md.
pin: ## Write the digests that the images of others have now into docker-compose.yml and the Dockerfiles
	@go run ./deploy/pin

# BENCH="-long", BENCH="-only pipeline", … see `go run ./bench -help`.
bench: ## Measure against the simplest thing that could do the same (about 15 minutes)
	@mkdir -p .data/bin
	@go build -o .data/bin/bench ./bench
	@exec .data/bin/bench -write docs/performance.md $(BENCH)

generate: ## Write api/openapi.json from the routes, and the web client from it
	go run ./api/server openapi > api/openapi.json.new && mv api/openapi.json.new api/openapi.json
	cd web && npm run generate

reset: ## Forget all local state (accounts, orders, secrets); keep what was built
	@go run ./internal/local/run reset
