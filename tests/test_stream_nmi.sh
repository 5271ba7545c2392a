#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# O1: overflow handlers run in NMIs if the machine has them. A kprobe on the handler
# shows it: the third flag in the trace is z or Z in an NMI.
# timeout: 120

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

tracing=/sys/kernel/tracing

# in_nmi TEXT PROGRAM PATTERN: runs PROGRAM's tests that match PATTERN
in_nmi() {
	: >$tracing/trace
	echo 1 >$tracing/events/kprobes/overflow/enable
	"$2" "$3" >"$scratch/output" 2>&1
	status=$?
	echo 0 >$tracing/events/kprobes/overflow/enable
	all=$(grep -c overflow: $tracing/trace)
	nmi=$(awk '/overflow:/ && $3 ~ /^..[zZ]/' $tracing/trace | wc -l)
	echo "# $all handlers, $nmi of them NMIs"
	if [ $status -ne 0 ]; then
		result "not ok" "$1"
		show "$scratch/output"
	elif [ "$all" -gt 0 ] && [ "$all" -eq "$nmi" ]; then
		result ok "$1"
	else
		result "not ok" "$1"
		grep overflow: $tracing/trace | head -n 5 | sed 's/^/# /'
	fi
}

if ! echo 'p:overflow perfgrp:perfgrp_overflow' >$tracing/kprobe_events 2>/dev/null; then
	echo "1..0 # SKIP no kprobe can be put on the handler"
	exit 0
fi
echo 1..1
case $(uname -m) in
x86_64)
	in_nmi "O1: a breakpoint's overflow is handled as an NMI" /tests/test_stream "O1 O3: a breakpoint on a kernel"
	;;
*)
	if dmesg | grep -q 'PMU driver.*using NMIs'; then
		in_nmi "O1: every overflow of a hardware counter is handled as an NMI" \
			/tests/test_stream_pmu "O2: period P"
	else
		result ok "O1: overflows are handled as NMIs # SKIP this machine's PMU interrupts are none"
	fi
	;;
esac
: >$tracing/kprobe_events
exit $failed
