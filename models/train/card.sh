#!/bin/sh
# models/train/card.sh DATA: prints every figure of models/README.md that is no
# training run's. CTX_ORT_LIB names the ONNX Runtime library.
set -eu
data=$1
cd "$(dirname -- "$0")/../.."
away=$(mktemp -d)
trap 'rm -rf "$away"' EXIT
mkdir -p "$away/share/ctx" "$away/home"
cp -r models "$away/share/ctx"
go build -o "$away/ctx" ./cmd/ctx
for model in ctx-minilm all-minilm-l6-v2-q; do
	printf '\n## %s\n\n' "$model"
	ls -l "models/$model" | awk 'NR > 1 { print $5, $9 }'
	mkdir -p "$away/config-$model/ctx"
	printf '[embed]\nmodel = "%s"\n' "$away/share/ctx/models/$model" >"$away/config-$model/ctx/ctx.toml"
	in_home() { (cd "$away/home" && HOME="$away/home" XDG_DATA_HOME="$away/share" XDG_CONFIG_HOME="$away/config-$model" "$@"); }
	in_home "$away/ctx" eval routing --tap "$data/taps/octomind-tap" --set "$data/routing/dev.jsonl"
	for set in coding metatool; do
		printf '\n%s\n' "$set"
		in_home "$away/ctx" eval retrieval --tools "$data/retrieval/${set}_tools.jsonl" --queries "$data/retrieval/${set}_queries.jsonl"
	done
done
printf '\n## one prompt, one thread\n\n'
go test -run '^$' -bench Prompt -benchtime 300x -count 3 ./core/embed
