# GNU make. `make run` on a fresh machine, `make test` before sending anything; `make help` lists the rest.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

MANIFEST  := assets/dist/manifest.json
INSTALLED := node_modules/.package-lock.json
SCRIPTS   := $(filter-out %.test.ts %.test.tsx %testing.ts %testing.tsx,\
	$(wildcard islands/*.ts* islands/*/*.ts*)) package-lock.json
SOURCES   := -path ./node_modules -prune -o -path ./.git -prune -o -type f
TEMPLATES := $(shell find . $(SOURCES) -name '*.templ' -print)
GENERATED := $(TEMPLATES:.templ=_templ.go)
# One build cache serves every clone: without -trimpath Go compiles everything anew in each folder.
export GOFLAGS := $(GOFLAGS) -trimpath
# The toolchain that go.mod names, which has the newest fixes, also where an older one is installed.
export GOTOOLCHAIN ?= auto
# The newest tag and the number of commits since, like 1.2.0-3-g1234567. In a repository without tags it is empty, and
# the program has the number of command/VERSION. -buildvcs adds the commit.
VERSION   := $(patsubst v%,%,$(shell git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null))
GO_BUILD  := go build -buildvcs=auto $(if $(VERSION),-ldflags "-X portico/command.version=$(VERSION)") -o bin/portico .
# The program that the browser tests, badline and the samples of deploy/ start, linked once for all of them.
UNDER_TEST := $(CURDIR)/bin/test/portico

# The module of tools/ and the product as one, for commands that run both.
TOGETHER  := GOWORK=$(CURDIR)/tools/go.work

# The packages whose goroutines share something: caches, counters, pools, queues, sessions, servers. `make test` runs
# them with the race detector, `make test-all` all packages.
RACE      := store|gateway|server|portal/(access|core)
# One goroutine reads a file there, and the race detector makes the largest files of make test-all take seven minutes.
UNRACED   := portal/spreadsheets
# The packages that run by themselves, after the others.
ALONE     := tools/badline|e2e|deploy|tools/scale
# The packages that read the repository: make check runs them.
READ      := tools/structure|locale
# What the tests of the samples of deploy/ start.
DEPLOY_TOOLS := pgbouncer nginx haproxy caddy promtool systemd
# The packages whose paths match the first expression and not the second.
packages   = $$($(TOGETHER) go list ./... ./tools/... | grep -E '^portico($(if $(1),/($(1))(/|$$),))' | grep -vE '^portico/($(2))(/|$$)')
GO_TEST   := $(TOGETHER) .ci/gotest -vet=off -timeout 30m $(if $(CI),-count=1)
GOLANGCI   = $$(ls -d "$${XDG_CACHE_HOME:-$$HOME/.cache}"/portico/golangci-lint-v*/golangci-lint | sort -V | tail -n 1)
# Fuzzing compiles everything anew, and has no use for a fast SQLite.
FUZZ      := CGO_CFLAGS=-O0 go test
HAS_NODE  := $(shell .ci/setup node 2>/dev/null && echo yes)

.PHONY: help run dev check test test-all audit build build-report report bench scale conformance engines release
.PHONY: release-test s3-test screens chosen-screens product generate clean
.PHONY: go scripts templates under-test check-style check-types check-css check-generated check-gofmt check-go
.PHONY: check-structure check-bundle test-islands test-react test-race test-rest test-browser test-everything test-deploy
.PHONY: test-scale fuzz

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The program refuses variables that begin with PORTICO_ and are no settings of its own.
run: build ## install what is missing, build, load the demo data, serve
	@unset PORTICO_SETUP; ./bin/portico migrate; ./bin/portico demo; exec ./bin/portico serve

dev: go scripts templates ## serve the demo data; each edit is in the browser within seconds
	@unset PORTICO_SETUP; exec .ci/dev

build: go scripts templates ## bin/portico with everything in it
	@echo "==> builds bin/portico"
	@$(GO_BUILD)

build-report: $(INSTALLED) ## docs/bundle.md and bin/islands.html: what the scripts weigh
	@mkdir -p bin
	@BUNDLE_REPORT=1 npm run --silent build -- --logLevel warn

check: check-style check-css check-types check-generated check-gofmt check-go check-structure check-bundle ## all linters and the tests of structure: before every commit

