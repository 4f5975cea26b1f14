# Every recipe works in a folder whose name has spaces: all paths are relative.

GOFUMPT = go run mvdan.cc/gofumpt@v0.12.0
STATICCHECK = go run honnef.co/go/tools/cmd/staticcheck@v0.8.2
TESTSUM = go run ./internal/tools/testsum $(if $(TEST_TOTAL),-total "$(TEST_TOTAL)")

# How long make fuzz looks for a new input of each target.
FUZZTIME = 20s
# Whom the marketplace of make release names; this repository if empty.
REPOSITORY =

.PHONY: build demo test lint bench realclient release fuzz help

build: ## build the binary where the launcher finds it
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$$(sed -n 's/^  "version": "\(.*\)",$$/\1/p' plugin.json)" \
		-o "bin/$$(go env GOOS)-$$(go env GOARCH)/omc-hook$$(go env GOEXE)" ./cmd/omc-hook

demo: build ## watch a loop reach its goal, and one that is released
	go run ./internal/tools/demo

# The race detector needs a C compiler; without one the tests run without it.
test: ## check everything but the real client
	go vet ./...
	race=; if [ "$$(go env CGO_ENABLED)" = 1 ] && command -v "$$(go env CC)" >/dev/null; then race=-race; fi; \
		OMC_HOOK_REALCLIENT=off go test $$race -timeout 40m -json ./... | $(TESTSUM)

lint: ## check formatting, go vet for each system, staticcheck and go.mod
	@unformatted=$$($(GOFUMPT) -l .) && test -z "$$unformatted" || { echo "not formatted: $$unformatted"; exit 1; }
	GOOS=linux go vet ./...
	GOOS=darwin go vet ./...
	GOOS=windows go vet ./...
	$(STATICCHECK) ./...
	go mod tidy -diff

bench: build ## measure what a Stop costs
	go run ./internal/tools/bench

realclient: build ## run the loops in the real Claude Code client, with a scripted model
	OMC_HOOK_REALCLIENT=require go test -count=1 -timeout 40m -json ./internal/realclient/... | $(TESTSUM)

release: ## write the branch release, and a marketplace for it below dist/
	go run ./internal/tools/release -marketplace dist/marketplace -repository "$(REPOSITORY)"

fuzz: ## look for new inputs that break a parser, FUZZTIME each
	sh .ci/fuzz "$(FUZZTIME)"

help: ## list what make can do
	@sed -n 's/^\([a-z]*\):.*## /\1|/p' Makefile | while IFS='|' read -r name text; do printf '%-11s %s\n' "$$name" "$$text"; done
