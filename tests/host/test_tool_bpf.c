// SPDX-License-Identifier: GPL-2.0
/*
 * What "perfgrp bpf" parses and prints, without a kernel. TAP on standard output;
 * anything but 0 at the end if a test has failed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "bpf.h"
#include "tap.h"

/* ---- arguments ------------------------------------------------------------- */

static void programs(void)
{
	static const char *const bad[] = {
		"id:", "id:0", "id:x", "id:1x", "id:-1", "id: 1", "id:4294967296", "id:+1", "",
	};
	struct bpf_choice choice = { 0 };
	bool all = true;
	size_t i;

	result(!bpf_choice_parse(&choice, "id:4294967295") && choice.id == 4294967295U &&
	       !choice.path, "B6 id:N is a program's id");
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		all &= bpf_choice_parse(&choice, bad[i]) == -EINVAL;
	result(all, "what is none after id: is refused");
	choice = (struct bpf_choice){ 0 };
	result(!bpf_choice_parse(&choice, "./id:7") && !strcmp(choice.path, "./id:7") &&
	       !choice.id, "all else is a path");
	choice = (struct bpf_choice){ .section = "s" };
	result(bpf_choice_parse(&choice, "id:7") == -EINVAL, "an id has no sections");
	choice = (struct bpf_choice){ .name = "n" };
	result(bpf_choice_parse(&choice, "id:7") == -EINVAL, "nor other programs");
}

static void holders(void)
{
	static const char *const bad[] = {
		"", ":", "1", "1:", ":1", "0:1", "-1:1", "1:-1", "1:2:3", "1 :2", "1: 2", "1:2 ",
		"1,2:3", "1:2,3", "1-2:3", "x:1", "1:x", "4294967296:1", "1:4294967296",
	};
	struct holder holder = { 0 };
	bool all = true;
	size_t i;

	result(!bpf_holder_parse(&holder, "123:4") && holder.pid == 123 && holder.fd == 4,
	       "PID:FD is a file descriptor of a process");
	result(!bpf_holder_parse(&holder, "1:0") && !holder.fd, "it can be the first");
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		int err = bpf_holder_parse(&holder, bad[i]);

		if (err != -EINVAL)
			printf("# '%s' was taken\n", bad[i]);
		all &= err == -EINVAL;
	}
	result(all, "nothing else is");
}

/* ---- output ---------------------------------------------------------------- */

static void name_is(const struct perfgrp_counter *counter, const char *expected)
{
	struct perfgrp_events *nowhere = perfgrp_events_new_at("/nonexistent", NULL);
	char *name = perfgrp_event_name(nowhere, counter, sizeof(*counter));

	result(!strcmp(name, expected), "a counter's event is called %s", expected);
	if (strcmp(name, expected))
		printf("# it was called %s\n", name);
	perfgrp_events_free(nowhere);
	free(name);
}

#define COUNTER(...) (&(const struct perfgrp_counter){ __VA_ARGS__ })

static void names(void)
{
	name_is(COUNTER(.event = PERFGRP_SW_PAGE_FAULTS), "page-faults");
	name_is(COUNTER(.event = PERFGRP_HW_INSTRUCTIONS,
			.flags = PERFGRP_COUNTER_EXCLUDE_KERNEL), "instructions:u");
	name_is(COUNTER(.event = PERFGRP_SW_CPU_CLOCK, .flags = PERFGRP_COUNTER_EXCLUDE_USER),
		"cpu-clock:k");
	name_is(COUNTER(.flags = PERFGRP_COUNTER_RAW, .type = PERF_TYPE_RAW, .config = 0x1c2),
		"r1c2");
	name_is(COUNTER(.flags = PERFGRP_COUNTER_RAW | PERFGRP_COUNTER_EXCLUDE_KERNEL,
			.type = 99, .config = 0x11, .config2 = 3),
		"type99/config=0x11,config2=0x3/u");
	name_is(COUNTER(.flags = PERFGRP_COUNTER_RAW, .type = 99, .config = 0x11),
		"type99/config=0x11/");
	name_is(COUNTER(.flags = PERFGRP_COUNTER_RAW, .type = PERF_TYPE_RAW, .config = 1,
			.config1 = 2), "type4/config=0x1,config1=0x2/");
	name_is(COUNTER(.flags = PERFGRP_COUNTER_RAW, .type = PERF_TYPE_BREAKPOINT,
			.config1 = 0x1000, .config2 = 4, .bp_type = HW_BREAKPOINT_RW),
		"mem:0x1000/4:rw");
}

