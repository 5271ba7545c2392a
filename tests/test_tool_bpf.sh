#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# perfgrp bpf: programs on counters, and programs loaded and unloaded (B1, B3-B7, B11, B12).
# timeout: 200

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

if perfgrp info | grep -Eq '^ *bpf +no'; then
	echo "1..0 # SKIP the module has no BPF"
	exit 0
fi

cd "$scratch" || exit 1
pins=$scratch/pins
mkdir pins
mount -t bpf bpf pins || exit 1
at_exit "umount '$pins'"
fix_addresses

object=/tests/tool.bpf.o
work="/tests/work 1000000 500"

# bpf ARGUMENT...: runs perfgrp bpf; its output is in "output" and "errors".
bpf() {
	perfgrp bpf "$@" >output 2>errors
}

# column NAME LINE FILE: prints the cell in column NAME of a table. Cells are counted, which works
# for right-aligned text, too, because no cell is empty or has a space.
column() {
	awk -v name="$1" -v line="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
		NR == line + 1 { print $at }' "$3"
}

# member NAME LINE FILE: prints a number, string or boolean member of the JSON object in LINE.
member() {
	sed -n "$2p" "$3" | sed -n "s/.*\"$1\": \"\\{0,1\\}\\([^\",}]*[^\",} ]\\).*/\\1/p"
}

# Run once before, so that the file is in the page cache for all.
$work
# shellcheck disable=SC2086 # a command
faults=$(perfgrp stat -x, -e page-faults $work 2>&1 >/dev/null | cut -d, -f1)

# ---- the tool's own events ---------------------------------------------------

# shellcheck disable=SC2086
bpf attach -e page-faults -c 1 $object -- $work
is "B6: the program runs at each overflow: $faults page faults" \
	"$(column RUNS 1 errors)" = "$faults"
is "B6: none is missed, and none dropped" \
	"$(column MISSES 1 errors) $(column DROPPED 1 errors)" = "0 0"
is "B6: the only program for perf events is the one that is taken" \
	"$(column NAME 1 errors) $(column EVENT 1 errors)" = "keep page-faults"
is "B6: nobody has measured it" "$(column NS/RUN 1 errors)" = -

# shellcheck disable=SC2086
bpf attach -e page-faults -c 1 --section sampler --timed --cookie 0x1234 $object $work
is "B3: a program of a section of any name; returning 0 is counted as dropped" \
	"$(column NAME 1 errors) $(column DROPPED 1 errors)" = "drop $faults"
is "B6: --timed measures each run" "$(column NS/RUN 1 errors)" -gt 0
is "B6: the cookie is what was given" "$(column COOKIE 1 errors)" = 0x1234

# shellcheck disable=SC2086
bpf attach -e page-faults -c 1 --program drop --json --cookie 7 -o stats $object -- $work
is "B6: JSON has the same" \
	"$(member name 1 stats) $(member event 1 stats) $(member cookie 1 stats) \
$(member runs 1 stats) $(member dropped 1 stats) $(member misses 1 stats) $(member timed 1 stats)" = \
	"drop page-faults 7 $faults $faults 0 false"

# shellcheck disable=SC2086
bpf attach -e page-faults -c 1 $object -- sh -c "$work; $work; true"
is "B15: the program runs in the command's children" "$(column RUNS 1 errors)" -gt $((2 * faults))
is "B15: and none is missed there" "$(column MISSES 1 errors)" = 0

load_bpf pinned "$pins/pinned" >id
id=$(cat id)
# shellcheck disable=SC2086
bpf attach -e page-faults -c 1 "$pins/pinned" -- $work
is "B6: a pinned program" \
	"$(column PROGRAM 1 errors) $(column NAME 1 errors) $(column RUNS 1 errors)" = \
	"$id pinned $faults"
# shellcheck disable=SC2086
bpf attach -e page-faults -c 1 "id:$id" -- $work
is "B6: a program by its id" \
	"$(column PROGRAM 1 errors) $(column NAME 1 errors) $(column RUNS 1 errors)" = \
	"$id pinned $faults"

