# shellcheck shell=bash
# Functions and names shared by the scripts beside this file. Source it, after
# "set -eu", with: . "$(dirname "$0")/lib.sh"
#
# A script's result goes to standard output; messages for the user go to standard
# error, through say and die.

set -o pipefail
export LC_ALL=C

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${PERFGRP_BUILD:-$TOP/build}
CACHE=${PERFGRP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/perfgrp}

# The Debian release of this machine.
# shellcheck source=/dev/null
OWN_RELEASE=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")

# The kernels, one per line:
#   name,
#   Debian's architecture,
#   the suite it comes from; its release also gives the compiler, the libraries and perf,
#   NAME of the metapackages linux-image-NAME and linux-headers-NAME, or "source": one of our
#     own from the suite's linux-source, configured by the files in scripts/kernels,
#   what make test does with it. all: runs all tests; kernel: lists that run-tests has;
#     debug: likewise, and KUnit; build: only builds; nothing: it is used only if it is named.
# PERFGRP_FLAVOURS in the environment adds such lines.
FLAVOURS="
amd64-bookworm		amd64	bookworm		amd64		all
amd64-trixie		amd64	trixie			amd64		kernel
amd64-newest		amd64	trixie-backports	amd64		all
amd64-rt		amd64	trixie-backports	rt-amd64	kernel
amd64-cloud		amd64	trixie-backports	cloud-amd64	build
amd64-sid		amd64	sid			amd64		nothing
arm64-bookworm		arm64	bookworm		arm64		kernel
arm64-trixie		arm64	trixie			arm64		kernel
arm64-newest		arm64	trixie-backports	arm64		kernel
arm64-sid		arm64	sid			arm64		nothing
amd64-debug-bookworm	amd64	bookworm		source		debug
amd64-debug-newest	amd64	trixie-backports	source		debug
amd64-debug-rt		amd64	trixie-backports	source		nothing
amd64-debug-kcsan	amd64	trixie-backports	source		nothing
arm64-debug-bookworm	arm64	bookworm		source		nothing
arm64-debug-trixie	arm64	trixie			source		debug
arm64-debug-newest	arm64	trixie-backports	source		nothing
${PERFGRP_FLAVOURS:-}
"

# flavours_of KIND...: prints the names of the flavours of these kinds, in one line.
flavours_of() {
	awk -v kinds=" $* " 'NF && index(kinds, " " $5 " ") { printf "%s%s", sep, $1; sep = " " }' \
		<<<"$FLAVOURS"
}

ALL_FLAVOURS=$(flavours_of all kernel debug build nothing)
DEBUG_FLAVOURS=$(flavours_of debug)
# The flavours used by make check and by make kunit.
CHECK_FLAVOUR=amd64-$OWN_RELEASE
KUNIT_FLAVOUR=amd64-debug-newest
export TOP BUILD CACHE ALL_FLAVOURS DEBUG_FLAVOURS CHECK_FLAVOUR KUNIT_FLAVOUR

say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
	printf '%s: error: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# usage_is TEXT: sets what --help prints; a script calls it before it reads its arguments.
usage_is() {
	USAGE=$1
}

usage() {
	printf 'usage: %s\n' "$USAGE"
	exit 0
}

bad_usage() {
	[ $# -eq 0 ] || printf '%s: %s\n' "${0##*/}" "$*" >&2
	printf 'usage: %s\n' "$USAGE" >&2
	exit 2
}

# release_of SUITE: prints the Debian release that SUITE extends.
release_of() {
	case $1 in
	experimental) echo sid ;;
	*) echo "${1%-backports}" ;;
	esac
}

# flavour_is FLAVOUR: sets FARCH, FSUITE, FPACKAGE and FKIND from the table above, and FRELEASE to
# the Debian release of the suite; dies if there is no such flavour.
flavour_is() {
	local name
	while read -r name FARCH FSUITE FPACKAGE FKIND; do
		[ -z "$FKIND" ] || [ "$name" != "$1" ] || break
		name=
	done <<<"$FLAVOURS"
	[ -n "$name" ] || die "unknown flavour $1 (know: $ALL_FLAVOURS)"
	FRELEASE=$(release_of "$FSUITE")
	export FARCH FSUITE FPACKAGE FKIND FRELEASE
}