static const struct perfgrp_bpf_query queries[] = {
	{ .id = 1, .prog_id = 42, .tag = { 0xab, 1, 2, 3, 4, 5, 6, 7 }, .cookie = 0x10,
	  .attach_flags = PERFGRP_BPF_TIMED, .runs = 3, .nsecs = 1000, .misses = 1, .dropped = 2 },
	{ .id = 12, .prog_id = 7, .tag = { 0 }, .runs = 1234567890123, .nsecs = 5 },
	{ .id = 3 },
};

/* No program has these ids, so the info that the kernel would return is filled in here. */
static char *print(bool json)
{
	struct bpf_attachments list = { .place = "TASK" };
	static const char *const events[] = { "cycles", "page-faults:u", "cpu-clock" };
	size_t size, i;
	char *text;
	FILE *out = open_memstream(&text, &size);

	for (i = 0; i < ARRAY_SIZE(queries); i++) {
		struct bpf_attachment *a = bpf_attachments_add(&list, events[i], &queries[i]);

		a->place = xasprintf("%zu", i + 100);
		a->info.known = i ? BPF_GONE : BPF_KNOWN;
		snprintf(a->info.name, sizeof(a->info.name), "%s", i ? "" : "on_cycles");
	}
	bpf_attachments_print(&list, out, json);
	fclose(out);
	bpf_attachments_free(&list);
	return text;
}

static void printed(bool json, const char *expected, const char *what)
{
	char *text = print(json);

	result(!strcmp(text, expected), "%s", what);
	if (strcmp(text, expected))
		fputs(text, stdout);
	free(text);
}

static void printing(void)
{
	printed(false,
		"TASK  MEMBER  EVENT          PROGRAM  NAME       TAG               COOKIE           RUNS"
		"  MISSES  DROPPED    NS  NS/RUN\n"
		"100        1  cycles              42  on_cycles  ab01020304050607    0x10              3"
		"       1        2  1000     333\n"
		"101       12  page-faults:u        7  -          0000000000000000     0x0  1234567890123"
		"       0        0     5       -\n"
		"102        3  cpu-clock            -  -          -                      -              -"
		"       -        -     -       -\n",
		"B6 B7 attachments in columns; an average only where all runs were measured");
	printed(true,
		"{ \"task\": \"100\", \"member\": 1, \"event\": \"cycles\", \"prog-id\": 42, "
		"\"name\": \"on_cycles\", \"tag\": \"ab01020304050607\", \"cookie\": 16, "
		"\"timed\": true, \"runs\": 3, \"misses\": 1, \"dropped\": 2, \"nsecs\": 1000 }\n"
		"{ \"task\": \"101\", \"member\": 12, \"event\": \"page-faults:u\", "
		"\"prog-id\": 7, \"tag\": \"0000000000000000\", \"cookie\": 0, "
		"\"timed\": false, \"runs\": 1234567890123, \"misses\": 0, \"dropped\": 0, "
		"\"nsecs\": 5 }\n"
		"{ \"task\": \"102\", \"member\": 3, \"event\": \"cpu-clock\" }\n",
		"B6 B7 attachments as JSON");
}

int main(void)
{
	/* Error messages go there. */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	programs();
	holders();
	names();
	printing();
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
