#!/bin/sh
# install.sh [--prefix DIR] [--demo] [--uninstall]
#
# Builds ctx with Go and puts it under a prefix (default: ~/.local): programs
# into DIR/bin, the adapters and what belongs to them into DIR/share/ctx.
# Nothing outside the prefix is written. Running it again upgrades in place,
# also while a gateway runs.
set -eu

usage='usage: ./install.sh [--prefix DIR] [--demo] [--uninstall]'

fail() { # MESSAGE [HINT [EXIT CODE]]
	printf 'error: %s\n' "$1" >&2
	[ -z "${2:-}" ] || printf 'hint: %s\n' "$2" >&2
	exit "${3:-1}"
}

prefix= demo= uninstall=
while [ $# -gt 0 ]; do
	case $1 in
	--prefix)
		[ $# -ge 2 ] || fail '--prefix needs a folder' "$usage" 2
		prefix=$2
		shift
		;;
	--prefix=*) prefix=${1#--prefix=} ;;
	--demo) demo=1 ;;
	--uninstall) uninstall=1 ;;
	-h | --help)
		printf '%s\n' "$usage"
		exit 0
		;;
	*) fail "unknown argument: $1" "$usage" 2 ;;
	esac
	shift
done
[ -z "$demo" ] || [ -z "$uninstall" ] || fail '--demo and --uninstall exclude each other' "$usage" 2
if [ -z "$prefix" ]; then
	[ -n "${HOME:-}" ] || fail 'HOME is not set' 'name the folder to install into: --prefix DIR' 2
	prefix=$HOME/.local
fi
case $prefix in
/*) ;;
*) prefix=$PWD/$prefix ;;
esac
source=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
share=$prefix/share/ctx
manifest=$share/manifest # one path below the prefix per line; folders that we made end in /
state=${XDG_STATE_HOME:-}
case $state in
/*) state=$state/ctx ;;
*) state=${HOME:-/nonexistent}/.local/state/ctx ;;
esac

uninstall_all() {
	[ -f "$manifest" ] || fail "ctx is not installed in $prefix" 'name the folder it was installed into: --prefix DIR'
	if [ -x "$prefix/bin/ctx" ]; then
		"$prefix/bin/ctx" unwrap --all || fail 'not uninstalled: the workspace named above is still wrapped' \
			'mend what ctx unwrap says, then run --uninstall again'
	elif ls "$state"/wraps/*.json >/dev/null 2>&1; then
		fail "workspaces are still wrapped, and $prefix/bin/ctx is gone" \
			"run ./install.sh --prefix '$prefix' first, then --uninstall"
	fi
	files=$(grep -v '/$' "$manifest")
	folders=$(grep '/$' "$manifest" | LC_ALL=C sort -r || true)
	printf '%s\n' "$files" | while IFS= read -r path; do
		rm -f -- "$prefix/$path"
	done
	# Deepest first; a folder that holds something of the user's stays.
	printf '%s\n' "$folders" | while IFS= read -r path; do
		case $path in
		'') ;;
		./) rmdir -- "$prefix" 2>/dev/null || true ;;
		*) rmdir -- "$prefix/$path" 2>/dev/null || true ;;
		esac
	done
	rm -rf -- "$state"
	[ -n "${XDG_STATE_HOME:-}" ] || rmdir -- "${state%/ctx}" "${state%/state/ctx}" 2>/dev/null || true
	printf 'ctx is gone from %s\n' "$prefix"
	find "$prefix/share/ctx" -type f 2>/dev/null | while IFS= read -r path; do
		printf 'left, for it was not installed with ctx: %s\n' "$path"
	done
}

if [ -n "$uninstall" ]; then
	uninstall_all
	exit 0
fi

tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"; [ -z "${half:-}" ] || rm -f -- "$half"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# run_go runs go with a home of its own, so that building leaves nothing in the
# user's; the user's settings, and caches that are there already, are used.
run_go() {
	env HOME="$tmp/home" XDG_CONFIG_HOME="$tmp/home/config" XDG_CACHE_HOME="$tmp/home/cache" \
		GOENV="$goenv" GOMODCACHE="$modcache" GOCACHE="$cache" GOTOOLCHAIN=local GOWORK=off GO111MODULE=on \
		GOFLAGS="${GOFLAGS:-}${modflags:-}" CGO_ENABLED=0 NETRC="${NETRC:-${HOME:-}/.netrc}" go "$@"
}

find_caches() {
	goenv=${GOENV:-${XDG_CONFIG_HOME:-${HOME:-}/.config}/go/env}
	modcache= cache=
	mkdir -p "$tmp/home"
	set_by_user=$(run_go env GOMODCACHE)
	case $set_by_user in
	"$tmp"/*) set_by_user=${HOME:-}/go/pkg/mod ;;
	esac
	modcache=${GOMODCACHE:-$set_by_user}
	if [ ! -w "$modcache" ]; then
		modcache=$tmp/mod modflags=' -modcacherw'
	fi
	case $(uname -s) in
	Darwin) usual=${HOME:-}/Library/Caches/go-build ;;
	*) usual=${XDG_CACHE_HOME:-${HOME:-}/.cache}/go-build ;;
	esac
	cache=${GOCACHE:-$usual}
	[ -w "$cache" ] || cache=$tmp/cache
}

check_go() {
	where='see https://go.dev/doc/install'
	want=$(sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' "$source/go.mod")
	command -v go >/dev/null 2>&1 || fail "Go $want or newer is needed, and there is no go in PATH" "$where" 3
	have=$(cd / && HOME=$tmp/home XDG_CONFIG_HOME=$tmp/home/config GOTOOLCHAIN=local go version | sed -n 's/.*go\([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p')
	[ -n "$have" ] || fail 'go version does not say which it is' "$where" 3
	if [ "${have%%.*}" -lt "${want%%.*}" ] ||
		{ [ "${have%%.*}" -eq "${want%%.*}" ] && [ "${have#*.}" -lt "${want#*.}" ]; }; then
		fail "Go $want or newer is needed; $(command -v go) is $have" "$where" 3
	fi
}

# make_folder makes a folder below the prefix and notes those that were missing.
make_folder() {
	[ ! -d "$prefix/$1" ] || return 0
	case $1 in
	*/*) make_folder "${1%/*}" ;;
	esac
	mkdir -p -- "$prefix/$1" || fail "cannot make $prefix/$1" 'choose another folder: --prefix DIR'
	printf '%s/\n' "$1" >>"$tmp/manifest"
}

