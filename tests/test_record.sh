#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# perfgrp record, with Debian's own perf to read its files (O1, O2, O3, O6, O9, O11, O12,
# O21, O22, O24, E3).
# timeout: 300
# shellcheck disable=SC2317 # functions that least calls

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

cd "$scratch" || exit 1
fix_addresses

# Long interrupts in other tests may have made the kernel lower the sample rate. It cannot be set
# while the percentage is 0 or 100.
echo 50 >/proc/sys/kernel/perf_cpu_time_max_percent
echo 100000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent

# A command that spins long enough to be sampled by time, and one that only faults pages in.
work="/tests/work 20000000 500"
faulting="/tests/work 1000 500"
# perf script resolves the symbols of each sample, even if it does not print them. With this empty
# directory as --symfs it finds none, and does not load the kernel's.
mkdir nothing

# close_to A B PERCENT: A and B differ by at most PERCENT, or by at most one.
close_to() {
	echo "$1 $2 $3" | awk '{
		off = $1 > $2 ? $1 - $2 : $2 - $1
		ok = $2 > 0 && (off <= 1 || off * 100 <= $2 * $3)
		print ok ? "yes" : "no: " $1 " and " $2
	}'
}

# record OPTION...: runs perfgrp record -v; its messages are in "errors".
record() {
	perfgrp record -v -o data "$@" >output 2>errors
}

# said WORD: prints a number from record's messages, by the word before or after it.
said() {
	case $1 in
	samples) sed -n 's/.*(\([0-9]*\) samples.*/\1/p' errors ;;
	*) sed -n "s/.* \([0-9]*\) [a-z ]*$1.*/\1/p; s/^perfgrp: \([0-9]*\) records $1.*/\1/p" \
		errors | tail -n 1 ;;
	esac
}

# script [OPTION...]: runs perf script without symbols.
script() {
	perf script --symfs nothing "$@" 2>/dev/null
}

# see FILE: writes to "seen" all samples that perf script finds in FILE: comm, pid, period, event.
see() {
	script -F comm,pid,period,event -i "$1" >seen
}

# samples EVENT: prints how many samples of EVENT are in "seen".
samples() {
	awk -v event="$1:" '$4 == event { n++ } END { print n + 0 }' seen
}

# count EVENT COMMAND
count() {
	# shellcheck disable=SC2086 # a command
	perfgrp stat -x, -e "$1" $2 2>&1 >/dev/null | cut -d, -f1
}

# least COMMAND...: prints the least number that COMMAND prints in three runs. An emulated CPU
# also counts what other CPUs execute meanwhile.
least() {
	for _ in 1 2 3; do
		"$@"
	done | sort -n | head -n 1
}

sample_cycles() {
	# shellcheck disable=SC2086
	record -e cycles:u -c 100000 $work
	said samples
}

sample_cycles_with_perf() {
	# shellcheck disable=SC2086
	perf record -BN -i -o peer -e cycles:u -c 100000 $work >/dev/null 2>&1
	see peer
	samples cycles:u
}

# If children's samples have no values, the command's own samples have values only with -i.
alone=
perfgrp info | grep -q '^ *child-values *yes' || alone=-i

# Run once before, so that the file is in the page cache for all.
$work

if ! has_pmu; then
	echo "# this machine has no PMU"
else
	cycles=$(least count cycles:u "$work")
	sampled=$(least sample_cycles)
	is "O1 O2: period P over N cycles makes N/P samples, to 1 %" \
		"$(close_to "$sampled" $((cycles / 100000)) 1)" = yes
	see data
	is "O2: perf sees as many cycles as record says" "$(samples cycles:u)" = "$(said samples)"
	is "O3: perf report finds where a command has spent its time" \
		"$(perf report --stdio --sort dso,sym -i data 2>/dev/null |
			awk '/^ *[0-9]/ { print $2; exit }')" = work

	# shellcheck disable=SC2086
	record $alone -e '{cycles,cycles}' -c 100000 $work
	is "O3: members that count the same say the same in each sample" \
		"$(script -F event,period -i data |
			awk '{ if (NR % 2) last = $1; else if (last != $1) bad++ }
			END { if (NR < 100) print "too few"; else print bad + 0 }')" = 0

	is "O2: as many as perf record takes, to 1 %" \
		"$(close_to "$sampled" "$(least sample_cycles_with_perf)" 1)" = yes

	# shellcheck disable=SC2086
	record -F 2000 $work
	see data
	is "O2: cycles are what is sampled if nothing is named" "$(samples cycles)" -gt 10