# toolchain_of RELEASE: prints RELEASE if its programs need a different compiler and libraries from
# this machine's, and nothing otherwise. See scripts/toolchain.
toolchain_of() {
	[ "$1" = "$OWN_RELEASE" ] || echo "$1"
}

# cross_prefix ARCH: prints CROSS_COMPILE for Debian's architecture ARCH.
cross_prefix() {
	case $1:$(dpkg --print-architecture) in
	amd64:amd64 | arm64:arm64) ;;
	amd64:*) echo x86_64-linux-gnu- ;;
	arm64:*) echo aarch64-linux-gnu- ;;
	esac
}

# multiarch ARCH: the directory name of ARCH's libraries.
multiarch() {
	case $1 in
	amd64) echo x86_64-linux-gnu ;;
	arm64) echo aarch64-linux-gnu ;;
	esac
}

# hash_of FILE...: one short name for the contents of all FILEs.
hash_of() {
	cat "$@" | sha256sum | cut -c1-16
}

# cached_output NAME KEY COMMAND FILE...: prints what COMMAND (of a shell, for which $1 is the
# file) prints for each FILE. What it printed before for the same NAME, KEY, path and content is
# taken from the cache. COMMAND exits with 0 or 1.
cached_output() {
	local dir=$CACHE/$1 key=$2 command=$3 file answer answers=() todo=()
	shift 3
	mkdir -p "$dir"
	for file; do
		answer=$dir/$({ echo "$key $command $file" && cat "$file"; } | hash_of -)
		answers+=("$answer")
		[ -f "$answer" ] || todo+=("$answer" "$file")
	done
	[ ${#todo[@]} -eq 0 ] || printf '%s\0' "${todo[@]}" |
		xargs -0 -P "$(nproc)" -n 2 sh -c '
			answer=$1
			shift
			{ '"$command"'; } >"$answer.$$" 2>&1
			[ $? -le 1 ] && mv "$answer.$$" "$answer"' sh
	touch -c "${answers[@]}"
	find "$dir" -ignore_readdir_race -type f -mtime +30 -delete
	cat "${answers[@]}"
}

# take_lock NAME: takes the cache's lock NAME, until release_lock or the end of this process.
# Prints a message if it has to wait.
take_lock() {
	mkdir -p "$CACHE/locks"
	exec 9>"$CACHE/locks/$1"
	flock -n 9 && return
	say "waiting for another run that holds the lock $1"
	flock 9
}

release_lock() {
	exec 9>&-
}

# Packages are downloaded with a private apt configuration: it has both architectures
# and the machine's Debian sources, and does not touch the machine's package lists.
# Each other Debian release has a configuration of its own, with the same mirror
# and key, in which it is the default release.
APT_DIR=
DL=$CACHE/dl

# own_sources: links the machine's apt sources for its Debian release into sources.d.
own_sources() {
	local file
	# Only files that name this Debian release; other vendors' sources are not needed.
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
		/etc/apt/sources.list.d/*.sources; do
		[ -f "$file" ] || continue
		grep -Eq "^[^#]*[[:space:]]$OWN_RELEASE([[:space:]]|\$)" "$file" || continue
		case $file in
		*/sources.list) ln -s "$file" "$APT_DIR/sources.d/main.list" ;;
		*) ln -s "$file" "$APT_DIR/sources.d/" ;;
		esac
	done
	[ -n "$(ls "$APT_DIR/sources.d")" ] || die "no apt source for Debian $OWN_RELEASE"
}

# suite_sources SUITE: replaces the links by a source for SUITE and, if that is a backports suite,
# for its release.
suite_sources() {
	local suite=$1 uri file key options
	# shellcheck disable=SC2016 # apt's variables; the last is FILE:LINE
	read -r uri file < <(apt-get -c "$APT_DIR/apt.conf" indextargets --no-release-info \
		--format '$(RELEASE) $(REPO_URI) $(SOURCESENTRY)' 'Created-By: Packages' |
		awk -v release="$OWN_RELEASE" '$1 == release { print $2, $3; exit }') ||
		die "no mirror of Debian $OWN_RELEASE in the machine's apt sources"
	key=$(sed -n -e 's/^Signed-By: *\(\/.*\)/\1/p' \
		-e 's/^deb .*signed-by=\([^] ]*\).*/\1/p' "${file%:*}" | head -n 1)
	options=${key:+signed-by=$key }
	# For a frozen mirror the option must be in the source, because mmdebstrap does not read the
	# machine's apt.conf.
	! apt-config shell valid Acquire::Check-Valid-Until/b | grep -q false ||
		options+="check-valid-until=no "
	rm -rf "$APT_DIR/sources.d"
	mkdir "$APT_DIR/sources.d"
	printf "deb ${options:+[ $options] }$uri %s main\n" "$(release_of "$suite")" "$suite" | uniq \
		>"$APT_DIR/sources.d/$suite.list"
}

