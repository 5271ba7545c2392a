#!/bin/sh
# Runs the KUnit suites in a guest and prints their results as KTAP; the exit status says
# whether all passed and nothing leaked.
# usage: [LEAKS=later] run-kunit.sh [SUITE[.CASE]]
# SUITE, CASE: runs only these, names with wildcards; Linux 6.1 runs all.
# LEAKS=later leaves it to the caller to look for leaks.

set -eu
modules=/lib/modules
debugfs=/sys/kernel/debug
leaks=$debugfs/kmemleak
filter=/sys/module/kunit/parameters/filter_glob

loaded_here=
status=0

# Once a program that calls bpf_printk() has been loaded the tracer records names of tasks at
# sched_switch, for good; a suite looks whether that tracepoint has handlers.
printk=/sys/kernel/tracing/events/bpf_trace/bpf_trace_printk/enable
[ ! -e "$printk" ] || echo 0 >"$printk"

# An object counts as leaked once it is five seconds old and a second scan found nothing either.
scan() {
	echo scan >"$leaks"
	sleep 6
	echo scan >"$leaks"
}

# check_leaks NUMBER
check_leaks() {
	if [ ! -e "$leaks" ]; then
		echo "ok $1 perfgrp_leaks # SKIP this kernel has no kmemleak"
		return
	fi
	if [ $status -ne 0 ]; then
		echo "ok $1 perfgrp_leaks # SKIP a suite has failed"
		return
	fi
	scan
	if [ -s "$leaks" ]; then
		sed 's/^/# /' "$leaks"
		echo "not ok $1 perfgrp_leaks"
		status=1
	else
		echo "ok $1 perfgrp_leaks"
	fi
}

later=
[ "${LEAKS:-}" != later ] || later=1
[ -n "$later" ] || [ ! -e "$leaks" ] || echo clear >"$leaks"
if [ ! -d /sys/module/perfgrp ]; then
	insmod "$modules/perfgrp.ko"
	loaded_here=1
fi
[ $# -eq 0 ] || [ ! -e "$filter" ] || printf %s "$1" >"$filter"
insmod "$modules/perfgrp_kunit.ko"

echo "KTAP version 1"
set -- "$debugfs"/kunit/perfgrp_*/results
echo "1..$(($# + 1 - ${later:-0}))"
number=0
for results; do
	number=$((number + 1))
	# Each file is a report of its own; here it is a part of one.
	sed -e '/^KTAP version/d' -e '/^1\.\.1$/d' -e "s/^\(not \)\{0,1\}ok 1 /\1ok $number /" "$results"
	grep -q '^    ok' "$results" || echo "not ok $number - no case was run"
	if grep -q '^not ok' "$results" || ! grep -q '^    ok' "$results"; then
		status=1
	fi
done
number=$((number + 1))

rmmod perfgrp_kunit
[ ! -e "$filter" ] || printf '*' >"$filter"
[ -z "$loaded_here" ] || rmmod perfgrp

[ -n "$later" ] || check_leaks "$number"
exit $status
