# SPDX-License-Identifier: GPL-2.0
# Makes the tables of Documentation/performance.md of the results on standard input (see scripts/bench),
# and ends with 1 where perfgrp misses what it is meant to reach.

{
	size = $2 " " $3 " " $4
	if (!(size in seen)) {
		seen[size] = 1
		sizes[++nr] = size
	}
	median[size, $5] = $6
}

function has(label, way, i, part) {
	for (i = 1; i <= nr; i++) {
		split(sizes[i], part, " ")
		if (part[1] == label && (sizes[i], way) in median)
			return 1
	}
	return 0
}

# One line a size: the medians of WAYS.
function plain_table(label, heads, ways, i, w, part, way, n, line) {
	n = split(ways, way, " ")
	printf "\n%s\n", heads
	gsub(/[^|]+/, "---:", heads)
	print heads
	for (i = 1; i <= nr; i++) {
		split(sizes[i], part, " ")
		if (part[1] != label || !((sizes[i], way[1]) in median))
			continue
		line = "| " part[2] " |"
		for (w = 1; w <= n; w++)
			line = line " " grouped(median[sizes[i], way[w]]) " |"
		print line
	}
}

# 1234567 as 1,234,567
function grouped(n, s) {
	for (s = ""; n >= 1000; n = int(n / 1000))
		s = sprintf(",%03d%s", n % 1000, s)
	return n s
}

# One line a size: the medians of WAYS, and how many times the first goes into the second.
function table(label, heads, ways, i, w, part, way, n, line) {
	n = split(ways, way, " ")
	printf "\n%s\n", heads
	gsub(/[^|]+/, "---:", heads)
	print heads
	for (i = 1; i <= nr; i++) {
		split(sizes[i], part, " ")
		if (part[1] != label || !((sizes[i], way[1]) in median))
			continue
		line = "| " part[2] " | " part[3] " |"
		for (w = 1; w <= n; w++)
			line = line " " grouped(median[sizes[i], way[w]]) " |"
		printf "%s %.2f |\n", line, median[sizes[i], way[2]] / median[sizes[i], way[1]]
	}
}

function target(text, reached) {
	printf "%s: %s\n", reached ? "reached" : "MISSED", text
	if (!reached)
		missed = 1
}

function within(way, peer) {
	return median[sizes[i], way] <= 1.5 * median[sizes[i], peer]
}

function ratio(size, way) {
	return median[size, way] / median[size, "snapshot"]
}