fi

faults=$(count page-faults "$faulting")
# shellcheck disable=SC2086
record $alone -e '{page-faults,task-clock}' -c 1 $faulting
see data
is "O2 E3: a sample for each page fault, no more and no fewer" "$(samples page-faults)" = "$faults"
is "O2: as many as record says" "$(samples page-faults)" = "$(said samples)"
# perf shows no sample for a difference of 0, and the clock of an emulated x86 can stand still.
is "O3: each of them has the group's other counts" "$(samples task-clock)" -gt $((faults / 2))
is "O6: all that was produced was read" \
	"$(said produced) $(said read) $(said lost)" = "$faults $faults 0"
is "O3: samples are of the command, by its name" \
	"$(awk '$1 != "work"' seen | wc -l)" = 0

# Compared with perf, which also samples children by default. The numbers differ slightly, because
# some pages may be present already.
family="sh -c '$faulting & $faulting; wait'"
eval perf record -BN -o peer -e page-faults -c 1 "$family" >/dev/null 2>&1
see peer
theirs=$(samples page-faults)
eval record -e page-faults -c 1 "$family"
see data
ours=$(samples page-faults)
is "O12: a command's children are sampled, as by perf record" "$(close_to "$ours" "$theirs" 2)" = yes
is "O12: all of them, by their names and numbers" \
	"$(awk '$1 == "work" { print $2 }' seen | sort -u | wc -l)" = 2
is "O12: and none is lost" "$(said lost)" = 0
eval record -e "'{page-faults,context-switches,cpu-clock}'" -c 1 "$family"
see data
if [ -z "$alone" ]; then
	# A difference above a minute is negative, or was computed with another child's clock.
	is "O12 O3: each child's samples have its own other counts" \
		"$(awk '$4 == "cpu-clock:" { n++; if ($3 >= 6e10) wrong++ }
			END { print (n > 0 && !wrong) ? "yes" : n " clocks, " wrong " wrong" }' seen)" = yes
else
	is "O12 O3: that children's samples have no values is said" \
		"$(close_to "$(samples page-faults)" "$ours" 2) $(grep -c child-values errors)" = "yes 1"
fi
eval record -i -e page-faults -c 1 "$family"
see data
is "O12: with -i they are not" "$(awk '$1 == "work"' seen | wc -l)" = 0

# shellcheck disable=SC2086
perfgrp record $alone --json -e page-faults -c 1 -o json $faulting 2>errors
is "O3: JSON has the same samples" "$(grep -c '"record": "sample"' json)" = "$faults"
is "O3: JSON has their values" "$(tail -n 1 json | grep -c "\"raw\": $faults ")" = 1

# callers FILE: prints main(), which takes the known number of page faults, and its caller. Only
# these two names, because anything may follow beyond functions without frame pointers.
callers() {
	perf script --no-inline -F event,ip,sym -i "$1" 2>/dev/null |
		awk '/page-faults/ { n = 0; next } NF > 1 && n < 2 { printf "%s%s", n++ ? " " : "", $2 }
		     !NF && n { print ""; n = 0 }' | grep '^main' | sort -u
}

# shellcheck disable=SC2086
record -g -e page-faults:u -c 1 $faulting
# shellcheck disable=SC2086
perf record -BN -g -o peer -e page-faults:u -c 1 $faulting >/dev/null 2>&1
ours=$(callers data)
is "O14: with -g perf shows the callers that it finds itself" "$ours" = "$(callers peer)"
is "O14: of main() the C library's" "$(echo "$ours" | grep -c '^main __libc_start_call_main')" -gt 0
# shellcheck disable=SC2086
record -g -e '{context-switches,page-faults}' -c 1 sleep 0.01
is "O14: and who has called the kernel" \
	"$(perf script --no-inline -F event,ip,sym -i data 2>/dev/null | grep -c 'schedule')" -gt 0
# shellcheck disable=SC2086
perfgrp record -g $alone --json -e page-faults:u -c 1 --max-stack 2 -o json $faulting 2>errors
is "O14: JSON has them, as long as asked for" \
	"$(grep -c '"callchain": \[ { "mode": "user", "ip": "0x[0-9a-f]*" }, { "mode": "user", "ip": "0x[0-9a-f]*" } \]' json)" -gt 0
