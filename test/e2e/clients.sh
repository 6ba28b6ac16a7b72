#!/bin/sh
# clients.sh DIR: the real clients and the reference MCP servers, pinned, from
# npm into DIR; nothing is done when they are there.
set -eu
dir=${1:?usage: clients.sh DIR}
packages='@anthropic-ai/claude-code@2.1.328 @openai/codex@0.169.0
@modelcontextprotocol/server-everything@2026.8.31
@modelcontextprotocol/server-filesystem@2026.8.31
@modelcontextprotocol/server-memory@2026.8.31'
if [ "$(cat "$dir/installed" 2>/dev/null)" = "$packages" ]; then
	exit 0
fi
command -v npm >/dev/null 2>&1 || {
	echo 'error: the real clients come from npm, and there is no npm in PATH' >&2
	echo 'hint: install Node.js 20 or newer, or run make test alone' >&2
	exit 3
}
mkdir -p "$dir"
[ -f "$dir/package.json" ] || printf '{"private":true}\n' >"$dir/package.json"
# shellcheck disable=SC2086 # a list of words
npm install --prefix "$dir" --no-audit --no-fund --loglevel=error $packages
printf '%s' "$packages" >"$dir/installed"
