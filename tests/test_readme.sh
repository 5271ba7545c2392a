#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The README's example does what the README says (S1), or says why not (E7).

echo 1..1
if perf stat -x, -e cycles true 2>&1 | grep -q '^<not'; then
	if /tests/readme_example 2>&1 | grep -q '^perfgrp: cpu-cycles: no PMU'; then
		echo "ok 1 - E7: the README's example says that there are no hardware counters"
		exit 0
	fi
elif [ "$(/tests/readme_example | grep -c '^member [12]: state 1, [1-9]')" = 2 ]; then
	echo "ok 1 - S1: the README's example counts cycles and instructions on all CPUs"
	exit 0
fi
echo "not ok 1 - S1 E7: the README's example"
/tests/readme_example 2>&1 | sed 's/^/# /'
exit 1
