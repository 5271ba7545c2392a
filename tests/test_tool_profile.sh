#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# perfgrp bpf profile: what runs of BPF programs count (B20, B21, B22).

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

cd "$scratch" || exit 1
pins=$scratch/pins
mkdir pins
mount -t bpf bpf pins || exit 1
at_exit "umount '$pins'"

# load PROGRAM PIN: loads and pins PROGRAM, and sets id and tag.
load() {
	run_bpf load /tests/profile.bpf.o "$1" "$pins/$2" >loaded || exit 1
	read -r id tag <loaded
}

# profile ARGUMENT...: runs perfgrp bpf profile; its output is in "output" and "errors".
profile() {
	perfgrp bpf profile "$@" >output 2>errors
}

# start FILE ARGUMENT...: runs it in the background, with output to FILE, and waits until it counts.
start() {
	into=$1
	shift
	: >"$into"
	perfgrp bpf profile -x, -e dummy -I 50 "$@" >output 2>"$into" &
	started=$!
	until [ -s "$into" ]; do
		[ -d /proc/$started ] || break
		sleep 0.02
	done
}

# Columns of CSV: 1 mean, 2 unit, 3 event, 4 sum, 5 empty run, 6 runs, 7 missed, 8 failed,
# 9 elsewhere, 10 time on the PMU, 11 percent, 12 metric, 13 its unit.
# field N [LINE]: prints column N.
field() {
	sed -n "${2:-1}p" errors | cut -d, -f"$1"
}

# runs: prints the numbers of runs that were counted, missed, failed, and elsewhere.
runs() {
	sed -n 1p errors | cut -d, -f6-9
}

load adds_five_hundred_times half

if perfgrp info | grep -Eq '^ *kfunc +no'; then
	profile "id:$id" -- true
	is "B22: without the kfunc it says what that needs" \
		"$? $(grep -c "^perfgrp: this module lacks 'kfunc', .*Linux 6.9" errors)" = "255 1"
	echo "1..$nr"
	exit "$failed"
fi

# ---- runs ------------------------------------------------------------------------

profile -x, -e cpu-clock,page-faults "id:$id" -- run_bpf run pins/half 1000
is "B20 B21: each run is there once" "$? $(runs)" = "0 1000,0,0,0"
is "B20: a clock is counted in ns, of the sum and a run" \
	"$(field 2) $(($(field 4) > 0)) $(($(field 4) / 1000))" = "ns 1 $(field 1 | cut -d. -f1)"
is "B20: and by the measurement itself, more than nothing" \
	"$(($(field 5 | cut -d. -f1) > 0))" = 1
is "B20: what does not happen in a program is 0" \
	"$(sed -n 2p errors | cut -d, -f1-9)" = "0.00,,page-faults,0,0.00,1000,0,0,0"
is "B20: it was on the PMU all the time" "$(field 11) $(field 11 2)" = "100.00 100.00"

profile -x, -e dummy name:adds_five_hundred_times -- run_bpf run pins/half 3
is "B20: a program by its whole name" "$? $(runs)" = "0 3,0,0,0"
profile -j -e dummy "tag:$tag" -- sh -c 'run_bpf run pins/half 4; exit 3'
is "B20: by its tag; its id is said, and the exit status is the command's" \
	"$? $(grep -c "^{ \"prog-id\": $id, .* \"runs\": 4, \"missed\": 0, " errors)" = "3 1"
load nest nest
profile -o file -e dummy -D 1000000 pins/nest -- run_bpf run pins/nest 5
is "B20: by its pin; before the delay is over there are no runs, and no counts" \
	"$? $(grep -cE '^ *0 runs|^ +<not counted> +<not counted> .* dummy' file)" = "0 2"
profile -x, -e dummy -C 1 pins/half -- taskset -c 0 run_bpf run pins/half 10
is "B21: runs on CPUs that are not counted are said, and are no counts" \
	"$? $(runs) $(field 1)" = "0 0,0,0,10 <not counted>"
profile -x, -e dummy -C 0 pins/half -- taskset -c 0 run_bpf run pins/half 10
is "B21: those on the others are counted" "$(runs)" = "10,0,0,0"