# apt_config SUITE
apt_config() {
	rm -rf "$APT_DIR/sources.d"
	mkdir -p "$APT_DIR/state/lists/partial" "$APT_DIR/cache/archives/partial" \
		"$APT_DIR/sources.d" "$DL"
	: >"$APT_DIR/status"
	cat >"$APT_DIR/apt.conf" <<END
Dir::State "$APT_DIR/state";
Dir::State::status "$APT_DIR/status";
Dir::Cache "$APT_DIR/cache";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$APT_DIR/sources.d";
#clear APT::Architectures;
APT::Architecture "amd64";
APT::Architectures { "amd64"; "arm64"; };
APT::Sandbox::User "root";
APT::Get::AllowUnauthenticated "false";
#clear APT::Update;
#clear Acquire::IndexTargets::deb::DEP-11;
#clear Acquire::IndexTargets::deb::DEP-11-icons-small;
#clear Acquire::IndexTargets::deb::DEP-11-icons;
#clear Acquire::IndexTargets::deb::DEP-11-icons-hidpi;
Acquire::Languages "none";
Acquire::Retries "3";
END
	own_sources
	[ "$1" != "$OWN_RELEASE" ] || return 0
	suite_sources "$1"
	echo "APT::Default-Release \"$1\";" >>"$APT_DIR/apt.conf"
}

# Build dependencies: of the module, the library and the tool, also for arm64; of 32-bit
# programs (gcc-multilib would remove the cross compiler); of BPF programs; of our own kernels.
BUILD_PACKAGES="build-essential pkg-config libpfm4-dev libjson-c-dev libbpf-dev libelf-dev
	libmicrohttpd-dev libncurses-dev libzstd-dev zlib1g-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross
	libc6-dev-i386 clang bc bison
	ccache flex libssl-dev pahole python3 rsync xz-utils kmod"
# What building and checking the Debian packages needs.
DEB_PACKAGES="build-essential pkgconf libpfm4-dev libjson-c-dev libbpf-dev libncurses-dev libzstd-dev
	zlib1g-dev libmicrohttpd-dev clang debhelper dh-dkms lintian"
export BUILD_PACKAGES DEB_PACKAGES

# deb_cross_packages ARCH: prints DEB_PACKAGES for building packages for ARCH, with ARCH's
# libraries.
deb_cross_packages() {
	local package
	for package in $DEB_PACKAGES; do
		case $package in
		build-essential) echo "$package crossbuild-essential-$1" ;;
		*-dev | pkgconf) echo "$package:$1" ;;
		*) echo "$package" ;;
		esac
	done
}

# take_apt SUITE, release_apt: lock our apt configuration for SUITE for one process at a time. The
# package lists are refreshed first unless another run has just done so.
take_apt() {
	local suite=$1
	APT_DIR=$CACHE/apt-$suite
	mkdir -p "$CACHE/locks"
	exec 8>"$CACHE/locks/apt"
	flock 8
	[ -z "$(find "$APT_DIR/fresh" -mmin -10 2>/dev/null)" ] || return 0
	apt_config "$suite"
	say "reading Debian's package lists ($suite)"
	apt-get -c "$APT_DIR/apt.conf" -o APT::Update::Error-Mode=any -qq update >&2 </dev/null ||
		die "the package lists of $suite cannot be read"
	touch "$APT_DIR/fresh"
}

release_apt() {
	exec 8>&-
}

