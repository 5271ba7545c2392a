#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# perfgrp record: Debian's own perf finds the names of what samples hit: of JITed BPF programs
# (O18), and of functions of the file that was mapped, whatever file has its name now (O19), which
# is in perf's cache (O26).
# timeout: 300

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

cd "$scratch" || exit 1
mkdir nothing
# Make the kernel's own list readable, to compare with it.
echo 1 >/proc/sys/net/core/bpf_jit_kallsyms
echo 0 >/proc/sys/kernel/kptr_restrict

# record OPTION...: perfgrp record, a sample each millisecond.
record() {
	perfgrp record -o data -c 1000000 "$@" >output 2>errors
}

# perf loads the kernel's symbols at the first kernel sample. If it can read /proc/kcore, it then
# has a map that covers all modules, and no room for BPF programs loaded later; this is so for its
# own recordings, too. With a copy of /proc/kallsyms it does not use kcore. The copy has only the
# lines with the kernel's bounds, because perf takes long to read the rest.
grep -F -e ' _text' -e ' _stext' -e ' _etext' /proc/kallsyms >kallsyms

# script [OPTION...]: runs perf script, without other files to find symbols in.
script() {
	perf script --symfs nothing "$@" 2>/dev/null
}

# samples_in SYMBOL: prints how many samples perf script finds in SYMBOL.
samples_in() {
	script --kallsyms kallsyms -F ip,sym -i data | grep -c " $1\$"
}

# Records of BPF programs and their functions, as perf script has them.
bpf_records() {
	script --show-bpf-events -F event -i data |
		grep -E 'PERF_RECORD_(KSYMBOL|BPF_EVENT)'
}

# counts ID SYMBOL: prints the numbers of loads and unloads of program ID, and of records that
# register and unregister SYMBOL.
counts() {
	bpf_records | awk -v id="$1" -v symbol="$2" '
		function behind(word, i) {
			for (i = 1; $i != word; i++)
				;
			return $(i + 1)
		}
		/BPF_EVENT/ && $NF == id { program[behind("type") + 0]++ }
		/KSYMBOL/ && $NF == symbol { function_[behind("flags")]++ }
		END {
			print program[1] + 0, program[2] + 0, function_["0x0"] + 0,
				function_["0x1"] + 0
		}'
}

# ---- BPF programs that come and go ---------------------------------------------

record -e cpu-clock /tests/burn_bpf burning 200
read -r id symbol <output
is "O18: a program that the command loads has its name, when it is gone" \
	"$(samples_in "$symbol")" -gt 20
is "O18: perf report has it, too" \
	"$(perf report --stdio --sort sym --kallsyms kallsyms -i data 2>/dev/null |
		grep -c "$symbol")" = 1
is "O18: its load is in the file once, and so is its symbol" \
	"$(counts "$id" "$symbol" | cut -d' ' -f1,3)" = "1 1"

record -e cpu-clock sh -c '/tests/burn_bpf burning 200'
read -r id symbol <output
is "O18: so has one that a child loads" "$(samples_in "$symbol")" -gt 20

record -a -e cpu-clock /tests/burn_bpf burning 200
read -r id symbol <output
is "O18: so has one that is loaded while all CPUs are sampled" \
	"$(samples_in "$symbol")" -gt 20
is "O18: it comes and goes once each" "$(counts "$id" "$symbol")" = "1 1 1 1"

# shellcheck disable=SC2094 # standard output is perf's
perfgrp record -o - -c 1000000 -e cpu-clock /tests/burn_bpf burning 200 2>output |
	script --kallsyms kallsyms -F ip,sym -i - >piped
symbol=$(sed -n 's/^[0-9]* \(bpf_prog_.*\)/\1/p' output)
is "O18: so has one in what goes through a pipe" "$(grep -c " $symbol\$" piped)" -gt 20

# ---- those that are there already ----------------------------------------------

/tests/burn_bpf there 100000 >running &
burning=$!
at_exit "kill -KILL $burning"
while [ ! -s running ]; do
	sleep 0.1
done
read -r id symbol <running

# until_run PID: waits until PID has used another 0.2 s of CPU time, however long that takes.
cat >until_run <<'END'
begin=$(awk '{ print $14 + $15 }' /proc/$1/stat)
until awk -v begin="$begin" '{ exit $14 + $15 < begin + 20 }' /proc/$1/stat; do
	sleep 0.02
done
END
record -a -e cpu-clock sh until_run $burning
kill -STOP $burning
cp data before
is "O18: a program that has been loaded before has its name" \
	"$(samples_in "$symbol")" -gt 20
is "O18: that it is there is in the file once" "$(counts "$id" "$symbol")" = "1 0 1 0"
kill -CONT $burning
record -e cpu-clock -p $burning sh until_run $burning
kill -STOP $burning
is "O18: so has it where a task is sampled" "$(samples_in "$symbol")" -gt 20
record -a -e cpu-clock:u true
is "O18: who samples no kernel code does not learn where it is" "$(bpf_records | wc -l)" = 0
record -a -e cpu-clock --no-bpf-event /tests/burn_bpf burning 200
is "O18: with --no-bpf-event there are none, neither of before nor of what is loaded" \
	"$? $(bpf_records | wc -l)" = "0 0"
read -r _ loaded <output
is "O18: its samples are there, without its name" \
	"$(($(script -i data | grep -c cpu-clock) > 20)) $(samples_in "$loaded")" = "1 0"

