#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# perfgrp stat and record with cgroups, compared with Debian's own perf (C8, C16).
# timeout: 300

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

root=/sys/fs/cgroup
if perfgrp info | grep -Eq '^ *cgroup +no'; then
	echo "1..0 # SKIP the module has no cgroups"
	exit 0
fi
if [ ! -f $root/cgroup.controllers ]; then
	echo "1..0 # SKIP cgroup2 is not mounted"
	exit 0
fi

cd "$scratch" || exit 1
fix_addresses

# perf can count below the root only after some controller has been enabled for the children.
for controller in pids cpu memory; do
	if grep -qw $controller $root/cgroup.controllers; then
		at_exit "echo -$controller >$root/cgroup.subtree_control"
		echo +$controller >$root/cgroup.subtree_control
		break
	fi
done

# The first cgroup is removed last. One whose task has just exited stays busy for a moment.
remove() {
	i=0
	until rmdir "$1" 2>/dev/null || [ ! -d "$1" ] || [ $i -gt 100 ]; do
		i=$((i + 1))
		sleep 0.1
	done
}
container=docker-3f2a9c0d1e4b3f2a9c0d1e4b3f2a9c0d1e4b3f2a9c0d1e4b3f2a9c0d1e4b3f2a.scope
id=${container%.scope}
for cgroup in pgtest pgtest/busy pgtest/idle pgtest/$container; do
	at_exit "remove $root/$cgroup"
	mkdir "$root/$cgroup" || exit 1
done

# run CGROUP COMMAND...: runs a command in a cgroup.
cat >run <<'EOF'
#!/bin/sh
echo $$ >"/sys/fs/cgroup/$1/cgroup.procs"
shift
exec "$@"
EOF
chmod +x run
work="/tests/work 1000000 500"

# count TOOL OPTION...: runs TOOL stat while $work runs in pgtest/busy; CSV goes to TOOL.csv.
# perf shows what it counted, unscaled: for a cgroup that ran when an earlier event of it was
# closed, the perf core reports too long a time_enabled (kernels.md), and perf scales by it.
count() {
	tool=$1
	shift
	[ "$tool" != perf ] || set -- --no-scale "$@"
	# shellcheck disable=SC2086 # a command
	"$tool" stat -x, -o "$tool.csv" -a -e page-faults "$@" ./run pgtest/busy $work >output \
		2>errors
}

# faults TOOL CGROUP: prints the page faults that TOOL counted in CGROUP.
faults() {
	awk -F, -v cgroup="$2" '$3 == "page-faults" && $4 == cgroup { print $1 }' "$1.csv"
}

# near A B: A and B differ by at most 1 %.
near() {
	echo "$1 $2" | awk '{ off = $1 > $2 ? $1 - $2 : $2 - $1
		exit !($1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ && $1 > 0 && off * 100 <= $1) }'
}

# check_near TEXT A B: reports a result: whether A is near B.
check_near() {
	if near "$2" "$3"; then
		result ok "$1: $2, $3"
	else
		result "not ok" "$1: $2, $3"
		show errors perfgrp.csv perf.csv
	fi
}

# Run once before, so that the file is in the page cache for all.
# shellcheck disable=SC2086 # a command
./run pgtest/busy $work

# ---- beside perf -------------------------------------------------------------------

count perfgrp -G pgtest/busy
is "C8: -G counts the faults of a cgroup's task" "$(faults perfgrp pgtest/busy)" -ge 500
if command -v perf >/dev/null; then
	count perf -G pgtest/busy
	check_near "C8: as many as perf stat -G" "$(faults perfgrp pgtest/busy)" \
		"$(faults perf pgtest/busy)"
	count perfgrp --for-each-cgroup pgtest/busy,pgtest/idle
	count perf --for-each-cgroup pgtest/busy,pgtest/idle
	check_near "C8: so with --for-each-cgroup" "$(faults perfgrp pgtest/busy)" \
		"$(faults perf pgtest/busy)"
	is "C8: events and cgroups stand where perf has them" \
		"$(grep -v '^#' perfgrp.csv | cut -d, -f3,4)" = \
		"$(grep -v '^#' perf.csv | cut -d, -f3,4)"
else
	count perfgrp --for-each-cgroup pgtest/busy,pgtest/idle
	echo "# there is no perf to compare with"
fi
is "C8: a cgroup in which nothing runs has counted 0" "$(faults perfgrp pgtest/idle)" = 0

# ---- which tasks --------------------------------------------------------------------

perfgrp stat -x, -o perfgrp.csv -a -e page-faults -G pgtest/busy \
	sh -c "/tests/work 1 5000 & ./run pgtest/busy $work; wait" >output 2>errors
is "C8: what runs outside of it meanwhile is not counted" "$(faults perfgrp pgtest/busy)" -lt 2000
count perfgrp -G pgtest
is "C8: a cgroup counts with its descendants" "$(faults perfgrp pgtest)" -ge 500
perfgrp stat -x, -o perfgrp.csv -a -e page-faults -G pgtest/busy -e minor-faults \
	sh -c "/tests/work 1 5000; ./run pgtest/busy $work" >output 2>errors
is "C8: an event behind -G counts whatever runs" \
	"$(awk -F, '$3 == "minor-faults" && $4 == "" { print ($1 >= 5500) }' perfgrp.csv)" = 1
count perfgrp -G /
is "C8: / is the root" "$(faults perfgrp /)" -ge 500

# ---- names --------------------------------------------------------------------------

for name in /pgtest/busy $root/pgtest/busy busy; do
	count perfgrp -G "$name"
	is "C8: by path or name: $name" "$(faults perfgrp "$name")" -ge 500
