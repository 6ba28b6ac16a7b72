# make test    formatting, vet, staticcheck and all tests that need Go alone
# make e2e     the real Claude Code and Codex, installed from npm into CLIENTS
# make bench   the numbers of README's table, side by side
# make fuzz    every fuzz target for FUZZTIME
# make routing-table   how well prompts are routed, the table of docs/routing.md; CTX_ORT_LIB names ONNX Runtime
# make heldout-table   the same on rows of five taps that nothing was tuned on
# make retrieval-table how well tools are found, the table of docs/search.md; CTX_ORT_LIB as above
# make model           the sentence model built anew into MODEL, hours; PUBLIC is what models/train/public/convert.py wrote, and
#                      PYTHON one that has models/train/requirements.txt; models/train/README.md says more
# make model-sample    the same on a sample, in minutes: it shows that the recipe runs
# make loo             what the recipe reaches on capabilities and tools that it has not seen, FOLDS of them
# make model-card      every figure of models/README.md
# make scorers         the scorers of the old model and of none, trained anew
# make long            what takes too long for each change: fuzzing and the sample of the model
# make demo    the main job in a throw-away folder

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
CLIENTS    ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/ctx-clients
FUZZTIME   ?= 20s
CTX_DATA   ?= ../shared/data
PYTHON     ?= python3
MODEL      ?= models/ctx-minilm
PUBLIC     ?=
FOLDS      ?= 0,1,2,3,4

data = $$(cd "$(CURDIR)" && cd "$(CTX_DATA)" && pwd)

.PHONY: test lint e2e clients bench fuzz demo routing-table retrieval-table heldout-table scorers model model-sample loo model-card long

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

heldout-table:
	$(PYTHON) models/train/heldout.py --data "$(data)"

scorers:
	cd models/train && $(PYTHON) train.py --data "$(data)" --model ../all-minilm-l6-v2-q
	cd models/train && $(PYTHON) train.py --data "$(data)" --lexical ../../core/activate/lexical.json --fixture

model:
	$(PYTHON) models/train/build.py --data "$(data)" $(if $(PUBLIC),--public "$(PUBLIC)") $(if $(WORK),--work "$(WORK)") --out "$(MODEL)"

model-sample:
	@out=$$(mktemp -d) && trap 'rm -rf "$$out"' EXIT && $(PYTHON) models/train/build.py --sample --out "$$out"

loo:
	$(PYTHON) models/train/loo.py --data "$(data)" $(if $(PUBLIC),--public "$(PUBLIC)") --folds "$(FOLDS)"

model-card:
	@models/train/card.sh "$(data)"

long: fuzz model-sample
