# shellcheck shell=bash disable=SC2034 # who sources this uses it
# Shared by the tests of the tool on a simulated device (fake_device.c). Sourced by bash with TOP
# set; changes to a working directory of the test's own.

OUT=${TOOL_BUILD:-$TOP/build/host/userspace}
[ -n "${TOOL_BUILD:-}" ] || make -s -C "$TOP/userspace" fake-device O="$OUT"
# shellcheck source=tests/common/shell.sh
. "$TOP/tests/common/shell.sh"
cd "$scratch" || exit 1
# No tables of the machine's own CPU, only those that a test writes.
export PERFGRP_PMU_EVENTS=$scratch/pmu-events
# perf's cache of files that were sampled; not the user's own.
export PERF_BUILDID_DIR=$scratch/debug
export LC_ALL=C FAKE_DEVICE=$scratch/device FAKE_LOG=$scratch/calls FAKE_ROOT=$scratch/root

# file PATH TEXT: writes a file of the simulated machine.
file() {
	mkdir -p "$(dirname "root$1")"
	printf '%s\n' "$2" >"root$1"
}

# machine: sets up four CPUs, two per core, in two sockets of one node each.
machine() {
	local cpu
	rm -rf root
	file /sys/devices/system/cpu/online 0-3
	for cpu in 0 1 2 3; do
		file /sys/devices/system/cpu/cpu$cpu/topology/core_id $((cpu / 2))
		file /sys/devices/system/cpu/cpu$cpu/topology/die_id 0
		file /sys/devices/system/cpu/cpu$cpu/topology/physical_package_id $((cpu / 2))
		mkdir -p root/sys/devices/system/cpu/cpu$cpu/node$((cpu / 2))
	done
	file /sys/bus/event_source/devices/cpu/type 4
	file /sys/bus/event_source/devices/software/type 1
	file /sys/kernel/tracing/events/sched/sched_switch/id 300
	file /proc/sys/kernel/nmi_watchdog 0
	file /proc/cpuinfo 'flags : fpu sse'
	file /proc/sys/kernel/perf_event_max_sample_rate 100000
	for tid in 5000242 5000243; do
		mkdir -p "root/proc/5000242/task/$tid"
		file "/proc/$tid/comm" thread$((tid - 5000241))
	done
}

# device LINE...: sets what the device does from now on; see fake_device.c. Clears the log of calls.
device() {
	printf '%s\n' "$@" >device
	: >calls
}

# perfgrp ARGUMENT...: runs the tool; its output is in "output" and "errors", its status in $status.
perfgrp() {
	status=0
	# The tool blocks signals during set-up: if it hangs there, only SIGKILL ends it.
	LD_PRELOAD=$OUT/fake_device.so timeout -k 5 60 "$OUT/perfgrp" "$@" >output 2>errors </dev/null ||
		status=$?
}

# perfgrp_into FILE ARGUMENT...: the same, but standard output goes to FILE.
perfgrp_into() {
	local file=$1
	shift
	status=0
	LD_PRELOAD=$OUT/fake_device.so "$OUT/perfgrp" "$@" >"$file" 2>errors </dev/null || status=$?
}

# start ARGUMENT...: the same in the background; $pid is its process.
start() {
	# Clear the last output now: the new process truncates the file only a little later.
	: >output
	LD_PRELOAD=$OUT/fake_device.so "$OUT/perfgrp" "$@" >output 2>errors </dev/null &
	pid=$!
}

# ended: waits for the process, and sets $status.
ended() {
	status=0
	wait "$pid" 2>/dev/null || status=$?
}

# called PATTERN: a call in the log matches PATTERN.
called() {
	grep -qE -e "$1" calls
}

# calls PATTERN: prints how many do.
calls() {
	grep -cE -e "$1" calls || :
}

# lines FILE PATTERN: prints the lines of FILE that match, with single blanks and none at either
# end.
lines() {
	grep -E -e "$2" "$1" | sed 's/  */ /g; s/^ //; s/ $//'
}

# prints TEXT PATTERN LINE...: the lines on standard error that match PATTERN are LINEs.
prints() {
	prints_in errors "$@"
}

prints_in() {
	local file=$1 text=$2 pattern=$3
	shift 3
	lines "$file" "$pattern" >got || :
	if [ $# -gt 0 ]; then
		printf '%s\n' "$@" >expected
	else
		: >expected
	fi
	if cmp -s expected got; then
		result ok "$text"
	else
		result "not ok" "$text"
		diff expected got | sed 's/^/# /'
		show "$file"
	fi
}

# exits TEXT STATUS [PATTERN]: the status was STATUS, and a line on standard error matches PATTERN.
exits() {
	if [ "$status" = "$2" ] && { [ $# -lt 3 ] || grep -qE -e "$3" errors; }; then
		result ok "$1"
	else
		result "not ok" "$1"
		echo "# status $status, expected $2; pattern: ${3:-none}"
		show output errors
	fi
}
