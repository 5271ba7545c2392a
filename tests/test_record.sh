#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# perfgrp record, and Debian's own perf that reads what it has written (O1, O2, O3, O6,
# O9, O11, O12, E3).
# timeout: 300
# shellcheck disable=SC2317 # functions that least calls

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

cd "$scratch" || exit 1
fix_addresses

# Other tests' interrupts may have taken so long that the kernel allows few samples by now. The rate
# cannot be set while the percentage is 0 or 100.
echo 50 >/proc/sys/kernel/perf_cpu_time_max_percent
echo 100000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent

work="/tests/work 20000000 500"

# close_to A B PERCENT: the two differ by no more than that, or by one.
close_to() {
	echo "$1 $2 $3" | awk '{
		off = $1 > $2 ? $1 - $2 : $2 - $1
		ok = $2 > 0 && (off <= 1 || off * 100 <= $2 * $3)
		print ok ? "yes" : "no: " $1 " and " $2
	}'
}

# record OPTION...: perfgrp record -v, with what it says in "errors".
record() {
	perfgrp record -v -o data "$@" >output 2>errors
}

# said WORD: a number that record has said, by the word before or behind it.
said() {
	case $1 in
	samples) sed -n 's/.*(\([0-9]*\) samples.*/\1/p' errors ;;
	*) sed -n "s/.* \([0-9]*\) [a-z ]*$1.*/\1/p; s/^perfgrp: \([0-9]*\) records $1.*/\1/p" \
		errors | tail -n 1 ;;
	esac
}

# samples EVENT: how many of them perf script sees.
samples() {
	perf script -F event -i data 2>/dev/null | grep -c "^ *$1:"
}

count() {
	# shellcheck disable=SC2086 # a command
	perfgrp stat -x, -e "$1" $work 2>&1 >/dev/null | cut -d, -f1
}

# least COMMAND...: of the numbers that it prints in three runs. An emulated CPU counts
# what others execute meanwhile, too.
least() {
	for _ in 1 2 3; do
		"$@"
	done | sort -n | head -n 1
}

sample_cycles() {
	# shellcheck disable=SC2086
	record -e cycles:u -c 100000 $work
	samples cycles:u
}

sample_cycles_with_perf() {
	# shellcheck disable=SC2086
	perf record -i -o peer -e cycles:u -c 100000 $work >/dev/null 2>&1
	perf script -F event -i peer 2>/dev/null | grep -c cycles:u
}

# Where children's samples have no values, those of the command itself have some with -i.
alone=
perfgrp info | grep -q '^ *child-values *yes' || alone=-i

# Once before, so that the file is in memory for all.
$work

if ! has_pmu; then
	echo "# this machine has no PMU"
else
	cycles=$(least count cycles:u)
	sampled=$(least sample_cycles)
	is "O1 O2: period P over N cycles makes N/P samples, to 1 %" \
		"$(close_to "$sampled" $((cycles / 100000)) 1)" = yes
	is "O3: perf report finds where a command has spent its time" \
		"$(perf report --stdio --sort dso,sym -i data 2>/dev/null |
			awk '/^ *[0-9]/ { print $2; exit }')" = work

	# shellcheck disable=SC2086
	record $alone -e '{cycles,cycles}' -c 100000 $work
	is "O3: members that count the same say the same in each sample" \
		"$(perf script -F event,period -i data 2>/dev/null |
			awk '{ if (NR % 2) last = $1; else if (last != $1) bad++ }
			END { if (NR < 100) print "too few"; else print bad + 0 }')" = 0

	is "O2: as many as perf record takes, to 1 %" \
		"$(close_to "$sampled" "$(least sample_cycles_with_perf)" 1)" = yes

	# shellcheck disable=SC2086
	record -F 2000 $work
	is "O2: cycles are what is sampled if nothing is named" "$(samples cycles)" -gt 10
fi

faults=$(count page-faults)
# shellcheck disable=SC2086
record $alone -e '{page-faults,task-clock}' -c 1 $work
is "O2 E3: a sample for each page fault, no more and no fewer" "$(samples page-faults)" = "$faults"
is "O2: as many as record says" "$(samples page-faults)" = "$(said samples)"
# perf shows a count of nothing as no sample, and the clock of an emulated x86 can stand still.
is "O3: each of them has the group's other counts" "$(samples task-clock)" -gt $((faults / 2))
is "O6: all that was produced was read" \
	"$(said produced) $(said read) $(said lost)" = "$faults $faults 0"
is "O3: samples are of the command, by its name" \
	"$(perf script -F comm -i data 2>/dev/null | grep -cv '^ *work *$')" = 0

# As perf, which samples children unless it is told not to. Which pages are there already differs.
family="sh -c '$work & $work; wait'"
eval record -e page-faults -c 1 "$family"
ours=$(samples page-faults)
eval perf record -o peer -e page-faults -c 1 "$family" >/dev/null 2>&1
theirs=$(perf script -F event -i peer 2>/dev/null | grep -c page-faults:)
is "O12: a command's children are sampled, as by perf record" "$(close_to "$ours" "$theirs" 2)" = yes
is "O12: all of them, by their names and numbers" \
	"$(perf script -F comm,pid -i data 2>/dev/null | awk '$1 == "work"' | sort -u | wc -l)" = 2