done
# shellcheck disable=SC2086 # a command
perfgrp stat -x, -o perfgrp.csv -a -e page-faults -G 3f2a9c ./run pgtest/$container $work \
	>output 2>errors
is "C8: by the beginning of a container's id" "$(faults perfgrp 3f2a9c)" -ge 500
count perfgrp --for-each-cgroup '^pgtest/[bi]'
is "C8: by a pattern" "$(grep -v '^#' perfgrp.csv | cut -d, -f4 | grep . | tr '\n' ' ')" = \
	"pgtest/busy pgtest/idle "
perfgrp stat -a -e page-faults -G nosuch true >output 2>errors
is "C8: one that is not there is named" "$? $(cat errors)" = \
	"129 perfgrp: there is no cgroup 'nosuch' below $root"
mkdir plain
perfgrp stat -a -e page-faults -G ./plain true >output 2>errors
is "C8: so is a directory that is no cgroup" \
	"$? $(grep -c "^perfgrp: cgroup './plain': ." errors)" = "255 1"

# ---- the cgroup is removed -----------------------------------------------------------

# gone FILE COMMAND...: COMMAND counts pgtest/gone, which is removed as soon as FILE is not empty.
gone() {
	file=$1
	shift
	mkdir $root/pgtest/gone
	: >"$file"
	"$@" >output 2>errors &
	counting=$!
	until [ -s "$file" ] || [ ! -d /proc/$counting ]; do
		./run pgtest/gone true
		sleep 0.1
	done
	remove $root/pgtest/gone
	wait $counting
}

gone counts perfgrp stat -x, -o counts -a -I 100 -e page-faults -G pgtest/gone
is "C8: counting ends when the cgroup is removed, and says why" "$? $(cat errors)" = \
	"0 perfgrp: cgroup 'pgtest/gone' was removed"
gone records perfgrp record --json -o records -a -e page-faults -c 1 -m 8 -G pgtest/gone
is "C8: so does recording" "$? $(grep -c "^perfgrp: cgroup 'pgtest/gone' was removed" errors)" = \
	"0 1"

# ---- record --------------------------------------------------------------------------

# shellcheck disable=SC2086 # a command
perfgrp record --json -o records -a -e page-faults -c 1 -G pgtest/busy ./run pgtest/busy $work \
	>output 2>errors
is "C8: record -G samples each fault" "$(grep -c '"record": "sample"' records)" -ge 500
is "C8: of the cgroup's task alone" \
	"$(sed -n 's/.*"record": "sample".*"pid": \([0-9]*\),.*/\1/p' records | sort -u | wc -l)" = 1
is "C8: whose cgroup is said" \
	"$(grep -c '"record": "sample".*"cgroup": "pgtest/busy"' records)" = \
	"$(grep -c '"record": "sample"' records)"
# ---- all cgroups at once -------------------------------------------------------------

count perfgrp --cgroups
is "C16: --cgroups counts the faults of a cgroup's task" "$(faults perfgrp pgtest/busy)" -ge 500
is "C16: and of no other" "$(faults perfgrp pgtest/busy)" -lt 2000
is "C16: a cgroup in which nothing has run is left out" "$(faults perfgrp pgtest/idle)" = ''
is "C16: the root has its own tasks' only, and nothing is without a cgroup" \
	"$(faults perfgrp / | wc -l) $(faults perfgrp '(overflow)')" = '1 '
if command -v perf >/dev/null; then
	count perf -G pgtest/busy
	count perfgrp --cgroups
	check_near "C16: as many as perf stat -G" "$(faults perfgrp pgtest/busy)" \
		"$(faults perf pgtest/busy)"
fi
count perfgrp --cgroups=1
is "C16: with a depth its ancestor has them" \
	"$(faults perfgrp pgtest/busy) $(($(faults perfgrp pgtest) >= 500))" = ' 1'
perfgrp stat -x, -o perfgrp.csv -a -e page-faults --cgroups -I 300 --interval-count 3 \
	sh -c "while :; do ./run pgtest/busy $work; done" >output 2>errors
is "C16: an interval prints its own" \
	"$(awk -F, '$4 == "page-faults" && $5 == "pgtest/busy" { n++ } END { print (n >= 2) }' perfgrp.csv)" = 1
perfgrp stat -x, -o perfgrp.csv -a -e page-faults --cgroups -I 300 --interval-count 4 \
	sh -c "mkdir $root/pgtest/short; ./run pgtest/short $work; sleep 0.5; rmdir $root/pgtest/short; sleep 5" \
	>output 2>errors
is "C16: a cgroup that comes and goes meanwhile is seen" \
	"$(awk -F, '$5 == "pgtest/short" && $2 >= 500 { n++ } END { print n + 0 }' perfgrp.csv)" = 1

# ---- containers ------------------------------------------------------------------------

HOSTNAME=web-7d9f ./run "pgtest/$container" sh -c 'while :; do /tests/work 100000 100; done' &
at_exit "kill $!"
perfgrp stat -o table -a -e page-faults --cgroups sleep 0.5
is "C16: a container is called by its host name and its id" \
	"$(grep -c 'page-faults  *web-7d9f \[docker-3f2a9c0d1e4b\]' table)" = 1
perfgrp stat -j -o json -a -e page-faults --cgroups sleep 0.5
is "C16: JSON has the path, the id and the name" \
	"$(grep -c "\"cgroup\": \"pgtest/$container\", \"container-id\": \"${id#docker-}\", \"container-name\": \"web-7d9f\"" json)" = 1
perfgrp stat -x, -o csv -a -e page-faults --cgroups sleep 0.5
is "C16: CSV has the path" "$(grep -c ",page-faults,pgtest/$container," csv)" = 1
echo "1..$nr"
exit $failed