# put installs a file under its final name in one step: a program that runs now
# keeps the file it was started from.
put() { # FILE PATH MODE
	half=$prefix/$2.new.$$
	cp -- "$1" "$half" && chmod "$3" "$half" && mv -f -- "$half" "$prefix/$2" ||
		fail "cannot write $prefix/$2" 'choose another folder: --prefix DIR'
	half=
	printf '%s\n' "$2" >>"$tmp/manifest"
}

sha256() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum "$1" | cut -d ' ' -f 1
	else
		shasum -a 256 "$1" | cut -d ' ' -f 1
	fi
}

build() {
	revision=$(git -C "$source" rev-parse --short HEAD 2>/dev/null || true)
	packages='./cmd/ctx ./cmd/hook ./cmd/gateway'
	hosts=
	for main in "$source"/hosts/*/main.go; do
		host=$(basename "$(dirname "$main")")
		hosts="$hosts $host"
		packages="$packages ./hosts/$host"
	done
	mkdir "$tmp/out"
	# shellcheck disable=SC2086 # a list of words
	(cd "$source" && run_go build -trimpath -buildvcs=false \
		-ldflags "-s -w -X github.com/ctx-sidecar/ctx/internal/buildinfo.Revision=$revision" \
		-o "$tmp/out/" $packages) || fail 'the build failed' 'what go said is above'
}

install_all() {
	[ ! -f "$manifest" ] || grep '/$' "$manifest" >"$tmp/manifest" || true
	make_folder .
	make_folder bin
	make_folder share/ctx/plugins
	put "$tmp/out/ctx" bin/ctx 755
	put "$tmp/out/hook" bin/ctx-hook 755
	put "$tmp/out/gateway" bin/ctx-gateway 755
	: >"$tmp/sums"
	for host in $hosts; do
		printf '%s  ctx-host-%s\n' "$(sha256 "$tmp/out/$host")" "$host" >>"$tmp/sums"
	done
	for host in $hosts; do
		put "$tmp/out/$host" "share/ctx/plugins/ctx-host-$host" 755
	done
	# The adapters on this list are trusted as far as their bytes are these.
	put "$tmp/sums" share/ctx/plugins/SHA256SUMS 644
	# What an older version put in and this one does not have.
	if [ -f "$manifest" ]; then
		grep -v '/$' "$manifest" | while IFS= read -r path; do
			grep -qxF -- "$path" "$tmp/manifest" || [ "$path" = share/ctx/manifest ] || rm -f -- "$prefix/$path"
		done
	fi
	printf 'share/ctx/manifest\n' >>"$tmp/manifest"
	cp "$tmp/manifest" "$tmp/manifest.done"
	put "$tmp/manifest.done" share/ctx/manifest 644
}

check_go
find_caches
printf 'building ctx with %s ...\n' "$(cd / && run_go env GOVERSION)"
build
install_all
printf 'installed %s in %s\n' "$("$prefix/bin/ctx" version | cut -d ' ' -f 1-2)" "$prefix/bin"
printf 'search: lexical (ONNX Runtime is not part of this build)\n'
case :$PATH: in
*:"$prefix/bin":*) ;;
*) printf 'not in PATH yet: export PATH="%s:$PATH"\n' "$prefix/bin" ;;
esac

if [ -n "$demo" ]; then
	mkdir "$tmp/demo"
	(cd "$source" && run_go build -trimpath -buildvcs=false -o "$tmp/demo/" ./internal/demo ./internal/stubserver) ||
		fail 'the demo did not build' 'what go said is above'
	"$tmp/demo/demo" "$prefix/bin" "$tmp/demo/stubserver" "$tmp/demo/world"
else
	printf 'next: cd into a workspace and run: ctx wrap setup --gateway\n'
fi