test: ## install what is missing, run every linter and the tests that find most faults
	@.ci/setup go gcc node chromium font postgres golangci $$(.ci/deploy-tested || echo $(DEPLOY_TOOLS))
	@$(MAKE) -j3 check scripts test-islands under-test
	@.ci/deploy-tested || $(MAKE) test-deploy
	@.ci/in-memory $(MAKE) test-race test-rest test-browser

test-all: ## install what is missing, run every test: before a release, and before a large change is called done
	@.ci/setup go gcc node chromium chromium83 font postgres golangci $(DEPLOY_TOOLS) webkit firefox s3servers \
		patroni etcd cpulimit
	@$(MAKE) -j3 check scripts test-islands test-react under-test
	@TEST_ALL=1 .ci/in-memory $(MAKE) test-everything
	@$(MAKE) test-deploy fuzz engines s3-test test-scale

audit: go $(INSTALLED) ## look for known vulnerabilities in what the program is built from
	@.ci/audit

report: go ## how the Go code is built: figures beside those of well-known programs
	@cd tools && go run ./report

bench: build ## load and page-weight figures
	@cd tools && go run ./bench

# Runs the tests whose names contain one of these words.
SCALE := RollOut|Instances|Migrat|PgBouncer|Isolation|LockedTable|SlowStatement|LostDatabase|ReadOnlyPrimary
scale: go ## test what docs/growing.md says: roll-outs, failovers, poolers, cells, growth
	@.ci/setup postgres pgbouncer nginx haproxy caddy patroni etcd cpulimit
	@export TEST_ALL=1; \
	{ go test -count=1 -v -run '$(SCALE)' ./command ./store && \
		cd tools && go test -count=1 -v -timeout 30m ./shape ./scale; } 2>&1 | grep -E '^(--- |FAIL|ok|panic| +[a-z_]+_test.go)'

# Runs the tests of the database that need nothing but a server, whose names contain one of these words.
CONFORMANCE := Postgres|postgres|Isolation|Migrat|Transaction|Parallel|Concurrent|Collide|Retry|AtOnce|Race
conformance: go ## test a Postgres of yours: make conformance DSN=postgres://… of a role that may create databases
	@test -n '$(DSN)' || { echo 'make conformance DSN=postgres://ROLE:PASSWORD@HOST/DATABASE' >&2; exit 2; }
	@TEST_DATABASE_URL='$(DSN)' go test -count=1 -run '$(CONFORMANCE)' ./command ./store/... ./portal/...

engines: go scripts templates ## test the main flows in WebKit, the engine of iPhones, and in Firefox
	@.ci/setup webkit firefox
	@go test -count=1 ./e2e/engines

# What `make test` runs once everything is checked and built. Most tests wait more than they compute, so more packages
# run at once than there are cores. Packages that wait long start first.
test-race:
	@echo "==> tests the packages that share something between goroutines, with the race detector"
	@$(GO_TEST) -p 4 -race portico/store $(call packages,$(RACE),$(ALONE))

test-rest:
	@echo "==> tests the other packages"
	@$(GO_TEST) -p 4 portico/tools/shape $(call packages,,$(RACE)|$(ALONE)|$(READ))

test-browser:
	@echo "==> tests forms and calls over a line that loses answers, and the flows in a browser"
	@TEST_PROGRAM=$(UNDER_TEST) $(GO_TEST) -p 3 $(call packages,tools/badline|e2e,e2e/(engines|oldbrowser))

test-everything:
	@echo "==> tests all packages, with the race detector"
	@$(GO_TEST) -race $(call packages,,$(ALONE)|$(UNRACED))
	@$(GO_TEST) $(call packages,$(UNRACED),-)
	@echo "==> tests every form and call over a line that loses answers, and the flows in a browser"
	@TEST_PROGRAM=$(UNDER_TEST) $(GO_TEST) -p 2 $(call packages,tools/badline|e2e,e2e/engines)

under-test: go scripts templates
	@go build -o $(UNDER_TEST) .

# The samples of deploy/ change seldom and take minutes. deploy/tested.sum says which state of them has passed.
test-deploy: under-test
	@.ci/setup $(DEPLOY_TOOLS)
	@echo "==> tests the samples of deploy/"
	@TEST_ALL=1 TEST_PROGRAM=$(UNDER_TEST) $(GO_TEST) $(call packages,deploy,deploy/debian)
	@.ci/deploy-tested write