# shellcheck disable=SC2086
bpf attach -e page-faults,minor-faults -c 1 $object -- $work
is "B7: one program on two counters, each with its statistics" \
	"$(column PROGRAM 1 errors) $(column RUNS 1 errors) $(column RUNS 2 errors)" = \
	"$(column PROGRAM 2 errors) $faults $faults"
# shellcheck disable=SC2086
bpf attach -e page-faults,minor-faults -c 1 -m 2 $object -- $work
is "B7: or on one of them" \
	"$(wc -l <errors) $(column EVENT 1 errors) $(column RUNS 1 errors)" = \
	"2 minor-faults $faults"
# shellcheck disable=SC2086
bpf attach -e '{page-faults,minor-faults}' -c 1 $object -- $work
is "B7: of a group the members that sample" \
	"$(wc -l <errors) $(column EVENT 1 errors)" = "2 page-faults"
# shellcheck disable=SC2086
bpf attach -e '{page-faults,minor-faults}' -c 1 -m 2 $object -- $work
is "B1: the module says why a counter that does not sample is refused" \
	"$? $(grep -c "^perfgrp: cannot attach to 'minor-faults': .*not overflow" errors)" = "255 1"
bpf attach -e page-faults -c 1 --program other $object -- true
is "B1: and a program of another type, with the type" \
	"$? $(grep -c "^perfgrp: cannot attach to 'page-faults': .*type" errors)" = "255 1"

# shellcheck disable=SC2086
bpf attach -e page-faults -c 1 -D 1000000 $object -- $work
is "B6: what is to begin after the command has ended does not run" \
	"$? $(column NAME 1 errors) $(column RUNS 1 errors)" = "0 keep 0"
# shellcheck disable=SC2086
bpf attach -e page-faults -c 1 --pin "$pins/kept" $object -- $work
kept=$(column PROGRAM 1 errors)
# shellcheck disable=SC2086
bpf attach -e page-faults -c 1 "$pins/kept" -- $work
is "B5: a program that was pinned outlives its group" \
	"$(column PROGRAM 1 errors) $(column RUNS 1 errors)" = "$kept $faults"
bpf attach -e page-faults -c 1 --pin "$pins/kept" $object -- true
is "B5: a pin takes no other's place" \
	"$? $(grep -c "^perfgrp: cannot pin the program at $pins/kept: File exists" errors)" = "255 1"
rm "$pins/kept"
bpf attach -e page-faults -c 1 --pin "$scratch/kept" $object -- true
is "B5: nor is it anywhere but in a bpf filesystem" \
	"$? $(grep -c "^perfgrp: cannot pin .* (is that in a bpf filesystem?)" errors)" = "255 1"
bpf attach -a -e page-faults -c 1 --duration 0.5 $object
is "B6: the time is up" $? = 0
is "B6: all CPUs are one member" "$(wc -l <errors) $(column MEMBER 1 errors)" = "2 1"
bpf attach -a -e page-faults -c 1 $object -- sh -c "$work; exit 3"
is "a command's exit status is ours" $? = 3
perfgrp bpf attach -a -e cpu-clock -F 99 $object >output 2>errors &
attach=$!
until perfgrp bpf show | grep -q " cpu-clock "; do
	[ -d /proc/$attach ] || break
	sleep 0.1
done
kill $attach
wait $attach
is "B6: a signal ends it, with statistics" \
	"$? $(column EVENT 1 errors) $(column NAME 1 errors)" = "143 cpu-clock keep"
/tests/work 1000000000000 1 &
victim=$!
bpf attach -e cpu-clock -F 99 -p $victim $object &
attach=$!
until perfgrp bpf show | grep -q " cpu-clock "; do
	[ -d /proc/$attach ] || break
	sleep 0.1
done
kill $victim
wait $attach
is "B6: tasks have their threads' ids, and end it when they are gone" \
	"$? $(column TASK 1 errors)" = "0 $victim"

# ---- a group of another process ------------------------------------------------

hold_samples >holder &
until [ -s holder ]; do
	sleep 0.1
done
read -r pid fd child <holder
group=$pid:$fd

bpf show
is "B6: nothing is attached" "$? $(wc -l <output)" = "0 1"
bpf show --all
is "B6: a group that several processes hold is one, with its members" \
	"$(wc -l <output) $(column EVENT 1 output) $(column EVENT 2 output)" = \
	"3 page-faults cpu-clock"