# kernel_maps EVENTS: how many records say where the kernel is, or a module of it.
kernel_maps() {
	# shellcheck disable=SC2086 # a command
	record -e "$1" -c 1 $faulting
	script --show-mmap-events -F event -i data | grep -c 'MMAP -1/'
}
is "O3: where the kernel is stands in the file if it is sampled" \
	"$(kernel_maps page-faults)" -gt 0 -a "$(kernel_maps page-faults:u)" = 0 -a \
	"$(kernel_maps page-faults:u,page-faults)" -gt 0
perfgrp record --max-stack 2 true 2>errors
is "O14: a depth without chains is refused" $? = 129
perfgrp record --call-graph dwarf true 2>errors
is "O14: so is what only perf does" $? = 129

# shellcheck disable=SC2086
is "O3: so has what goes through a pipe" \
	"$(perfgrp record -e page-faults -c 1 -o - $faulting 2>errors |
		script -F event -i - | grep -c page-faults:)" = "$faults"

# shellcheck disable=SC2086
record -z -e page-faults -c 1 $faulting
see data
is "O24: so has what is compressed" "$(samples page-faults)" = "$faults"

# Files end when the command says so, too.
# in_files COMMAND OPTION...: of four runs of COMMAND, the second and the third are recorded, each in
# a file. Writes a line for each file to "files": samples of work, and processes.
in_files() {
	command=$1
	shift
	rm -f data.2*
	# shellcheck disable=SC2016 # the command's
	record -D -1 --control self --switch-output "$@" bash -c '
		say() {
			echo $1 >&${PERFGRP_CONTROL%,*}
			read -r _ <&${PERFGRP_CONTROL#*,}
		}
		$0; say enable; $0; say snapshot; $0; say disable; $0' "$command"
	for file in data.2*; do
		see "$file"
		awk '$1 == "work" { n++; pids += !seen[$2]++ } END { print n + 0, pids + 0 }' seen
	done >files
}
in_files "$faulting" -e page-faults -c 1
is "O21 O22: of four children the second and the third are sampled, each in a file of its own" \
	"$(wc -l <files) $(cut -d' ' -f2 files | tr '\n' ' ')" = "2 1 1 "
is "O21 O22: with all their page faults" "$(awk '$1 > 500' files | wc -l)" = 2
if has_pmu; then
	# 40 million cycles.
	in_files "/tests/work 20000000 0" -z -e cycles:u -c 100000
	is "O21 O22 O24: and with all their cycles" \
		"$(awk '$1 >= 399 && $1 <= 404 && $2 == 1' files | wc -l)" = 2
fi

# shellcheck disable=SC2086
record -m 2 --overwrite -e page-faults -c 1 $faulting
script --show-lost-events -F event -i data >seen
is "O6: what was overwritten is lost, and counted" \
	$(($(said read) + $(said lost))) = "$(said produced)"
is "O6: of $faults some are lost" "$(said lost)" -gt 0
is "O6: perf sees what was read" "$(grep -c '^ *page-faults:' seen)" = "$(said read)"
is "O6: and is told of the others" \
	"$(sed -n 's/.*PERF_RECORD_LOST lost //p' seen)" = "$(said lost)"

# shellcheck disable=SC2086
record -e page-faults/period=1,min-delta=10/ $faulting
is "O11: samples that nothing has moved for are no records" \
	$(($(said produced) + $(said filtered))) = "$faults"
is "O11: one of ten is" "$(said produced)" = $((faults / 10))

rm data
/tests/work 1000000000000 1 &
victim=$!
record -e cpu-clock -c 1000000 -p $victim &
# The records at the beginning are more than perfgrp buffers before it writes.
while [ ! -s data ]; do
	sleep 0.1
done
kill $victim
wait $!
see data
is "O3: recording ends with its process" "$(samples cpu-clock)" -gt 0
is "O3: and is of that alone" "$(awk '{ print $2 }' seen | sort -u)" = $victim

record -a -e cpu-clock -c 1000000 -- sh -c "$work; exit 3"
is "a command's exit status is ours" $? = 3
see data
is "O3: all CPUs are sampled, with the children of a command" \
	"$(awk '$1 == "work"' seen | wc -l)" -gt 0

record -c 1 -F 1 true
is "a period and a frequency exclude one another" $? = 129
record -e nosuch true
is "an event that is not there is refused" $? = 129
echo "1..$nr"
exit $failed