profile -x, -e dummy -I 20 pins/half -- run_bpf run pins/half 20000
is "B20: intervals are parts of the whole" \
	"$(awk -F, '{ sum += $7 } END { print sum, (NR > 1) }' errors)" = "20000 1"
profile -x, -e dummy -I 20 --interval-count 2 pins/half
is "B20: so many intervals" "$? $(wc -l <errors)" = "0 2"
profile -x, -e dummy --timeout 20 pins/half
is "B20: the time is up" "$? $(runs)" = "0 0,0,0,0"
profile -e dummy -o /dev/full --timeout 20 pins/half
is "B20: a full disk is an error" "$? $(grep -c '^perfgrp: cannot write to /dev/full' errors)" = \
	"255 1"

# ---- nested runs --------------------------------------------------------------------

run_bpf send pins/nest >sends &
at_exit "kill $!"
until [ -s sends ]; do
	[ -d /proc/$! ] || break
	sleep 0.02
done
profile -x, -e dummy pins/nest -- run_bpf run pins/nest 10 4
is "B21: four runs within one another are four" "$(runs)" = "40,0,0,0"
profile -x, -e dummy pins/nest -- run_bpf run pins/nest 10 6
is "B21: of six the outermost two are missed, and said to be" "$(runs)" = "40,20,0,0"

# ---- programs that cannot be profiled ------------------------------------------------

load_bpf plain pins/plain >loaded
plain=$(cat loaded)
profile "id:$plain" -- true
is "B22: a program without BTF is refused" \
	"$? $(grep -c "^perfgrp: cannot profile program $plain: it has no BTF" errors)" = "255 1"
setpriv --bounding-set -sys_admin --inh-caps=-sys_admin "$(command -v perfgrp)" \
	bpf profile pins/half -- true >output 2>errors
is "B22: it takes CAP_SYS_ADMIN" \
	"$? $(grep -c '^perfgrp: profiling BPF programs needs CAP_SYS_ADMIN' errors)" = "255 1"
# A tracing program can be profiled, but the kernel lets nothing trace a program that traces one.
start first pins/half
first=$started
profile -x, -e dummy name:profile_begin -- run_bpf run pins/half 10
is "B20: a program that traces another one is profiled, too" "$? $(runs)" = "0 10,0,0,0"
start second name:profile_begin
second=$started
profile name:profile_begin -- true
is "B20: of several programs with a name none is taken" \
	"$? $(grep -c '^perfgrp: 2 BPF programs have the name profile_begin; choose one as id:' errors)" = \
	"255 1"
profile "id:$(sed -n 's/.*, \([0-9]*\))$/\1/p' errors)" -- true
is "B22: what the kernel lets no other trace is refused, with its reason" \
	"$? $(grep -c '^perfgrp: cannot profile program .* (type tracing): Cannot nest' errors)" = \
	"255 1"
kill $second
wait $second
kill -INT $first
wait $first
is "B20: a signal ends it, with a last report" "$? $(($(wc -l <first) > 1))" = "130 1"
profile -e dummy name:none
is "B22: a program that is not there is refused" \
	"$? $(cat errors)" = "255 perfgrp: there is no BPF program with the name none"

# ---- hardware -------------------------------------------------------------------------

# own PIN: prints what a program itself counts, without what an empty one does: the median of three
# profiles, of which an interrupt may have hit one. What an empty program counts is each profile's
# own: how many instructions load an address depends on the address.
own() {
	for _ in 1 2 3; do
		profile -x, -e instructions "pins/$1" -- run_bpf run "pins/$1" 20
		echo "$(field 1) $(field 5)" | awk '{ print int($1 - $2) }'
	done | sort -n | sed -n 2p
}

profile pins/half -- run_bpf run pins/half 1000
sed 's/^/# /' errors
if has_pmu; then
	load adds_thousand_times whole
	is "B20: 500 instructions more are 500 more" $(($(own whole) - $(own half))) = 500
	is "B20: cycles and instructions are of the same runs" \
		"$(field 6) $(grep -c 'insn per cycle' errors)" = "20 0"
else
	is "B20: without a PMU there are clocks" \
		"$(grep -c '^perfgrp: this machine cannot count cycles, instructions, ' errors)" = 1
fi

echo "1..$nr"
exit "$failed"