is "B6: who holds it is said" "$(sed -n 's/.*  hold_samples/hold_samples/p' output | head -n 1)" = \
	"hold_samples +1"
group=$(column GROUP 1 output)
is "B6: as PID:FD" "$group" = "$pid:$fd"
bpf show -g "$child:$fd" --all
is "B6: by whomever it is held" "$(column GROUP 1 output)" = "$child:$fd"

bpf attach -g "$group" -m 1 --cookie 1 $object
is "B6: a program is attached" \
	"$? $(cut -d' ' -f1-5 output)" = "0 member 1 (page-faults): attached program"
first=$(awk '{ print $6 }' output)
bpf attach -g "$group" -m 2 --cookie 2 "id:$first"
is "B7: to another member, too" "$?" = 0
bpf attach -g "$group" -m 1 $object
is "a member has one program at most" \
	"$? $(grep -c "^perfgrp: .*has program $first" errors)" = "255 1"
$work
bpf show
is "B7: each has its own cookie" \
	"$(column PROGRAM 1 output) $(column COOKIE 1 output) $(column PROGRAM 2 output) \
$(column COOKIE 2 output)" = "$first 0x1 $first 0x2"
is "B7: and its own statistics" "$(column RUNS 1 output)" -ge "$faults"
bpf show -g "$group" --json
is "B6: JSON has the same" \
	"$(member group 1 output) $(member prog-id 1 output) $(member cookie 2 output) \
$(member event 2 output)" = "$group $first 2 cpu-clock"
bpf show --json
is "B6: JSON has all holders" \
	"$(grep -c "\"pid\": $pid, .*\"pid\": $child, " output)" = 2

bpf replace -g "$group" -m 1 --expect "$id" --section sampler $object
is "B4: it is not replaced if another was expected" \
	"$? $(grep -c "^perfgrp: .*$first" errors)" = "255 1"
bpf detach -g "$group" -m 1 --expect "$id"
is "B4: nor detached" $? = 255
bpf show
is "B4: and runs on" "$(column PROGRAM 1 output)" = "$first"
bpf replace -g "$group" -m 1 --expect "$first" --cookie 3 --section sampler --json $object
is "B4: it is replaced" "$? $(member what 1 output) $(member name 1 output)" = "0 replace drop"
second=$(member prog-id 1 output)
$work
bpf show -g "$group"
is "B4: the new one runs" \
	"$(column PROGRAM 1 output) $(column COOKIE 1 output)" = "$second 0x3"
is "B4: with statistics of its own" "$(column DROPPED 1 output)" = "$(column RUNS 1 output)"
bpf detach -g "$group" -m 1
is "B5: it is detached" "$? $(cat output)" = \
	"0 member 1 (page-faults): detached program $second drop"
bpf attach -e page-faults -c 1 "id:$second" -- true
is "B5: with its last place it is gone" "$? $(cat errors)" = \
	"255 perfgrp: there is no BPF program with the id $second"
bpf detach -g "$group" -m 1
is "B5: only once" $? = 255
bpf detach -g "$group" -m 3
is "from a member that is there" $? = 255
bpf show -g "$group"
is "B5: the other one stays" "$(wc -l <output) $(column MEMBER 1 output)" = "2 2"
bpf detach -g "$group" -m 2
bpf attach -g "$group" -m 2 --pin "$pins/pinned" $object
is "B5: here, too, a pin takes no other's place" \
	"$? $(grep -c "^perfgrp: cannot pin the program .*: File exists" errors)" = "255 1"
bpf show -g "$group"
is "B5: and a program that could not be pinned is detached" "$? $(wc -l <output)" = "0 1"

bpf show -g 1:1000
is "a file descriptor that is not there is refused" \
	"$? $(cat errors)" = "255 perfgrp: process 1 has no file descriptor 1000"
bpf show -g "$$:1"
is "one that is no group is refused" \
	"$? $(cat errors)" = \
	"255 perfgrp: file descriptor 1 of process $$ is not a perfgrp group"
setpriv --reuid 65534 --clear-groups --inh-caps=-all \
	"$(command -v perfgrp)" bpf show >output 2>errors
