# make test    formatting, vet, staticcheck and all tests that need Go alone
# make e2e     the real Claude Code and Codex, installed from npm into CLIENTS
# make bench   the numbers of README's table, side by side
# make fuzz    every fuzz target for FUZZTIME
# make routing-table   how well prompts are routed, the table of docs/routing.md; CTX_ORT_LIB names ONNX Runtime
# make retrieval-table how well tools are found, the table of docs/search.md; CTX_ORT_LIB as above
# make scorers         the scorers trained anew, as models/train/README.md says
# make demo    the main job in a throw-away folder

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
CLIENTS    ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/ctx-clients
FUZZTIME   ?= 20s
CTX_DATA   ?= ../shared/data
PYTHON     ?= python3

.PHONY: test lint e2e clients bench fuzz demo routing-table retrieval-table scorers

test: lint
	go test -race ./...

lint:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "gofmt: $$unformatted"; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...

clients:
	test/e2e/clients.sh "$(CLIENTS)"

e2e: clients
	CTX_REALHOSTS="$(CLIENTS)" go test -count=1 -timeout 25m ./test/e2e/... ./hosts/...

bench: clients
	CTX_REALHOSTS="$(CLIENTS)" bench/run

fuzz:
	@for target in $$(git grep -l '^func Fuzz' -- '*_test.go' | xargs -n 1 dirname | sort -u); do \
		for name in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' $$target/*_test.go); do \
			go test -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) ./$$target || exit 1; \
		done; \
	done

demo:
	@prefix=$$(mktemp -d) && trap 'rm -rf "$$prefix"' EXIT && ./install.sh --prefix "$$prefix" --demo

# It runs outside of the repository, for no model is loaded that lies in one.
routing-table:
	@away=$$(mktemp -d) && trap 'rm -rf "$$away"' EXIT && mkdir "$$away/empty" "$$away/ctx" && cp -r models "$$away/ctx" && \
	data=$$(cd "$(CTX_DATA)" && pwd) && go build -o "$$away/bin" ./cmd/ctx && cd "$$away/empty" && \
	HOME="$$away/empty" XDG_DATA_HOME="$$away" "$$away/bin" eval routing \
		--tap "$$data/taps/octomind-tap" --set "$$data/routing/dev.jsonl" --rankers all

retrieval-table:
	@away=$$(mktemp -d) && trap 'rm -rf "$$away"' EXIT && mkdir "$$away/empty" "$$away/ctx" && cp -r models "$$away/ctx" && \
	data=$$(cd "$(CTX_DATA)" && pwd)/retrieval && go build -o "$$away/bin" ./cmd/ctx && cd "$$away/empty" && \
	for set in coding metatool; do echo "$$set" && \
		HOME="$$away/empty" XDG_DATA_HOME="$$away" "$$away/bin" eval retrieval \
			--tools "$$data/$${set}_tools.jsonl" --queries "$$data/$${set}_queries.jsonl" && echo || exit 1; done

scorers:
	cd models/train && $(PYTHON) train.py --data "$$(cd "$(CURDIR)" && cd "$(CTX_DATA)" && pwd)" --model ../all-minilm-l6-v2-q
