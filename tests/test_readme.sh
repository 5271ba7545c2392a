#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The README's example does what the README says (S1), or says why not (E7).
# shellcheck disable=SC2317 # functions that check calls

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

counts() {
	/tests/readme_example >"$scratch/output" 2>&1
	cat "$scratch/output"
	[ "$(grep -c '^member [12]: state 1, [1-9]' "$scratch/output")" = 2 ]
}

says_why() {
	/tests/readme_example >"$scratch/output" 2>&1
	cat "$scratch/output"
	grep -q '^perfgrp: cpu-cycles: no PMU' "$scratch/output"
}

echo 1..1
if has_pmu; then
	check "S1: the README's example counts cycles and instructions on all CPUs" counts
else
	check "E7: the README's example says that there are no hardware counters" says_why
fi
exit $failed