is "what one may not look into is counted" \
	"$(sed -n 's/^perfgrp: \([0-9]*\) processes could.*/\1/p' errors)" -gt 1

# Each line of the man page's examples, with its ids replaced by those of this test.
cp $object tool.bpf.o
sed "s/123:4/$pid:$fd/; s/\\<42\\>/$id/" /tests/bpf_examples >examples
while read -r line; do
	sh -c "$line" >output 2>errors </dev/null
	is "an example of the man page works: $line" $? = 0
done <examples
is "all of them are there" "$(wc -l <examples)" = 8
kill "$pid"

perfgrp record --json -a -e page-faults -c 1 -o records >/dev/null 2>&1 &
record=$!
until perfgrp bpf show --all | grep -q " page-faults "; do
	[ -d /proc/$record ] || break
	sleep 0.1
done
bpf show --all
group=$(column GROUP 1 output)
bpf attach -g "$group" -m 1 --pin "$pins/record" "$pins/pinned"
is "B5: a program of another's group is pinned, too" "$? $([ -e "$pins/record" ] && echo pin)" = \
	"0 pin"
rm "$pins/record"
bpf replace -g "$group" -m 1 "id:$id"
bpf detach -g "$group" -m 1
kill $record
wait $record
grep '"bpf-event"' records >output
is "B11: record has all that was done to its counters" \
	"$(member what 1 output) $(member what 2 output) $(member what 3 output)" = \
	"attach replace detach"
is "B11: of that program, on that counter" \
	"$(grep -c "\"prog-id\": $id, .*\"event\": \"page-faults\"" output)" = 3

# ---- programs --------------------------------------------------------------------

bpf attach -e page-faults /tests/tool_two.bpf.o -- true
is "of several programs one must be named" \
	"$? $(grep -c '^  --program [a-z]* --section perf_event (type perf_event)$' errors)" = \
	"255 2"
bpf attach -e page-faults --program bad /tests/tool_two.bpf.o -- true
is "the verifier's words are shown" "$? $(grep -c "R[0-9].* invalid mem access" errors)" = "255 1"
bpf attach -e page-faults -c 1 --program good /tests/tool_two.bpf.o -- true
is "and only for what is wanted" $? = 0
bpf attach -e page-faults --program none $object -- true
is "a program that is not there is refused" "$? $(grep -c '^  --program' errors)" = "255 3"
bpf attach -e page-faults --section none $object -- true
is "so is a section" "$? $(grep -c '^  --program' errors)" = "255 3"
bpf attach -e page-faults /tests/work -- true
is "so is what is no object file" $? = 255
bpf attach -e page-faults "$scratch/none" -- true
is "so is what is not there" $? = 255
bpf attach -e page-faults "$pins/none" -- true
is "so is such a pin" $? = 255
bpf attach -e page-faults --section none "$pins/pinned" -- true
is "a pin has no sections" $? = 255

# ---- invalid command lines ---------------------------------------------------------

usage() {
	bpf "$@"
	is "this makes no sense: $*" "$? $(grep -c '^perfgrp: ' errors)" = "129 1"
}

bpf
is "so does nothing at all" $? = 129
usage nosuch
usage attach $object
usage attach -e page-faults
usage attach -g 1 -m 1 $object
usage attach -g 1:1 $object
usage attach -g 1:1 -m 1 -e page-faults $object
usage attach -g 1:1 -m 1 --duration 1 $object
usage attach -g 1:1 -m 1 -D 1 $object
usage attach -g 1:1 -m 1 -i $object
usage attach -e page-faults -G nosuch $object
usage attach -g 1:1 -m 1 $object true
usage attach -e page-faults --cookie x $object
usage attach -e page-faults --duration 0 $object
usage attach -e page-faults -c 1 -F 1 $object
usage attach -e page-faults id:0
usage replace -g 1:1 -m 1 --expect 0 $object
usage replace -g 1:1 $object
usage detach -m 1
usage detach -g 1:1 -m 1 $object
usage show nothing
usage watch --duration x
bpf attach -e nosuch $object -- true
is "an event that is not there is refused" $? = 129
bpf --help
is "help is what is asked for" "$? $(grep -c '^usage: perfgrp bpf' output)" = "0 1"

