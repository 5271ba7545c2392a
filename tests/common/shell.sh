# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034 # who sources this exits with $failed
# What tests in shell share: results in TAP, a directory of their own, what is undone at the
# end. For sh in guests, which source /tests/shell.sh, and for bash in tests/host.
#
# A test prints its plan ("1..N") first, or last with $nr, and ends with "exit $failed".

nr=0
failed=0

# at_exit COMMAND: is run when the test ends, the last one first.
undo=
at_exit() {
	undo="$1; $undo"
}
trap 'eval "$undo"' EXIT

# Gone at the end, with all that is in it.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/perfgrp-test.XXXXXX") || exit 1
at_exit "rm -rf '$scratch'"

# result ok|"not ok" TEXT: one line of TAP.
result() {
	nr=$((nr + 1))
	echo "$1 $nr - $2"
	[ "$1" = ok ] || failed=1
}

# show FILE...: what is in them, as comments; results of another test would be taken for ours.
show() {
	for shown; do
		[ ! -s "$shown" ] || grep -v '^ok' "$shown" | head -n 40 | sed 's/^#* */# /'
	done
}

# check TEXT COMMAND...: what COMMAND prints comes out where it fails.
check() {
	text=$1
	shift
	if "$@" >"$scratch/log" 2>&1; then
		result ok "$text"
	else
		result "not ok" "$text"
		show "$scratch/log"
	fi
}

# is TEXT CONDITION...: a result; the condition is one of test(1). The files "output" and
# "errors" come out where it fails.
is() {
	text=$1
	shift
	if [ "$@" ]; then
		result ok "$text"
	else
		result "not ok" "$text"
		echo "# not: $*"
		show output errors
	fi
}

# Whether the machine has hardware counters, by perf's word.
has_pmu() {
	perf stat -x, -e cycles true 2>&1 | grep -q '^[0-9]'
}

# function_calls: how often CPUs but the first have been interrupted to call a function.
function_calls() {
	awk '/Function call interrupts/ {
		for (i = 3; i <= NF && $i ~ /^[0-9]+$/; i++)
			sum += $i
	} END { print sum + 0 }' /proc/interrupts
}

# within SECONDS COMMAND...: repeats COMMAND until it succeeds; fails after SECONDS.
within() {
	deadline=$(($(date +%s) + $1))
	shift
	until "$@"; do
		[ "$(date +%s)" -lt $deadline ] || return 1
		sleep 0.05
	done
}

# on_cpus LIST: the test, and what it starts, runs there.
on_cpus() {
	taskset -pc "$1" $$ >"$scratch/log"
}

# interrupts FIRST LAST WORD COMMAND...: function_calls() from the FIRST to the LAST line with WORD
# that COMMAND prints. The beginning and the end of a group are left out: they patch kernel text,
# which interrupts all CPUs. Call it on CPU 0: waking a task on another CPU interrupts that, too.
interrupts() {
	first=$1
	last=$2
	word=$3
	shift 3
	timeout 60 "$@" 2>&1 | {
		lines=0
		while [ $lines -lt "$last" ] && read -r line; do
			case $line in *"$word"*) ;; *) continue ;; esac
			lines=$((lines + 1))
			[ $lines -ne "$first" ] || before=$(function_calls)
		done
		[ $lines -lt "$last" ] || echo $(($(function_calls) - before))
	}
}

# Where stack and heap begin is worth a page fault or two: at the same place in each run.
fix_addresses() {
	at_exit "echo $(cat /proc/sys/kernel/randomize_va_space) >/proc/sys/kernel/randomize_va_space"
	echo 0 >/proc/sys/kernel/randomize_va_space
}
