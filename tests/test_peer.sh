#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Debian's own perf counts the same commands in the same boot: perfgrp stat agrees
# (S1, E2, E3, G17).
# timeout: 300

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

# value FILE EVENT: prints the count of EVENT in FILE, which is the CSV of stat -x,.
value() {
	awk -F, -v event="$2" '{ sub(/:.*/, "", $3) } $3 == event { print $1; exit }' "$1"
}

# agree TEXT PERCENT EVENTS EVENT OPTIONS COMMAND...: both tools count EVENTS with
# OPTIONS while COMMAND runs, and EVENT comes out the same to PERCENT.
agree() {
	text=$1 percent=$2 events=$3 event=$4 options=$5
	shift 5
	# shellcheck disable=SC2086 # a list of options
	perf stat -x, -o "$scratch/perf.csv" -e "$events" $options "$@" >/dev/null 2>&1
	# shellcheck disable=SC2086
	perfgrp stat -x, -o "$scratch/perfgrp.csv" -e "$events" $options "$@" >/dev/null \
		2>"$scratch/errors"
	a=$(value "$scratch/perf.csv" "$event")
	b=$(value "$scratch/perfgrp.csv" "$event")
	if echo "$a $b $percent" | awk '{
		off = $1 > $2 ? $1 - $2 : $2 - $1
		exit !($1 ~ /^[0-9.]+$/ && $2 ~ /^[0-9.]+$/ && $1 > 0 && off * 100 <= $1 * $3)
	}'; then
		result ok "$text"
	else
		result "not ok" "$text"
	fi
	echo "# $event: perf $a, perfgrp $b"
	show "$scratch/errors"
}

fix_addresses
work="/tests/work 100000000 500"
# Run once before, so that the file is in the page cache for all.
$work

# Counting is enabled only for the second part; the first and the last touch 5000 pages each.
cat >"$scratch/in_parts" <<'END'
say() {
	echo "$1" >"$scratch/commands"
	read -r answer <"$scratch/answers" && [ "$answer" = ack ] || exit 9
}
/tests/work 1 5000
say enable
/tests/work 1 500
say disable
/tests/work 1 5000
END
mkfifo "$scratch/commands" "$scratch/answers"
export scratch

if ! has_pmu; then
	echo 1..6
else
	echo 1..12
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
	agree "G15: pinned page faults exactly" 0 page-faults:D page-faults "" $work
	agree "S1: what a program has counted in parts by --control, to 5 %" 5 page-faults page-faults \
		"-D -1 --control fifo:$scratch/commands,$scratch/answers" sh "$scratch/in_parts"
	check "S1: which is not all of it" [ "$b" -ge 500 -a "$b" -lt 2000 ]
}
exit $failed
