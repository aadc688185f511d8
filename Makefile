# GNU make. `make run` on a fresh machine, `make test` before sending anything; `make help` lists the rest.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

MANIFEST  := assets/dist/manifest.json
INSTALLED := node_modules/.package-lock.json
SCRIPTS   := $(filter-out %.test.ts %.test.tsx %testing.tsx,$(wildcard islands/*.ts* islands/*/*.ts*)) vite.config.ts bundlereport.ts package-lock.json
SOURCES   := -path ./node_modules -prune -o -path ./.git -prune -o -type f
TEMPLATES := $(shell find . $(SOURCES) -name '*.templ' -print)
GENERATED := $(TEMPLATES:.templ=_templ.go)
# The newest tag and the number of commits since; empty in a repository without tags. -buildvcs adds the commit.
VERSION   := $(shell git describe --tags --dirty 2>/dev/null)
GO_BUILD  := go build -trimpath -buildvcs=auto $(if $(VERSION),-ldflags "-X main.version=$(VERSION)") -o bin/portico .
# badline builds the program itself, which the cache of test results does not see: it always runs anew.
# Fuzzing compiles everything anew, and has no use for a fast SQLite.
FUZZ      := CGO_CFLAGS=-O0 go test
HAS_NODE  := $(shell .ci/setup node 2>/dev/null && echo yes)

.PHONY: help run test lint build build-report bench scale conformance engines release release-test s3-test screens product generate clean
.PHONY: go scripts templates check-scripts check-style check-types check-islands check-generated check-gofmt check-vet check-static

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## install what is missing, build, load the demo data, serve
	@./bin/portico migrate
	@./bin/portico demo
	@exec ./bin/portico serve

build: go scripts templates ## bin/portico with everything in it
	@echo "==> builds bin/portico"
	@$(GO_BUILD)

build-report: $(INSTALLED) ## docs/bundle.md and bin/islands.html: what the scripts weigh
	@mkdir -p bin
	@BUNDLE_REPORT=1 npm run --silent build -- --logLevel warn

test: ## install what is missing, run every check and test
	@.ci/setup
	@$(MAKE) check-style check-types check-islands scripts check-generated check-gofmt check-vet
	@echo "==> tests the Go code"
	@.ci/gotest -race $(if $(CI),-count=1) $$(go list ./... | grep -v -e /badline$$ -e /e2e/ -e /scale$$ -e /deploy/debian$$)
	@echo "==> tests every form and call over a line that loses answers"
	@.ci/gotest -race -count=1 ./badline
	@echo "==> fuzzes the readers of signed calls"
	@for target in Parameters Signature JSON; do $(FUZZ) ./api -run '^$$' -fuzz "^Fuzz$$target\$$" -fuzztime 15000x | { out=$$(cat); grep -q '^PASS' <<<"$$out" || { echo "$$out"; exit 1; }; }; done
	@echo "==> fuzzes the filter of style sheets"
	@$(FUZZ) ./portal/stylesheet -run '^$$' -fuzz '^FuzzStyle$$' -fuzztime 15000x | { out=$$(cat); grep -q '^PASS' <<<"$$out" || { echo "$$out"; exit 1; }; }
	@echo "==> tests the flows in a browser, with the machine to itself"
	@.ci/gotest -p 1 -timeout 30m $(if $(CI),-count=1) ./e2e/... # they drive the built program: a race detector would watch only the tests

lint: go check-gofmt check-vet check-static check-style check-types check-generated ## all the linters

bench: build ## load and page-weight figures
	@go run ./bench

# Runs the tests whose names contain one of these words.
SCALE := RollOut|Instances|Migrat|PgBouncer|Isolation|LockedTable|SlowOperations|ThatIsGone|TakesLong|ReadOnlyPrimary
scale: go ## test what docs/growing.md says: roll-outs, failovers, poolers, cells, growth
	@.ci/setup postgres pgbouncer nginx haproxy caddy patroni etcd cpulimit
	@{ go test -count=1 -v -run '$(SCALE)' . ./store && go test -count=1 -v -timeout 30m ./shape ./scale; } 2>&1 | grep -E '^(--- |FAIL|ok|panic| +[a-z_]+_test.go)'

# Runs the tests of the database that need nothing but a server, whose names contain one of these words.
CONFORMANCE := Postgres|postgres|Isolation|Migrat|Transaction|Parallel|Concurrent|Collide|Retry|AtOnce|Race
conformance: go ## test a Postgres of yours: make conformance DSN=postgres://… of a role that may create databases
	@test -n '$(DSN)' || { echo 'make conformance DSN=postgres://ROLE:PASSWORD@HOST/DATABASE' >&2; exit 2; }
	@TEST_DATABASE_URL='$(DSN)' go test -count=1 -run '$(CONFORMANCE)' . ./store/... ./portal/...

