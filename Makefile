# What the checks need beyond Go is fetched as Go modules, at these versions.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME   ?= 10s
FUZZPKGS   ?= ./...
BENCHTIME  ?= 1s

# What arrives from a network or is made of it: check tries these for a moment.
DECODERS = ./internal/sse ./model ./model/anthropic ./model/openai ./model/chat

.PHONY: all build check format vet staticcheck test race integration fuzz fuzz-decoders bench startup

all: build

build:
	CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o bin/quarry ./cmd/quarry

# check is what a change has to pass.
check: format vet staticcheck race fuzz-decoders

format:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not gofmt-ed:" $$unformatted; exit 1; fi

vet:
	go vet ./...

staticcheck:
	go run $(STATICCHECK) ./...

test:
	go test ./...

race:
	go test -race -timeout 30m ./...

# integration tests toolbox/mcp against servers from npm, quarry mcp against a
# client, and web/render with Chromium; it skips where they cannot be had.
integration:
	.ci/integration

# fuzz runs every fuzz target of FUZZPKGS, which are all, for FUZZTIME.
fuzz:
	@set -e; for pkg in $$(go list $(FUZZPKGS)); do \
	  dir=$$(go list -f '{{.Dir}}' $$pkg); \
	  for target in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' $$dir/*_test.go 2>/dev/null | sed 's/func //'); do \
	    echo "$$pkg $$target"; \
	    go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$pkg; \
	  done; \
	done

fuzz-decoders:
	@$(MAKE) --no-print-directory fuzz FUZZPKGS="$(DECODERS)" FUZZTIME=2s

# bench prints the figures of docs/performance.md.
bench:
	go test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) ./...
	@$(MAKE) --no-print-directory startup

# startup prints the size of the binary and how long it takes to start.
startup: build
	@ls -l bin/quarry | awk '{printf "binary: %.1f MB\n", $$5 / 1e6}'
	@for i in 1 2 3 4 5; do \
	  start=$$(date +%s%N); bin/quarry --version > /dev/null; end=$$(date +%s%N); \
	  echo "quarry --version: $$(( (end - start) / 1000 )) µs"; done
