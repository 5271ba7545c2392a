#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tests that come with perf 6.12 and perf 7.x, with perfgrp in perf's place, on hardware counters
# and the module (O1, O14, O21, O24, L7). Those of perf stat and perf list also run on the build
# machine, which has no PMU (tests/host/test_perf_shell). report, script and inject are Debian's perf,
# which so reads perfgrp's recordings.
# timeout: 600

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

perf_shell=/usr/share/perf-tests
if ! has_pmu; then
	echo "1..0 # SKIP no hardware counters"
	exit 0
fi
if [ ! -d $perf_shell ]; then
	echo "1..0 # SKIP perf's tests are not here"
	exit 0
fi
cd "$scratch" || exit 1
# shellcheck source=tests/common/perf_shell.sh
. $perf_shell/perf_shell.sh

# perf has no tables for the emulated CPU. It has the events of a Neoverse N1 that matter here.
export PERF_CPUID=0x00000000410fd0c0
# Slow interrupts of other tests may have lowered the kernel's limit of samples.
echo 50 >/proc/sys/kernel/perf_cpu_time_max_percent
echo 100000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent

cp $perf_shell/perf_shell.words words.7.x
# shellcheck disable=SC2016 # for the script
use_perfgrp /usr/bin/perfgrp "stat | list | record" "
	case \"\$*\" in
	'test -w '*)
		shift 2
		exec $PWD/workload/perf \"\$@\"
		;;
	'test -vv -F Symbols') printf ' %s\\n' noploop test_loop brstack ;;
	# perfgrp has libpfm4, whatever perf was built with.
	'version --build-options') ;;
	report*)
		# There is no addr2line.
		shift
		exec /usr/bin/perf report --no-inline \"\$@\"
		;;
	*) exec /usr/bin/perf \"\$@\" ;;
	esac
	exit"
mkdir workload
cp /tests/perf_workload workload/perf
# What busybox does not have.
cat >bin/getconf <<-END
	#!/bin/sh
	exec nproc
END
cat >bin/find <<-END
	#!/bin/sh
	[ "\$6 \$7" = "-printf x" ] || exec busybox find "\$@"
	for file in "\$1"/*; do
		printf x
	done
END
chmod +x bin/getconf bin/find

stat="${perf_stat_scripts[*]} ${perf_pmu_scripts[*]}"
record=${perf_record_scripts[*]}
new=${perf_pmu_scripts_7[*]}
# perf 6.1 lacks options of perf inject that it uses.
pipes=
! perf inject -h 2>&1 | grep -q mmap2-buildid-all || pipes=pipe_test
declare -A scripts=([6.12]="$stat $record $pipes" [7.x]="$stat $record $new $pipes")
# They take long, and the two versions differ little.
if [ "${TEST_ROUNDS_DIVISOR:-1}" -gt 1 ]; then
	scripts=([7.x]="$stat $record $new")
fi
use_perf_tests 6.12 $perf_shell/trixie
use_perf_tests 7.x $perf_shell/trixie-backports
for version in 6.12 7.x; do
	# An argument, by hand, names the scripts.
	for script in ${1:-${scripts[$version]:-}}; do
		run_perf_test "$version" "$script" "hardware counters"
	done
done
echo "1..$nr"
exit "$failed"