engines: go scripts templates ## test the main flows in WebKit, the engine of iPhones, and in Firefox
	@.ci/setup webkit firefox
	@go test -count=1 ./e2e/engines

# The release tool is a module of its own. What it writes to dist/ is the same for everybody who builds the commit.
release: go scripts templates ## dist/: programs, packages, image, SBOM and checksums of this commit
	@.ci/setup cross
	@cd release && go run .

release-test: release ## test what `make release` wrote: packages, image, a fresh Debian 12
	@.ci/setup cross systemd nginx skopeo qemu mmdebstrap lintian
	@cd release && go test -count=1 ./...
	@go test -count=1 -v -timeout 30m ./deploy/debian

# The tests find the servers in PATH. They take seconds; the first build of the servers takes minutes.
s3-test: go ## test uploads and backups on two S3 servers, versitygw and rclone
	@.ci/setup s3servers
	@PATH="$${XDG_CACHE_HOME:-$$HOME/.cache}/portico/s3servers:$$PATH" S3_SERVERS=required \
		go test -count=1 -v -run 'S3' ./backup | grep -E '^ *--- |^(FAIL|ok|panic)|_test.go'

screens: go scripts templates ## docs/screens: a picture of every page
	@.ci/setup chromium font latinfont boldfont
	@rm -f docs/screens/*.webp
	@FONTCONFIG_FILE=$(CURDIR)/e2e/page/testdata/fonts.conf PORTICO_SHOTS=$(CURDIR)/docs/screens go test -count=1 -parallel 2 -run '^TestPicturesOfEveryPage$$' ./e2e/page

product: go scripts templates ## assets/product: the pictures of the product on the sign-in page
	@.ci/setup chromium font latinfont boldfont
	@FONTCONFIG_FILE=$(CURDIR)/e2e/page/testdata/fonts.conf PORTICO_PRODUCT=$(CURDIR)/assets/product go test -count=1 -run '^TestPicturesOfTheProduct$$' ./e2e/page

generate: go ## write the Go code of every template anew
	@go tool templ generate -log-level error

clean: ## remove what was built; data and node_modules stay
	@rm -rf bin coverage
	@find assets/dist -mindepth 1 ! -name .keep -delete

go:
	@.ci/setup go gcc

# Templates that changed since their Go code was written.
templates: $(GENERATED)
	@:

$(GENERATED): %_templ.go: %.templ
	@echo "==> generates $@"
	@go tool templ generate -log-level error -f $<
	@touch $@

ifeq ($(HAS_NODE),yes)
scripts: $(MANIFEST)
	@:
else
scripts:
	@echo "==> no Node.js 20.19 or newer here: the pages are served without their scripts"
endif

$(MANIFEST): $(SCRIPTS) $(INSTALLED)
	@echo "==> builds the islands"
	@npm run --silent build -- --logLevel warn

$(INSTALLED): package-lock.json
	@echo "==> installs the npm packages"
	@npm ci --loglevel error >/dev/null
	@touch $@

check-style: $(INSTALLED)
	@echo "==> checks the style of the islands"
	@npm run --silent lint

check-types: $(INSTALLED)
	@echo "==> checks the types of the islands"
	@npm run --silent types

check-islands: $(INSTALLED)
	@echo "==> tests the islands and the API client"
	@npm run --silent test
	@echo "==> builds and tests the islands with React itself"
	@REAL_REACT=1 npm run --silent build -- --logLevel error --outDir bin/islands-with-react
	@REAL_REACT=1 npm run --silent test

check-generated:
	@echo "==> checks that the generated Go code is current"
	@sums() { find . $(SOURCES) -name '*_templ.go' -exec cksum {} + | sort -k 3; }; \
	before=$$(sums); \
	go tool templ generate -log-level error; \
	stale=$$({ diff <(echo "$$before") <(sums) || :; } | awk '/^[<>]/ { print $$NF }' | sort -u); \
	if [ -n "$$stale" ]; then \
		printf '%s was stale and is written anew: commit it\n' $$stale >&2; \
		exit 1; \
	fi

check-gofmt:
	@echo "==> checks the format of the Go code"
	@unformatted=$$(find . $(SOURCES) -name '*.go' ! -name '*_templ.go' -exec gofmt -l {} +); \
	if [ -n "$$unformatted" ]; then \
		printf '%s is not as gofmt writes it\n' $$unformatted >&2; \
		exit 1; \
	fi

# With the race detector, so that what is compiled here is not compiled again for the tests.
check-vet:
	@echo "==> vets the Go code"
	@go vet -race ./...

check-static:
	@echo "==> runs staticcheck"
	@go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