# apt_depends PACKAGE[:ARCH] REGEX: prints the one dependency of PACKAGE that matches, without
# architecture, or nothing. (Below a virtual package in <> apt lists its providers.)
apt_depends() {
	apt-cache -c "$APT_DIR/apt.conf" depends --no-recommends --no-suggests "$1" |
		sed -n -e 1d -e 's/^[ |]*Depends: //' -e 's/^ *//' -e 's/:[^:]*$//' -e "/^$2\$/p" |
		sort -u | head -n 1
}

# apt_version PACKAGE[:ARCH]: prints the version that apt-get would download.
apt_version() {
	apt-cache -c "$APT_DIR/apt.conf" policy "$1" | sed -n 's/^ *Candidate: //p'
}

# apt_fetch PACKAGE:ARCH...: downloads what is missing and prints one file name per package.
apt_fetch() {
	local spec version file tmp
	for spec; do
		version=$(apt_version "$spec")
		case $version in
		"" | "(none)") die "no package $spec" ;;
		esac
		for file in "$DL/${spec%:*}_${version//:/%3a}_"{"${spec#*:}",all}.deb; do
			[ ! -f "$file" ] || break
		done
		if [ ! -f "$file" ]; then
			say "downloading $spec $version"
			tmp=$(mktemp -d "$DL/tmp.XXXXXX")
			(cd "$tmp" && apt-get -c "$APT_DIR/apt.conf" -qq download "$spec=$version" >&2) ||
				die "cannot download $spec $version"
			file=$DL/$(cd "$tmp" && echo *.deb)
			mv "$tmp"/*.deb "$DL/"
			rmdir "$tmp"
		fi
		echo "$file"
	done
}

# find_library ARCH NAME DIR...: prints the file of the shared library NAME, searched for in each
# DIR itself and in the directories for ARCH's libraries below DIR.
find_library() {
	local arch=$1 name=$2 dir sub
	shift 2
	for dir; do
		for sub in "" "/lib/$(multiarch "$arch")" "/usr/lib/$(multiarch "$arch")" \
			/lib64 /lib /usr/lib; do
			[ ! -e "$dir$sub/$name" ] || { echo "$dir$sub/$name" && return; }
		done
	done
	return 1
}

# copy_libraries ARCH TREE BASE "DIR..." FILE...: copies to TREE all shared libraries that the
# FILEs need according to their ELF headers, from the DIRs, except those in the list BASE.
# Skips scripts, and programs of other architectures, which must be static.
copy_libraries() {
	local arch=$1 tree=$2 base=$3 dirs=$4 machine file name found header
	local -A seen=()
	shift 4
	case $arch in
	amd64) machine=X86-64 ;;
	arm64) machine=AArch64 ;;
	esac
	if [ -n "$base" ]; then
		while read -r name; do seen[$name]=1; done <"$base"
	fi
	while [ $# -gt 0 ]; do
		file=$1
		shift
		header=$(readelf -hld "$file" 2>/dev/null) || continue
		[[ $header =~ Machine:[^$'\n']*$machine ]] || continue
		while read -r name; do
			if [ -z "$name" ] || [ -n "${seen[${name##*/}]:-}" ]; then
				continue
			fi
			seen[${name##*/}]=1
			# shellcheck disable=SC2086 # a list of directories
			found=$(find_library "$arch" "${name##*/}" $dirs) ||
				die "$file needs $name, which is not in $dirs"
			case $name in
			/*) mkdir -p "$tree${name%/*}" && cp -L "$found" "$tree$name" ;;
			*)
				mkdir -p "$tree/lib/$(multiarch "$arch")"
				cp -L "$found" "$tree/lib/$(multiarch "$arch")/"
				;;
			esac
			set -- "$@" "$found"
		done < <(sed -n -e 's/.*(NEEDED).*\[\(.*\)\]/\1/p' \
			-e 's/.*program interpreter: \(.*\)\]/\1/p' <<<"$header")
	done
	[ -z "$base" ] || return 0
	mkdir -p "$tree/usr/share"
	printf '%s\n' "${!seen[@]}" | sort >"$tree/usr/share/libraries"
}

# make_cpio TREE FILE: writes an initramfs of TREE to FILE; all files belong to root.
make_cpio() {
	(cd "$1" && find . -mindepth 1 | sort | cpio --quiet -o -H newc -R 0:0) >"$2"
}