# perf records all programs if the user may ask for them, and is silent if not; so is perfgrp.
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
echo 2 >/proc/sys/kernel/perf_event_paranoid
setpriv --bounding-set -sys_admin \
	perfgrp record -o data -e cpu-clock -c 1000000 true 2>errors
is "O18: who may not ask for programs records" "$? $(grep -c . errors)" = "0 1"
is "O18: and has none" "$(bpf_records | wc -l)" = 0
# 3 means something to Debian's kernels only: then they are refused records of mappings, too.
echo 3 >/proc/sys/kernel/perf_event_paranoid
setpriv --bounding-set -sys_admin perf stat -e page-faults:u true >output 2>&1
refused=$(($? != 0))
echo "# with 3 perf is refused: $refused"
setpriv --bounding-set -sys_admin \
	perfgrp record -o data -e cpu-clock -c 1000000 true 2>errors
is "O28: nor mappings, where perf is refused: it says so, and records" \
	"$? $(grep -c "lower kernel.perf_event_paranoid" errors)" = "0 $refused"
echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid
kill -KILL $burning
wait $burning
mv before data
is "O18: what was loaded before is found beside kcore, too, and when it is gone" \
	"$(perf script -F ip,sym -i data 2>/dev/null | grep -c " $symbol\$")" -gt 20

# Functions of a program have their names from BTF, which are longer than program names.
# The command runs after the program is attached.
perfgrp bpf attach -e page-faults -c 1 --section sampler /tests/tool.bpf.o sh -c '
	perfgrp record -o data -c 1000000 -a -e cpu-clock true
	grep -F "	[bpf]" /proc/kallsyms >kallsyms.bpf' >output 2>errors
bpf_records | sed -n 's/.*KSYMBOL addr \([0-9a-f]*\) .* flags 0x0 name \(.*\)/\1 \2/p' |
	sort >ours
sed -n 's/^\([0-9a-f]*\) . \(bpf_prog_[^	]*\)	\[bpf\]$/\1 \2/p' kallsyms.bpf |
	sort >kernels
cat ours kernels >output
is "O18: each function has an address and a name that the kernel has" \
	"$(sort -u ours kernels | diff - kernels | wc -l)" = 0
is "O18: each function of the kernel's is there" \
	"$(cut -d' ' -f1 ours | sort -u)" = "$(cut -d' ' -f1 kernels | sort -u)"
is "O18: functions of a program have their own names" \
	"$(grep -c 'bpf_prog_[0-9a-f]*_whether_to_keep$' ours)" = 1

# ---- files that are replaced ------------------------------------------------------

# builds FILE: prints the build-ids of FILE's mappings, as perf script shows them.
builds() {
	script --show-mmap-events -F event -i data |
		sed -n "s|.*PERF_RECORD_MMAP2.*<\([0-9a-f]*\)>.*/$1\( (deleted)\)\{0,1\}\$|\1|p" |
		sort -u
}

# functions DIR: prints the functions of "w" that perf script finds, with the build-id cache DIR.
functions() {
	perf --buildid-dir "$scratch/$1" script -F ip,sym,dso -i data 2>/dev/null |
		sed -n 's,^ *[0-9a-f]* \(.*\) (.*/w)$,\1,p' | sort -u
}

# replace FILE: replaces FILE by another program, as an upgrade does.
replace() {
	cp /tests/load_bpf new
	mv new "$1"
}

ours=$(perf buildid-list -i /tests/work)
other=$(perf buildid-list -i /tests/load_bpf)
is "O19: the programs have build-ids, each its own" \
	"${#ours} $(printf '%s\n' "$ours" "$other" | sort -u | wc -l)" = "40 2"

cp /tests/work w
record -e cpu-clock:u ./w 20000000
is "O19: a command's mapping has its build-id" "$(builds w)" = "$ours"
is "O19: perf buildid-list has it" \
	"$(perf buildid-list -i data 2>/dev/null | grep -c "^$ours .*/w$")" = 1
is "O19: perf finds its functions" "$(functions empty | grep -cx main)" = 1
cached=$HOME/.debug$scratch/w/$ours/elf
is "O26: the command, which began after the recording, is in perf's cache" \
	"$(cmp w "$cached" && echo same)" = same
perf --buildid-dir "$scratch/cache" buildid-cache -a w >output 2>errors
replace w
is "O19: of a file that was replaced perf shows none" "$(functions empty | sort -u)" = "[unknown]"
is "O19: and the right ones if it still has the file" "$(functions cache | grep -cx main)" = 1

cp /tests/work v
./v 1000000000000 1 &
victim=$!
at_exit "kill -KILL $victim"
until [ "$(readlink /proc/$victim/exe)" = "$scratch/v" ]; do
	sleep 0.01
done
kill -STOP $victim
record -a -e cpu-clock:u true
is "O19: a process that runs already has its build-id" "$(builds v)" = "$ours"
setpriv --bounding-set -sys_admin,-cap_40 perfgrp record -o data -a -e cpu-clock:u true
is "O19: also for who may not follow the kernel's links" "$(builds v)" = "$ours"
replace v
record -a -e cpu-clock:u true
is "O19: it is that of the file which is mapped, not of the one that has its name" \
	"$(builds v)" = "$ours"
setpriv --bounding-set -sys_admin,-cap_40 perfgrp record -o data -a -e cpu-clock:u true
is "O19: or there is none" "$(builds v)" = ""

echo "1..$nr"
exit $failed