is "info says what the module can do with BPF programs" \
	"$(perfgrp info | grep -cE '^  (bpf|bpf-events|kfunc) +(yes|no) ')" = 3

# ---- programs loaded and unloaded -----------------------------------------------------

# watch OPTION...: starts perfgrp bpf watch, with output to "watched". JSON has no heading, so
# only a report shows that it has started.
watch() {
	: >watched
	perfgrp bpf watch "$@" >watched 2>errors &
	watch=$!
	until grep -q . watched; do
		[ -d /proc/$watch ] || break
		load_bpf probe >/dev/null
		sleep 0.1
	done
}

# seen PATTERN [NUMBER]: waits until NUMBER lines of "watched" match PATTERN.
seen() {
	until [ "$(grep -c "$1" watched)" -ge "${2:-1}" ]; do
		[ -d /proc/$watch ] || break
		sleep 0.1
	done
}

watch
new=$(load_bpf newcomer "$pins/new")
seen " load *$new "
line=$(grep " load *$new " watched)
# shellcheck disable=SC2086 # words
set -- $line
is "B12: a load has id, type and name" "$2 $3 $4 $5" = "load $new perf_event newcomer"
tag=$6
is "B12: a tag" "${#tag}" = 16
is "B12: the time, to the minute or so" \
	"$(($(date +%s) - $(date -d "$7 $8" +%s)))" -lt 100
is "B12: memory and user" "$((${9} > 0)) ${10} ${11}" = "1 0 (root)"
rm "$pins/new"
seen " unload *$new "
is "B12: the unload says the same" \
	"$(grep " unload *$new " watched | awk '{ print $4, $5, $6 }')" = "perf_event newcomer $tag"
rm "$pins/pinned"
seen " unload *$id "
is "B12: so does that of a program that was there before" \
	"$(grep " unload *$id " watched | awk '{ print $4, $5 }')" = "perf_event pinned"

kill -STOP $watch
gone=$(load_bpf gone)
kill -CONT $watch
seen " unload *$gone "
is "B12: a program that is gone before anyone can ask is said to be" \
	"$(grep " load *$gone " watched | awk '{ print $4, $5, $6, $7, $8, $9 }')" = \
	"gone gone $tag gone gone gone"
is "B9: each event is there once" "$(grep -c " $gone  " watched)" = 2
kill -TERM $watch
wait $watch
is "a signal ends it" $? = 143

watch --json
new=$(load_bpf newcomer "$pins/new")
seen "\"what\": \"load\".*\"prog-id\": $new,"
rm "$pins/new"
seen "\"what\": \"unload\".*\"prog-id\": $new,"
grep "\"prog-id\": $new," watched >output
is "B12: JSON has the same" \
	"$(member what 1 output) $(member type 1 output) $(member name 1 output) \
$(member tag 1 output) $(member gone 1 output) $(member uid 1 output) $(member user 1 output)" = \
	"load perf_event newcomer $tag false 0 root"
is "B12: for the unload as well" \
	"$(member what 2 output) $(member name 2 output) $(member loaded-at 2 output)" = \
	"unload newcomer $(member loaded-at 1 output)"
is "B12: and bytes" \
	"$(member memlock 1 output) $(member xlated 1 output)" = \
	"$(member memlock 2 output) 16"
kill -STOP $watch
# A CPU's buffer has room for little more than a thousand records.
# shellcheck disable=SC2016 # that shell's own
taskset -c 0 sh -c 'i=0; while [ $i -lt 800 ]; do load_bpf flood; i=$((i + 1)); done' >/dev/null
kill -CONT $watch
seen '"record": "lost"'
is "B12: what was lost is reported" "$(grep -c '"record": "lost", .*"lost": [1-9]' watched)" -ge 1
kill $watch
wait $watch

bpf watch --duration 0.2
is "the time is up" "$? $(wc -l <output)" = "0 1"
setpriv --reuid 65534 --clear-groups --inh-caps=-all \
	"$(command -v perfgrp)" bpf watch --duration 0.1 >output 2>errors
is "who may not is told so" "$? $(grep -c '^perfgrp: ' errors)" = "255 1"
echo "1..$nr"
exit $failed
