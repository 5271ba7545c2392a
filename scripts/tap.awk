# Reads the output of guest-tests and adds up the results.
#
# A test's output is between "#= begin NAME" and "#= end NAME STATUS SECONDS".
# Each result line (ok, not ok, ok # SKIP) counts; there is one more failure if
# the test died, did not run as many as it had planned, or failed without a
# "not ok". Of KUnit's results (KTAP) the cases count; a suite counts only if it
# failed although none of its cases did. A test that was to run and did not is a
# failure, too.
#
# A skip that tests/expected does not explain is a failure, and so is a difference
# between the features in "#= features NAME..." and those expected there.
#
# Variables: title is printed before each name, totals is the file for "PASSED
# FAILED SKIPPED", cases the file for the summary of the KUnit cases, expected is
# tests/expected, wanted the names of the tests that were to run; if late is 1
# there was no time for those of them that have not ended.

function fail(text) {
	failed++
	printf "not ok - %s %s: %s\n", title, name, text
}

function tail(  i) {
	for (i = count - 14 < 1 ? 1 : count - 14; i <= count; i++)
		if (line[i] != "")
			printf "    | %s\n", line[i]
}

function results() {
	return ktap ? suites : good + bad + skips
}

function finish(status, why) {
	if (why != "")
		fail(why)
	else if (status == 124 || status == 143 || status == 137)
		fail("out of time or killed, status " status)
	else if (status > 128)
		fail("died of signal " (status - 128))
	else if (status != 0 && bad == 0)
		fail("exit status " status " without a \"not ok\"")
	else if (plan < 0)
		fail("no plan")
	else if (plan != results() && !(plan == 0 && all_skipped))
		fail("plan was " plan ", results are " results())
	else
		return
	tail()
}

function matches(text, glob) {
	gsub(/[][.^$()|+?\\{}]/, "\\\\&", glob)
	gsub(/[*]/, ".*", glob)
	return text ~ ("^" glob "$")
}

# Counts a result that was skipped, with its reason after "SKIP".
function skip(text,  i, reason) {
	reason = text
	sub(/.*# *[Ss][Kk][Ii][Pp][^ ]* */, "", reason)
	for (i = 1; i <= nr_skips; i++)
		if (matches(name, skip_test[i]) && matches(reason, skip_reason[i])) {
			skipped++
			printf "skip   - %s %s: %s\n", title, name, text
			return
		}
	failed++
	printf "not ok - %s %s: skipped, which tests/expected does not explain: %s\n", title,
		name, text
}

# Compares the features that the module reports, of all that there are, with tests/expected.
function check_features(features, all,  i, n, names) {
	n = split(all, names, " ")
	if (n == 0) {
		name = "perfgrp info"
		fail("it printed no features")
	}
	for (i = 1; i <= n; i++) {
		if ((names[i] in lacks) == (index(" " features " ", " " names[i] " ") == 0)) {
			passed++
			continue
		}
		failed++
		printf "not ok - %s has feature %s: %s, unlike tests/expected\n", title, names[i],
			names[i] in lacks ? "yes" : "no"
	}
}

function read_expected(  part, rest, but) {
	while ((getline rest < expected) > 0) {
		if (split(rest, part, /\t+/) < 3)
			continue
		but = sub(/^!/, "", part[2])
		if (but == matches(title, part[2]))
			continue
		if (part[1] == "no") {
			lacks[part[3]] = 1
		} else if (part[1] == "skip") {
			nr_skips++
			skip_test[nr_skips] = part[3]
			skip_reason[nr_skips] = part[4]
		}
	}
	close(expected)
}

# Counts one result of KTAP; its diagnostic lines come before it.
function count_case(text,  i) {
	if (text ~ /^not ok/) {
		failed++
		bad++
		inner_bad++
		printf "not ok - %s %s: %s\n", title, name, text
		for (i = 1; i <= diagnostics; i++)
			printf "    %s\n", diagnostic[i]
	} else if (text ~ /# SKIP/) {
		skips++
		skip(text)
	} else {
		passed++
		good++
	}
	diagnostics = 0
}

BEGIN {
	passed = failed = skipped = nr_skips = 0
	name = ""
	read_expected()
}

/^#= features / { split(substr($0, 13), feature, " of "); check_features(feature[1], feature[2]) }

/^#= begin / {
	name = $3
	plan = -1
	good = bad = skips = count = all_skipped = after_bad = 0
	ktap = inner = inner_bad = suites = diagnostics = 0
	next
}
/^#= end / {
	finish($4, "")
	if (ktap)
		summary = "passed: " good (bad ? ", failed: " bad : "") (skips ? ", skipped: " skips : "")
	ended[name] = 1
	name = ""
	next
}
/^#= done/ { done = 1; next }

name == "" { next }

{ line[++count] = $0 }

/^KTAP version/ { ktap = 1; next }
ktap && /^    (not )?ok / {
	inner++
	count_case(substr($0, 5))
	next
}
ktap && /^(not )?ok / {
	suites++
	if (!inner)
		count_case($0)
	else if (/^not ok/ && !inner_bad)
		fail($0 ", and no case of it")
	inner = inner_bad = 0
	next
}
ktap && /^    # Subtest/ { next }
ktap && !/^1\.\./ {
	diagnostic[++diagnostics] = $0
	next
}

/^1\.\.[0-9]+/ {
	plan = substr($1, 4) + 0
	if (plan == 0) {
		all_skipped = 1
		skip($0)
	}
	after_bad = 0
	next
}
/^ok / || /^ok$/ {
	after_bad = 0
	if (toupper($0) ~ /# *SKIP/) {
		skips++
		skip($0)
	} else {
		passed++
		good++
	}
	next
}
/^not ok/ {
	failed++
	bad++
	after_bad = 1
	printf "not ok - %s %s: %s\n", title, name, $0
	next
}
/^#/ && after_bad { printf "    %s\n", $0; next }

END {
	if (name != "" && !late)
		finish(0, "the guest ended while it ran")
	for (i = split(wanted, names, " "); i > 0; i--) {
		name = names[i]
		if (name in ended)
			continue
		if (late) {
			skipped++
			printf "skip   - %s %s: no time left\n", title, name
		} else if (done) {
			fail("it did not run")
		}
	}
	name = "run"
	if (!done && !late)
		fail("not all tests were run")
	printf "%d %d %d\n", passed, failed, skipped > totals
	if (summary != "")
		print summary > cases
}
