# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # what shell.sh sets
# Runs the shell tests that come with perf, unmodified, with perfgrp in perf's place. For bash:
# tests/host/test_perf_shell and tests/test_perf_shell.sh source it after shell.sh, in a directory
# of their own.
#
# perf_shell.skips lists the functions that are left out of a script: their calls are removed from a
# copy. Each of them is also called alone, and must still fail, unless its reason begins with
# "sometimes". A script that is left out has "all" in the place of a function. perf_shell.words
# replaces words of perf 6.12 by those of 7.x.

# What is run: everywhere; with a PMU; with a PMU and the module, as it records; and what only 7.x has.
perf_stat_scripts=(stat+csv_output stat+csv_summary stat+json_output stat+shadow_stat stat+std_output
	stat stat_all_pmu list)
perf_pmu_scripts=(stat_all_metrics stat_all_metricgroups)
perf_pmu_scripts_7=(stat+event_uniquifying)
perf_record_scripts=(record record_sideband record+zstd_comp_decomp)

# use_perf_tests VERSION DIRECTORY: perf VERSION's tests/shell.
use_perf_tests() {
	ln -s "$2" "perf.$1"
	cp -R "$2" "shell.$1"
	[ -f "words.$1" ] || : >"words.$1"
}

# use_perfgrp PERFGRP COMMANDS REST: makes perf a script that gives COMMANDS (of case) to the program
# PERFGRP, and has REST do all others.
use_perfgrp() {
	mkdir bin
	cat >bin/perf <<-END
		#!/bin/bash
		case \$1 in
		$2) ;;
		*) $3 ;;
		esac
		# What it says of the backend is not perf's.
		exec 3>&1
		"$1" "\$@" 2>&1 >&3 3>&- |
			sed -f "\$WORDS" -e '/^perfgrp: PERFGRP_BACKEND=perf: /d' >&2
		status=\${PIPESTATUS[0]}
		while [ \$# -gt 1 ]; do
			[ ! -s "\$WORDS" ] || [ "\$1" != -o ] || [ ! -f "\$2" ] || sed -i -f "\$WORDS" "\$2"
			shift
		done
		exit "\$status"
	END
	chmod +x bin/perf
}

# skipped VERSION SCRIPT: its functions that perf_shell.skips names.
skipped() {
	sed -n "s/^$1 $2: \([^:]*\): .*/\1/p" "$perf_shell/perf_shell.skips"
}

# check_all_named VERSION: a result for whether each of its scripts is either run or left out by name.
check_all_named() {
	local path script unnamed=()
	local run=(stat_all_pfm pipe_test "${perf_stat_scripts[@]}" "${perf_pmu_scripts[@]}"
		"${perf_pmu_scripts_7[@]}" "${perf_record_scripts[@]}")
	for path in "perf.$1"/{stat,list,record,pipe}*.sh; do
		script=$(basename "$path" .sh)
		[[ " ${run[*]} " == *" $script "* || $(skipped "$1" "$script") = all ]] ||
			unnamed+=("$script")
	done
	echo "neither run nor left out: ${unnamed[*]}" >log
	check "each script of perf $1's is run or left out by name" [ ${#unnamed[@]} = 0 ]
}

# run VERSION SCRIPT: of the copy. Sets $status; what it says is in log.perf.
run() {
	status=0
	PATH=$PWD/bin:$PATH WORDS=$PWD/words.$1 timeout 300 bash "shell.$1/$2.sh" \
		>log.perf 2>&1 </dev/null || status=$?
}

passes() {
	cat log.perf
	[ "$status" = 0 ] && ! grep -q '\[Failed' log.perf
}

# fails VERSION SCRIPT FUNCTION: called alone it still does, or says that it was skipped.
fails() {
	local all="(check|test)_[a-z_]+( .*)?"
	sed -E "/^[[:space:]]*$3( .*)?\$/!s/^([[:space:]]*)$all\$/\1:/" "perf.$1/$2.sh" >"shell.$1/$2.sh"
	run "$1" "$2"
	! passes >log || grep -q '\[Skip' log
}

# check_left_out VERSION: a result for each script that is left out, and so must not pass.
check_left_out() {
	local script reason
	while IFS=: read -r script reason; do
		run "$1" "$script"
		if passes >log; then
			result "not ok" "perf $1's $script passes, so it need not be left out"
		else
			result ok "perf $1's $script # SKIP$reason"
		fi
	done < <(sed -n "s/^$1 \([^:]*\): all:/\1:/p" "$perf_shell/perf_shell.skips")
}

# run_perf_test VERSION SCRIPT WHERE: a result for the script, and one for each function left out.
run_perf_test() {
	local function reason
	for function in $(skipped "$1" "$2"); do
		sed -i -E "s/^([[:space:]]*)$function( .*)?\$/\1:/" "shell.$1/$2.sh"
	done
	run "$1" "$2"
	# As in all of perf's tests.
	if [ "$status" = 2 ]; then
		result ok "perf $1's $2 # SKIP it says itself that it cannot run: $(tail -n 1 log.perf)"
	else
		check "perf $1's $2, on $3" passes
	fi
	for function in $(skipped "$1" "$2"); do
		reason=$(sed -n "s/^$1 $2: $function: //p" "$perf_shell/perf_shell.skips")
		if [[ $reason == sometimes* ]] || fails "$1" "$2" "$function"; then
			result ok "perf $1 $2: $function # SKIP $reason"
		else
			result "not ok" "perf $1 $2: $function passes, so it need not be left out"
		fi
	done
}