# Of what make scale runs, make test-all has run the rest already.
test-scale: go
	@echo "==> tests roll-outs and failovers"
	@TEST_ALL=1 $(GO_TEST) portico/tools/scale

fuzz: go
	@echo "==> fuzzes the readers of signed calls, of pictures and of spreadsheets, and the filter of style sheets"
	@for target in ./api:Parameters ./api:Signature ./api:JSON ./portal/stylesheet:Style \
		./portal/pictures:Picture ./portal/pictures:Profile \
		./portal/spreadsheets:File ./portal/spreadsheets:Workbook; do \
		$(FUZZ) $${target%:*} -run '^$$' -fuzz "^Fuzz$${target#*:}\$$" -fuzztime 15000x | \
		{ out=$$(cat); grep -q '^PASS' <<<"$$out" || { echo "$$out"; exit 1; }; }; done

# The release tool is a module of its own. What it writes to dist/ is the same for everybody who builds the commit.
release: go scripts templates ## dist/: programs, packages, image, SBOM and checksums of this commit
	@.ci/setup cross
	@cd tools/release && GOWORK=off go run .$(if $(CHANGED), -changed)

release-test: ## test what `make release` writes: packages, image, a fresh Debian 12
	@.ci/setup go gcc cross systemd nginx skopeo qemu mmdebstrap lintian
	@$(MAKE) release
	@cd tools/release && GOWORK=off go test -count=1 ./...
	@TEST_ALL=1 go test -count=1 -v -timeout 30m ./deploy/debian

# The tests find the servers in PATH. They take seconds; the first build of the servers takes minutes.
s3-test: go ## test uploads and backups on two S3 servers, versitygw and rclone
	@.ci/setup s3servers
	@PATH="$${XDG_CACHE_HOME:-$$HOME/.cache}/portico/s3servers:$$PATH" S3_SERVERS=required \
		go test -count=1 -v -run 'S3' ./store/backup | grep -E '^ *--- |^(FAIL|ok|panic)|_test.go'

screens: go scripts templates ## bin/screens: a picture of every page, and index.html
	@.ci/setup chromium font latinfont boldfont
	@rm -rf bin/screens
	@FONTCONFIG_FILE=$(CURDIR)/e2e/page/testdata/fonts.conf PORTICO_SHOTS=$(CURDIR)/bin/screens go test -count=1 -timeout 30m -parallel 2 -run '^TestPicturesOfEveryPage$$' ./e2e/page

chosen-screens: ## docs/screens: the pictures that documents show, of those that make screens took
	@for picture in docs/screens/*.webp; do cp "bin/screens/$${picture##*/}" docs/screens/; done

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

check-css: $(INSTALLED)
	@echo "==> checks the style sheets"
	@npm run --silent css

test-islands: $(INSTALLED)
	@echo "==> tests the islands and the API client"
	@npm run --silent test

test-react: $(INSTALLED)
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

# What reads the generated code waits until it is written.
check-gofmt check-go check-structure under-test: | check-generated

check-gofmt:
	@echo "==> checks the format of the Go code"
	@unformatted=$$(find . $(SOURCES) -name '*.go' ! -name '*_templ.go' -exec gofmt -l {} +); \
	if [ -n "$$unformatted" ]; then \
		printf '%s is not as gofmt writes it\n' $$unformatted >&2; \
		exit 1; \
	fi

check-go: go
	@.ci/setup golangci
	@echo "==> checks the Go code"
	@$(TOGETHER) $(GOLANGCI) run --config tools/golangci.yml ./... ./tools/...
	@go build -tags dev ./assets ./locale ./pages/web # the files that only make dev compiles

check-bundle: scripts | check-generated
	@echo "==> checks that docs/bundle.md is current"
	@go test -vet=off -count=1 -run TestBundleReportIsCurrent ./assets

# Go doesn't see which files of the repository these tests read, so it must not repeat an earlier result.
check-structure: go
	@echo "==> checks imports, lines, documents and texts"
	@$(TOGETHER) go test -vet=off -count=1 $(call packages,$(READ),-)
