#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Debian's own perf counts the same commands in the same boot: perfgrp stat agrees
# (S1, E2, E3, G17).
# timeout: 300

nr=0
failed=0

# value FILE EVENT: the count of EVENT in the CSV that stat -x, writes.
value() {
	awk -F, -v event="$2" '{ sub(/:.*/, "", $3) } $3 == event { print $1; exit }' "$1"
}

# agree TEXT PERCENT EVENTS EVENT OPTIONS COMMAND...: both tools count EVENTS with
# OPTIONS while COMMAND runs, and EVENT comes out the same to PERCENT.
agree() {
	text=$1 percent=$2 events=$3 event=$4 options=$5
	shift 5
	nr=$((nr + 1))
	# shellcheck disable=SC2086 # a list of options
	perf stat -x, -o /tmp/perf.csv -e "$events" $options "$@" >/dev/null 2>&1
	# shellcheck disable=SC2086
	perfgrp stat -x, -o /tmp/perfgrp.csv -e "$events" $options "$@" >/dev/null 2>/tmp/errors
	a=$(value /tmp/perf.csv "$event")
	b=$(value /tmp/perfgrp.csv "$event")
	if echo "$a $b $percent" | awk '{
		off = $1 > $2 ? $1 - $2 : $2 - $1
		exit !($1 ~ /^[0-9.]+$/ && $2 ~ /^[0-9.]+$/ && $1 > 0 && off * 100 <= $1 * $3)
	}'; then
		echo "ok $nr - $text"
	else
		echo "not ok $nr - $text"
		failed=1
	fi
	echo "# $event: perf $a, perfgrp $b"
	[ ! -s /tmp/errors ] || sed 's/^/# /' /tmp/errors
}

# Where stack and heap begin is worth a page fault or two.
randomize=$(cat /proc/sys/kernel/randomize_va_space)
trap 'echo "$randomize" >/proc/sys/kernel/randomize_va_space' EXIT
echo 0 >/proc/sys/kernel/randomize_va_space

work="/tests/work 100000000 500"
# Once before, so that the file is in memory for all.
$work

if perf stat -x, -e cycles true 2>&1 | grep -q '^<not'; then
	echo 1..3
else
	echo 1..9
	both='{cycles,instructions}'
	# shellcheck disable=SC2086
	{
		agree "S1: cycles of a command to 1 %" 1 "$both" cycles "" $work
		agree "S1: instructions of a command to 1 %" 1 "$both" instructions "" $work
		agree "E6: user mode alone to 1 %" 1 instructions:u instructions "" $work
		agree "S1: cycles of all CPUs to 5 %" 5 "$both" cycles "-a" $work
		agree "S1: instructions of all CPUs to 5 %" 5 "$both" instructions "-a" $work
		agree "G16: children are counted, to 2 %" 2 "$both" instructions "" \
			sh -c "$work; $work"
	}
fi
# shellcheck disable=SC2086
{
	agree "E3: page faults of a command exactly" 0 page-faults page-faults "" $work
	agree "E3: page faults in user mode exactly" 0 page-faults:u page-faults "" $work
	agree "E3: minor faults exactly" 0 minor-faults minor-faults "" $work
}
exit $failed