END {
	reads = "| CPUs | counters | snapshot | group reads | affinity order | single reads | totals | group reads / snapshot |"
	ways = "snapshot group group-affinity single snapshot-totals"
	lives = "| CPUs | counters | perfgrp | perf | perf / perfgrp |"
	if (has("instructions", "snapshot")) {
		print "Instructions of all CPUs, medians:"
		table("instructions", reads, ways)
	}
	if (has("instructions", "perfgrp-life")) {
		print "\nInstructions to create, enable and close, medians:"
		table("instructions", lives, "perfgrp-life perf-life")
	}
	if (has("instructions", "sample-perfgrp")) {
		print "\nInstructions from an overflow to its record, medians:"
		table("instructions", "| CPUs | members | perfgrp | perf | perf / perfgrp |",
		      "sample-perfgrp sample-perf")
	}
	if (has("instructions", "chain-perfgrp")) {
		print "\nInstructions of such a record with a call chain, medians:"
		table("instructions", "| CPUs | members | perfgrp | perf | perf / perfgrp |",
		      "chain-perfgrp chain-perf")
	}
	if (has("instructions", "take-read")) {
		print "\nInstructions to take a record out, medians:"
		plain_table("instructions", "| CPUs | read(2) | mapped | perf |",
			    "take-read take-mapped take-perf")
		print "\nInstructions to create, reset and close with a buffer, medians:"
		plain_table("instructions",
			    "| CPUs | create | perf | reset | perf | close | perf |",
			    "create-buffer create-perf reset-buffer reset-perf close-buffer close-perf")
	}
	if (has("instructions", "cgroups-create")) {
		print "\nInstructions to create, enable, read and close 4 counters of 100 cgroups, medians:"
		plain_table("instructions",
			    "| CPUs | create | perf | enable | perf | read | perf | close | perf |",
			    "cgroups-create perf-cgroups-create cgroups-enable perf-cgroups-enable " \
			    "cgroups-read perf-cgroups-read cgroups-close perf-cgroups-close")
	}
	if (has("instructions", "switch-none")) {
		print "\nInstructions of a switch between tasks of two cgroups of 100, 4 counters, medians:"
		plain_table("instructions",
			    "| CPUs | none | a group | split | split, 1 row | perf -a | perf, 1 cgroup | 2 | 100 |",
			    "switch-none switch-plain switch-split-100 switch-split-1 switch-perf-cpu " \
			    "switch-perf-1 switch-perf-2 switch-perf-100")
	}
	if (has("instructions", "map-read")) {
		print "\nInstructions to read all CPUs: rows that are mapped, a cached snapshot, medians:"
		table("instructions",
		      "| CPUs | counters | mapped | group reads | CACHED | snapshot | group reads / mapped |",
		      "map-read group map-cached snapshot")
		print "\nInstructions to write a mapped row, medians:"
		table("instructions",
		      "| CPUs | counters | task leaves | timer, busy | timer / leaves |", "map-switch map-tick")
		table("instructions",
		      "| CPUs | counters | idle | with a timer | nothing to write | with / without a timer |",
		      "map-idle map-idle-timer map-idle-other")
	}
	if (has("idle", "map-cached")) {
		print "\nNanoseconds of real time, idle CPUs: a cached snapshot, medians:"
		table("idle", "| CPUs | counters | CACHED | group reads | mapped | group reads / CACHED |",
		      "map-cached group map-read")
	}
	if (has("idle", "snapshot")) {
		print "\nNanoseconds of real time, idle CPUs, medians:"
		table("idle", reads, ways)
	}
	if (has("idle", "perfgrp-life")) {
		print "\nNanoseconds of real time, to create, enable and close, idle CPUs, medians:"
		table("idle", lives, "perfgrp-life perf-life")
	}
	if (has("busy", "snapshot")) {
		print "\nNanoseconds of real time, busy CPUs, medians:"
		table("busy", "| CPUs | counters | snapshot | group reads | group reads / snapshot |",
		      "snapshot group")
	}
	print ""

	for (i = 1; i <= nr; i++) {
		split(sizes[i], part, " ")
		what = part[2] " CPUs, " part[3] " counters: "
		if ((sizes[i], "sample-perfgrp") in median)
			target(what "a sample not dearer than perf's",
			       median[sizes[i], "sample-perfgrp"] <= median[sizes[i], "sample-perf"])
		if ((sizes[i], "chain-perfgrp") in median)
			target(what "a sample with a chain not dearer than perf's",
			       median[sizes[i], "chain-perfgrp"] <= median[sizes[i], "chain-perf"])
		if ((sizes[i], "switch-none") in median)
			target(what "a switch with a split group costs 1,000 more at most",
			       median[sizes[i], "switch-split-100"] <= median[sizes[i], "switch-none"] + 1000)
		if ((sizes[i], "map-idle") in median && part[3] == 6) {
			target(what "a mapped row is written at 850 at most when its CPU goes idle",
			       median[sizes[i], "map-idle"] <= 850)
			target(what "a CPU with nothing to write pays 80 at most",
			       median[sizes[i], "map-idle-other"] <= 80)
		}
		if ((sizes[i], "map-switch") in median && part[3] == 6) {
			target(what "and at 850 at most when its task is switched away",
			       median[sizes[i], "map-switch"] <= 850)
			target(what "a timer of 1 ms takes less than 0.5 % of a busy CPU",
			       median[sizes[i], "map-tick"] < 5000)
		}
		if ((sizes[i], "map-read") in median && part[2] == 8 && part[3] == 6 &&
		    part[1] == "instructions") {
			target(what "mapped rows at a twentieth of group reads at most",
			       20 * median[sizes[i], "map-read"] <= median[sizes[i], "group"])
			target(what "a cached snapshot at a quarter of one that is not at most",
			       4 * median[sizes[i], "map-cached"] <= median[sizes[i], "snapshot"])
		}
		if ((sizes[i], "map-cached") in median && part[1] == "idle" && part[3] == 6)
			target(what "a cached snapshot ten times as fast as group reads, idle",
			       10 * median[sizes[i], "map-cached"] <= median[sizes[i], "group"])
		if ((sizes[i], "take-read") in median) {
			target(what "a record by read(2) at most 500",
			       median[sizes[i], "take-read"] <= 500)
			target(what "a record from a mapped ring at most 100",
			       median[sizes[i], "take-mapped"] <= 100)
			target(what "created at 1.5 times perf's at most",
			       within("create-buffer", "create-perf"))
			target(what "closed at 1.5 times perf's at most",
			       within("close-buffer", "close-perf"))
			target(what "reset at 1.5 times of one without a buffer at most",
			       within("reset-buffer", "reset-no-buffer"))
		}
		if ((sizes[i], "perfgrp-life") in median) {
			if (part[1] == "instructions")
				target(what "created, enabled and closed below perf's",
				       median[sizes[i], "perfgrp-life"] < median[sizes[i], "perf-life"])
			else
				target(what "created, enabled and closed in 0.6 of perf's real time",
				       median[sizes[i], "perfgrp-life"] <= 0.6 * median[sizes[i], "perf-life"])
		}
		if (!((sizes[i], "snapshot") in median))
			continue
		if (part[1] == "instructions") {
			target(what "below group reads in turn", ratio(sizes[i], "group") > 1)
			target(what "below group reads in affinity order",
			       ratio(sizes[i], "group-affinity") > 1)
			if (part[2] == 4 && part[3] == 6)
				target(what "at most half of the group reads",
				       ratio(sizes[i], "group") >= 2)
		} else {
			target(what "three times as fast as group reads, " part[1],
			       ratio(sizes[i], "group") >= 3)
		}
	}
	exit missed
}