is "O12: and none is lost" "$(said lost)" = 0
eval record -e "'{page-faults,context-switches,cpu-clock}'" -c 1 "$family"
if [ -z "$alone" ]; then
	# A difference above a minute was taken from another child's clock, or is negative.
	is "O12 O3: each child's samples have its own other counts" \
		"$(perf script -F period,event -i data 2>/dev/null |
			awk '$2 == "cpu-clock:" { n++; if ($1 >= 6e10) wrong++ }
			     END { print (n > 0 && !wrong) ? "yes" : n " clocks, " wrong " wrong" }')" = yes
else
	is "O12 O3: that children's samples have no values is said" \
		"$(close_to "$(samples page-faults)" "$ours" 2) $(grep -c child-values errors)" = "yes 1"
fi
eval record -i -e page-faults -c 1 "$family"
is "O12: with -i they are not" \
	"$(perf script -F comm -i data 2>/dev/null | grep -c work)" = 0

# shellcheck disable=SC2086
perfgrp record $alone --json -e page-faults -c 1 -o json $work 2>errors
is "O3: JSON has the same samples" "$(grep -c '"record": "sample"' json)" = "$faults"
is "O3: JSON has their values" "$(tail -n 1 json | grep -c "\"raw\": $faults ")" = 1

# callers FILE: who calls main(), which takes the page faults whose number is known, innermost
# first; two names, because what is behind functions without frames may be anything.
callers() {
	perf script --no-inline -F event,ip,sym -i "$1" 2>/dev/null |
		awk '/page-faults/ { n = 0; next } NF > 1 && n < 2 { printf "%s%s", n++ ? " " : "", $2 }
		     !NF && n { print ""; n = 0 }' | grep '^main' | sort -u
}

# shellcheck disable=SC2086
record -g -e page-faults:u -c 1 $work
# shellcheck disable=SC2086
perf record -g -o peer -e page-faults:u -c 1 $work >/dev/null 2>&1
is "O14: with -g perf shows the callers that it finds itself" "$(callers data)" = "$(callers peer)"
is "O14: of main() the C library's" "$(callers data | grep -c '^main __libc_start_call_main')" -gt 0
# shellcheck disable=SC2086
record -g -e '{context-switches,page-faults}' -c 1 sleep 0.01
is "O14: and who has called the kernel" \
	"$(perf script --no-inline -F event,ip,sym -i data 2>/dev/null | grep -c 'schedule')" -gt 0
# shellcheck disable=SC2086
perfgrp record -g $alone --json -e page-faults:u -c 1 --max-stack 2 -o json $work 2>errors
is "O14: JSON has them, as long as asked for" \
	"$(grep -c '"callchain": \[ { "mode": "user", "ip": "0x[0-9a-f]*" }, { "mode": "user", "ip": "0x[0-9a-f]*" } \]' json)" -gt 0
perfgrp record --max-stack 2 true 2>errors
is "O14: a depth without chains is refused" $? = 129
perfgrp record --call-graph dwarf true 2>errors
is "O14: so is what only perf does" $? = 129

# shellcheck disable=SC2086
is "O3: so has what goes through a pipe" \
	"$(perfgrp record -e page-faults -c 1 -o - $work 2>errors |
		perf script -F event -i - 2>/dev/null | grep -c page-faults:)" = "$faults"

# shellcheck disable=SC2086
record -m 2 --overwrite -e page-faults -c 1 $work
is "O6: what was overwritten is lost, and counted" \
	$(($(said read) + $(said lost))) = "$(said produced)"
is "O6: of $faults some are lost" "$(said lost)" -gt 0
is "O6: perf sees what was read" "$(samples page-faults)" = "$(said read)"
is "O6: and is told of the others" \
	"$(perf script --show-lost-events -i data 2>/dev/null |
		sed -n 's/.*PERF_RECORD_LOST lost //p')" = "$(said lost)"

# shellcheck disable=SC2086
record -e page-faults/period=1,min-delta=10/ $work
is "O11: samples that nothing has moved for are no records" \
	$(($(said produced) + $(said filtered))) = "$faults"
is "O11: one of ten is" "$(said produced)" = $((faults / 10))

rm data
/tests/work 1000000000000 1 &
victim=$!
record -e cpu-clock -c 1000000 -p $victim &
# What comes first is more than perfgrp keeps to itself before it writes.
while [ ! -s data ]; do
	sleep 0.1
done
kill $victim
wait $!
is "O3: recording ends with its process" "$(samples cpu-clock)" -gt 0
is "O3: and is of that alone" \
	"$(perf script -F pid -i data 2>/dev/null | sort -u | tr -d ' ')" = $victim

record -a -e cpu-clock -c 1000000 -- sh -c "$work; exit 3"
is "a command's exit status is ours" $? = 3
is "O3: all CPUs are sampled, with the children of a command" \
	"$(perf script -F comm -i data 2>/dev/null | grep -c '^ *work *$')" -gt 0

record -c 1 -F 1 true
is "a period and a frequency exclude one another" $? = 129
record -e nosuch true
is "an event that is not there is refused" $? = 129
echo "1..$nr"
exit $failed
