// SPDX-License-Identifier: GPL-2.0
/*
 * Files that record writes, with generated records, read by this machine's perf script
 * and perf report. TAP on standard output; anything but 0 at the end if a test has failed.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <linux/bpf.h>

#include "cmd.h"
#include "perf_data.h"
#include "record.h"
#include "synth.h"
#include "tap.h"
#include "util.h"

static char file[] = "/tmp/perfgrp-test.XXXXXX";

/* ---- records --------------------------------------------------------------- */

struct sample {
	struct perfgrp_record_sample record;
	struct perfgrp_sample_value values[2];
};

static const struct perfgrp_layout layout = {
	.sample_type = PERFGRP_SAMPLE_TYPE,
	.read_format = PERFGRP_READ_FORMAT,
};

/* The function that samples hit; perf can find its name. */
__attribute__((noinline, used)) void test_perf_data_function(void)
{
	asm volatile("");
}

static struct sample make_sample(const struct perf_data_source *source, __u64 time, __u32 cpu,
				 __u32 overflowed, __u64 value0, __u64 value1)
{
	return (struct sample){
		.record = {
			.header = {
				.type = PERF_RECORD_SAMPLE,
				.misc = PERF_RECORD_MISC_USER,
				.size = sizeof(struct sample),
			},
			.ip = (uintptr_t)test_perf_data_function,
			.pid = getpid(),
			.tid = getpid(),
			.time = time,
			.id = overflowed,
			.cpu = cpu,
			.period = 1000,
			.nr = 2,
			.time_enabled = time,
			.time_running = time,
		},
		.values = { { value0, source->ids[0] }, { value1, source->ids[1] } },
	};
}

static void put_sample(struct perf_data *data, const struct perf_data_source *source, __u64 time,
		       __u32 cpu, __u32 overflowed, __u64 value0, __u64 value1)
{
	const struct sample sample = make_sample(source, time, cpu, overflowed, value0, value1);

	if (perf_data_add(data, source, &sample.record.header))
		result(false, "a sample is taken");
}

static struct perfgrp_sample_id sample_id(__u64 id, __u64 time)
{
	return (struct perfgrp_sample_id){
		.pid = getpid(), .tid = getpid(), .time = time, .id = id,
	};
}

static void put_record(struct perf_data *data, const struct perf_data_source *source,
		       union perfgrp_record record, __u32 type, size_t size)
{
	record.header = (struct perf_event_header){ .type = type, .size = size };
	if (perf_data_add(data, source, &record.header))
		result(false, "a record of type %u is taken", type);
}

static void put_lost(struct perf_data *data, const struct perf_data_source *source, __u64 lost,
		     __u64 time)
{
	const union perfgrp_record record = {
		.lost = { .lost = lost, .sample_id = sample_id(0, time) },
	};

	put_record(data, source, record, PERF_RECORD_LOST, sizeof(record.lost));
}

static void put_throttle(struct perf_data *data, const struct perf_data_source *source,
			 __u32 type, __u64 id, __u64 time)
{
	const union perfgrp_record record = {
		.throttle = {
			.time = time,
			.id = id,
			.stream_id = id,
			.sample_id = sample_id(id, time),
		},
	};

	put_record(data, source, record, type, sizeof(record.throttle));
}

static void put_bpf_event(struct perf_data *data, const struct perf_data_source *source,
			  __u16 type, __u32 prog_id, __u64 time)
{
	const union perfgrp_record record = {
		.bpf_event = {
			.type = type,
			.prog_id = prog_id,
			.tag = { 0x12, 0x34 },
			.sample_id = sample_id(0, time),
		},
	};

	put_record(data, source, record, PERF_RECORD_BPF_EVENT, sizeof(record.bpf_event));
}

static void put_bpf_attach(struct perf_data *data, const struct perf_data_source *source,
			   __u32 type, __u32 prog_id, __u64 id, __u64 time)
{
	const union perfgrp_record record = {
		.bpf_attach = {
			.id = id,
			.prog_id = prog_id,
			.tag = { 0x12, 0x34 },
			.sample_id = sample_id(id, time),
		},
	};

	put_record(data, source, record, type, sizeof(record.bpf_attach));
}

/* ---- files ------------------------------------------------------------------ */

static char *const command_line[] = { "perfgrp", "record", "a b", NULL };

struct recording {
	struct event_list list;
	struct perfgrp_counter counters[4];
	struct perf_data data;
};

static void prepare(struct recording *rec, const char *events, __u32 instances, bool pipe)
{
	size_t i, j;

	memset(rec, 0, sizeof(*rec));
	if (cmd_add_events(&rec->list, events)) {
		printf("Bail out! %s\n", events);
		exit(1);
	}
	rec->data.out = fopen(file, "w");
	rec->data.pipe = pipe;
	rec->data.list = &rec->list;
	rec->data.counters = rec->counters;
	for (i = 0; i < rec->list.nr; i++)
		for (j = 0; j < rec->list.groups[i].nr; j++)
			rec->counters[rec->data.nr_events++] =
				rec->list.groups[i].events[j].counter;
	rec->counters[0].sample_period = 1000;
	rec->data.nr_instances = instances;
	rec->data.command_line = command_line;
}

static void start(struct recording *rec)
{
	if (!rec->data.out || perf_data_begin(&rec->data)) {
		puts("Bail out! cannot write");
		exit(1);
	}
}

static void begin(struct recording *rec, const char *events, __u32 instances, bool pipe)
{
	prepare(rec, events, instances, pipe);
	start(rec);
}

static void end(struct recording *rec)
{
	result(!perf_data_end(&rec->data), "the file is written");
	fclose(rec->data.out);
	events_free(&rec->list);
	perf_data_free(&rec->data);
}

/* Returns a command's output, with single spaces between words and none at both ends of lines. */
static char *output_of(const char *command)
{
	char *line = NULL, *all = xstrdup(""), *with = xasprintf(command, file);
	FILE *f = popen(with, "r");
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0) {
		char *word, *rest = line;

		while ((word = strtok_r(rest, " \t\n", &rest))) {
			char *longer = xasprintf("%s%s ", all, word);

			free(all);
			all = longer;
		}
		if (*all)
			all[strlen(all) - 1] = '\n';
	}
	free(line);
	free(with);
	if (f)
		pclose(f);
	return all;
}

static void is(const char *command, const char *expected, const char *what)
{
	char *got = output_of(command);

	result(!strcmp(got, expected), "%s", what);
	if (strcmp(got, expected))
		printf("# expected\n%s# got\n%s", expected, got);
	free(got);
}

static void has(const char *command, const char *expected, const char *what)
{
	char *got = output_of(command);

	result(strstr(got, expected), "%s", what);
	if (!strstr(got, expected))
		printf("# no \"%s\" in\n%s", expected, got);
	free(got);
}

/* The address is different each time. */
#define SCRIPT	"perf script -F cpu,time,period,event,ip,sym -i %s 2>/dev/null | " \
		"sed 's/: *[0-9a-f]* test_/: test_/'"
#define HEADER	"perf report --stdio --header-only -i %s 2>&1"
#define STATS	"perf report --stdio --stats -i %s 2>&1"

/* ---- tests ------------------------------------------------------------------ */

/* Two members on two CPUs: periods are the counts since the last sample of the same CPU. */
static const char cpus_script[] =
	"[000] 1.000000: 1000 cycles: test_perf_data_function\n"
	"[000] 1.000000: 300 instructions: test_perf_data_function\n"
	"[003] 1.000001: 700 cycles: test_perf_data_function\n"
	"[003] 1.000001: 50 instructions: test_perf_data_function\n"
	"[000] 1.000002: 1500 cycles: test_perf_data_function\n"
	"[000] 1.000002: 400 instructions: test_perf_data_function\n"
	"[003] 1.000003: 200 cycles: test_perf_data_function\n"
	"[003] 1.000003: 1 instructions: test_perf_data_function\n";

static void on_cpus(bool pipe, int level)
{
	static const __u32 ids[] = { 7, 9 };
	const struct perf_data_source source = {
		.layout = layout, .ids = ids, .nr = 2, .on_cpus = true,
	};
	struct recording rec;
	__u64 before;

	prepare(&rec, "{cycles,instructions}", 4, pipe);
	rec.data.compression_level = level;
	start(&rec);
	synth_process(&rec.data, getpid());
	put_sample(&rec.data, &source, 1000000000, 0, 7, 1000, 300);
	put_sample(&rec.data, &source, 1000002000, 0, 7, 2500, 700);
	/* Not in time order: perf sorts the samples. */
	put_sample(&rec.data, &source, 1000001000, 3, 7, 700, 50);
	put_sample(&rec.data, &source, 1000003000, 3, 7, 900, 51);
	put_lost(&rec.data, &source, 17, 1000002500);
	put_throttle(&rec.data, &source, PERF_RECORD_THROTTLE, 7, 1000004000);
	put_throttle(&rec.data, &source, PERF_RECORD_UNTHROTTLE, 7, 1000005000);
	put_bpf_event(&rec.data, &source, PERF_BPF_EVENT_PROG_LOAD, 42, 1000006000);
	before = rec.data.bytes;
	put_bpf_attach(&rec.data, &source, PERFGRP_RECORD_BPF_ATTACH, 42, 7, 1000007000);
	put_bpf_attach(&rec.data, &source, PERFGRP_RECORD_BPF_REPLACE, 43, 7, 1000007000);
	put_bpf_attach(&rec.data, &source, PERFGRP_RECORD_BPF_DETACH, 43, 7, 1000007000);
	result(rec.data.bytes == before, "B9 records that are not perf's are left out");
	perf_data_finish_round(&rec.data);
	end(&rec);

	is(SCRIPT, cpus_script, "O3 perf script shows each member of each sample, by CPU");
	has("perf report --stdio -i %s 2>&1", "test_perf_data_function",
	    "O3 perf report finds the function");
	has("perf script --show-lost-events -i %s 2>&1", "PERF_RECORD_LOST lost 17\n",
	    "O6 perf script shows what was lost");
	has("perf script --show-bpf-events -i %s 2>&1", "type 1, flags 0, id 42",
	    "B9 perf script shows the load of a BPF program");
	/* perf does not read the compression header from a pipe. */
	if (pipe && level)
		return;
	has(STATS, "\nTHROTTLE events: 1", "O8 perf reads THROTTLE");
	has(STATS, "\nUNTHROTTLE events: 1", "O8 perf reads UNTHROTTLE");
	has(STATS, "\nBPF_EVENT events: 1", "B9 perf reads BPF_EVENT");
	if (pipe)
		return;
	if (level)
		has(HEADER, "# compressed : Zstd, level = 1, ratio = ",
		    "O24 how it is compressed is in the header");
	has("perf report --stdio -i %s 2>&1", "'anon group { cycles, instructions }'",
	    "perf report knows the group");
	has(HEADER, "# cmdline : perfgrp record a b\n", "the command line is in the header");
	has(HEADER, "# arch : ", "so is the machine");
	has(HEADER, "time of first sample : 1.000000\n", "and the time of the first sample");
	has(HEADER, "time of last sample : 1.000003\n", "and of the last");
	has("perf evlist -v -i %s 2>&1 | grep ^cycles:", "{ sample_period, sample_freq }: 1000",
	    "O2 perf knows the period");
}

/* Each task has a counter of its own, on whatever CPU it runs. */
static void on_tasks(void)
{
	static const __u32 ids[] = { 1, 2 };
	const struct perf_data_source first = { .layout = layout, .ids = ids, .nr = 2, .task = 0 };
	const struct perf_data_source second = { .layout = layout, .ids = ids, .nr = 2, .task = 1 };
	struct recording rec;

	begin(&rec, "{cycles,instructions}", 2, false);
	synth_process(&rec.data, getpid());
	put_sample(&rec.data, &first, 1000000000, 0, 1, 1000, 300);
	put_sample(&rec.data, &second, 1000001000, 0, 1, 1001, 301);
	put_sample(&rec.data, &first, 1000002000, 2, 1, 2002, 602);
	end(&rec);
	is("perf script -F time,period,event -i %s 2>&1",
	   "1.000000: 1000 cycles:\n1.000000: 300 instructions:\n"
	   "1.000001: 1001 cycles:\n1.000001: 301 instructions:\n"
	   "1.000002: 1002 cycles:\n1.000002: 302 instructions:\n",
	   "O3 a task that moves has one count, two tasks have two");
}

static void put_child(struct perf_data *data, const struct perf_data_source *source, __u32 tid,
		      __u64 time, __u64 value0, __u64 value1)
{
	struct sample sample = make_sample(source, time, 0, 1, value0, value1);

	sample.record.tid = tid;
	if (perf_data_add(data, source, &sample.record.header))
		result(false, "a child's sample is taken");
}

/* Each thread has a counter of its own, also a later thread with the same tid. */
static void children(bool pipe)
{
	static const __u32 ids[] = { 1, 2 };
	const struct perf_data_source source = {
		.layout = layout, .ids = ids, .nr = 2, .inherits = true,
	};
	struct recording rec;

	prepare(&rec, "{cycles,instructions}", 1, pipe);
	rec.data.inherits = true;
	start(&rec);
	put_child(&rec.data, &source, 5, 1000000000, 1000, 300);
	put_child(&rec.data, &source, 6, 1000002000, 10, 20);
	/* Not in time order. */
	put_child(&rec.data, &source, 6, 1000001000, 4, 5);
	put_child(&rec.data, &source, 5, 1000003000, 1500, 301);
	put_child(&rec.data, &source, 5, 1000004000, 30, 40);
	put_child(&rec.data, &source, 5, 1000005000, 31, 42);
	end(&rec);
	is("perf script -F tid,time,period,event -i %s 2>&1",
	   "5 1.000000: 1000 cycles:\n5 1.000000: 300 instructions:\n"
	   "6 1.000001: 4 cycles:\n6 1.000001: 5 instructions:\n"
	   "6 1.000002: 6 cycles:\n6 1.000002: 15 instructions:\n"
	   "5 1.000003: 500 cycles:\n5 1.000003: 1 instructions:\n"
	   "5 1.000004: 30 cycles:\n5 1.000004: 40 instructions:\n"
	   "5 1.000005: 1 cycles:\n5 1.000005: 2 instructions:\n",
	   "O12 each child has one count, and so has another with its number");
}

/* The counts of a member that could not be read are shown at the next sample that has it. */
static void left_out(void)
{
	static const __u32 ids[] = { 1, 2 };
	const struct perf_data_source source = {
		.layout = layout, .ids = ids, .nr = 2, .inherits = true,
	};
	struct sample sample = make_sample(&source, 1000001000, 0, 2, 310, 0);
	struct recording rec;

	sample.record.tid = 5;
	sample.record.nr = 1;
	sample.record.header.size = sizeof(sample) - sizeof(sample.values[1]);
	sample.values[0].id = ids[1];
	prepare(&rec, "{cycles,instructions}", 1, false);
	rec.data.inherits = true;
	start(&rec);
	put_child(&rec.data, &source, 5, 1000000000, 1000, 300);
	result(!perf_data_add(&rec.data, &source, &sample.record.header),
	       "O3 a sample with some of the values is taken");
	put_child(&rec.data, &source, 5, 1000002000, 1500, 330);
	end(&rec);
	is("perf script -F tid,time,period,event -i %s 2>&1",
	   "5 1.000000: 1000 cycles:\n5 1.000000: 300 instructions:\n"
	   "5 1.000001: 10 instructions:\n"
	   "5 1.000002: 500 cycles:\n5 1.000002: 20 instructions:\n",
	   "O3 perf script shows those that it has");
}

static void many_children(void)
{
	static const __u32 ids[] = { 1, 2 };
	const struct perf_data_source source = {
		.layout = layout, .ids = ids, .nr = 2, .inherits = true,
	};
	struct recording rec;
	__u32 i;

	prepare(&rec, "{cycles,instructions}", 1, true);
	rec.data.inherits = true;
	start(&rec);
	for (i = 0; i < PERF_DATA_PIPE_THREADS + 3; i++)
		put_child(&rec.data, &source, i + 1, 1000000000 + i, 1, 1);
	result(rec.data.left_out == 3, "O12 threads that a pipe has no room for are left out");
	end(&rec);
	is("perf script -F period,event -i %s 2>&1 | sort | uniq -c",
	   "4096 1 cycles:\n4096 1 instructions:\n", "O12 all others are there");
}

static void without_values(void)
{
	static const __u32 ids[] = { 1, 2 };
	const struct perf_data_source source = {
		.layout = layout, .ids = ids, .nr = 2, .inherits = true,
	};
	struct sample sample = make_sample(&source, 1000000000, 0, 1, 0, 0);
	struct recording rec;

	sample.record.nr = 0;
	sample.record.header.size = sizeof(sample.record);
	prepare(&rec, "{cycles,instructions}", 1, false);
	rec.data.inherits = true;
	rec.data.no_values = true;
	start(&rec);
	result(!perf_data_add(&rec.data, &source, &sample.record.header),
	       "O12 a sample without values is taken");
	end(&rec);
	is("perf script -F time,period,event -i %s 2>&1", "1.000000: 1000 cycles:\n",
	   "O12 perf script shows its period");
}

/* Groups whose members have the same ids; a tracepoint, whose format perf would want. */
static void several_groups(void)
{
	static const __u32 ids[] = { 1, 2 };
	struct perf_data_source source = { .layout = layout, .ids = ids, .nr = 2 };
	struct recording rec;

	prepare(&rec, "{cycles,instructions},{page-faults,dummy}", 1, false);
	rec.counters[3] = (struct perfgrp_counter){
		.flags = PERFGRP_COUNTER_RAW,
		.type = PERF_TYPE_TRACEPOINT,
		.config = 316,
	};
	start(&rec);
	put_sample(&rec.data, &source, 1000000000, 0, 1, 10, 20);
	source.first_event = 2;
	put_sample(&rec.data, &source, 1000001000, 0, 1, 30, 40);
	end(&rec);
	is("perf script -F time,period,event -i %s 2>&1",
	   "1.000000: 10 cycles:\n1.000000: 20 instructions:\n"
	   "1.000001: 30 page-faults:\n1.000001: 40 dummy:\n",
	   "O3 members of several groups are told apart; a tracepoint has its name");
}

/* Samples with the values of a group or, as those of children on old kernels, without. */
static void callchains(bool values)
{
	static const __u32 ids[] = { 1, 2 };
	const struct perf_data_source source = {
		.layout = { PERFGRP_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN, PERFGRP_READ_FORMAT },
		.ids = ids,
		.nr = 2,
	};
	const __u64 function = (uintptr_t)test_perf_data_function;
	struct {
		struct sample sample;
		__u64 chain[5];
	} record = {
		make_sample(&source, 1000000000, 0, 1, 1000, 300),
		{ 4, PERF_CONTEXT_KERNEL, ~0xffffULL, PERF_CONTEXT_USER, function },
	};
	struct recording rec;

	prepare(&rec, "{cycles,instructions}", 1, false);
	rec.data.no_values = !values;
	rec.data.max_stack = 127;
	start(&rec);
	synth_process(&rec.data, getpid());
	record.sample.record.header.size = sizeof(record);
	result(!perf_data_add(&rec.data, &source, &record.sample.record.header),
	       "O14 a sample with a call chain is taken");
	end(&rec);
	has("perf script -F event,period,ip,sym -i %s 2>/dev/null", values ?
	    "300 instructions:\nffffffffffff0000 [unknown]\n" :
	    "1000 cycles:\nffffffffffff0000 [unknown]\n", "O14 perf script shows the kernel's part");
	has("perf script -F ip,sym -i %s 2>/dev/null", " test_perf_data_function\n",
	    "O14 and the task's");
	has("perf evlist -v -i %s 2>&1", "CALLCHAIN", "O14 perf knows that there are chains");
}

/* ---- BPF programs ------------------------------------------------------------ */

#define PROGRAM_AT	0xffffffffc0a01000ULL
#define PROGRAM_LEN	0x80

/* Three functions of a program, each with an address; the last one is not JITed. */
static const __u64 program_addrs[] = { PROGRAM_AT, PROGRAM_AT + 0x1000, PROGRAM_AT + 0x2000 };
static const __u32 program_lens[] = { PROGRAM_LEN, PROGRAM_LEN, 0 };
static const __u8 program_tags[][BPF_TAG_SIZE] = {
	{ 0xaa }, { 0xbb, 1, 2, 3, 4, 5, 6, 0xef }, { 0xcc },
};

static struct bpf_prog_info make_program(void)
{
	return (struct bpf_prog_info){
		.id = 42,
		.name = "whole",
		.tag = { 0x12, 0x34 },
		.nr_jited_ksyms = ARRAY_SIZE(program_addrs),
		.jited_ksyms = (uintptr_t)program_addrs,
		.nr_jited_func_lens = ARRAY_SIZE(program_lens),
		.jited_func_lens = (uintptr_t)program_lens,
		.nr_prog_tags = ARRAY_SIZE(program_tags),
		.prog_tags = (uintptr_t)program_tags,
	};
}

static void put_kernel_sample(struct perf_data *data, const struct perf_data_source *source,
			      __u64 time, __u64 ip)
{
	struct sample sample = make_sample(source, time, 0, 1, time / 1000, 0);

	sample.record.header.misc = PERF_RECORD_MISC_KERNEL;
	sample.record.ip = ip;
	if (perf_data_add(data, source, &sample.record.header))
		result(false, "a sample of the kernel is taken");
}

/* Records samples at the first and the last byte of each function, and behind it. */
static void record_program(struct recording *rec, const struct bpf_prog_info *info,
			   const struct btf *btf, bool pipe)
{
	static const __u32 ids[] = { 1, 2 };
	const struct perf_data_source source = { .layout = layout, .ids = ids, .nr = 2 };

	begin(rec, "{cycles,instructions}", 1, pipe);
	synth_program(&rec->data, info, btf);
	put_kernel_sample(&rec->data, &source, 1000000000, PROGRAM_AT);
	put_kernel_sample(&rec->data, &source, 1000001000, PROGRAM_AT + PROGRAM_LEN - 1);
	put_kernel_sample(&rec->data, &source, 1000002000, PROGRAM_AT + PROGRAM_LEN);
	put_kernel_sample(&rec->data, &source, 1000003000, PROGRAM_AT + 0x1000);
	end(rec);
}

#define PROGRAM_SCRIPT	"perf script -F time,event,ip,sym -i %s 2>&1 | " \
			"sed -n 's/cycles: *[0-9a-f]* /cycles: /p'"

static void programs(bool pipe)
{
	struct bpf_prog_info info = make_program();
	struct bpf_func_info functions[3] = { 0 };
	struct btf *btf = btf__new_empty();
	struct recording rec;
	char long_name[600];
	__u64 before;
	int proto;

	record_program(&rec, &info, NULL, pipe);
	is(PROGRAM_SCRIPT,
	   "1.000000: cycles: bpf_prog_1234000000000000_whole\n"
	   "1.000001: cycles: bpf_prog_1234000000000000_whole\n"
	   "1.000002: cycles: [unknown]\n"
	   "1.000003: cycles: bpf_prog_bb010203040506ef_F\n",
	   "O18 perf script names a BPF program's functions, by its name where there is no BTF");
	has(STATS, "\nKSYMBOL events: 2", "O18 what is not JITed has no symbol");
	has(STATS, "\nBPF_EVENT events: 1", "O18 the program has been loaded once");
	has("perf script --show-bpf-events -i %s 2>&1", "type 1, flags 0, id 42",
	    "O18 perf script shows that");
	has("perf report --stdio --sort sym -i %s 2>&1; echo status $?", "bpf_prog_bb010203040506ef_F\n",
	    "O18 perf report names them, too");
	has("perf evlist -v -i %s 2>&1", "ksymbol: 1, bpf_event: 1",
	    "O18 perf evlist knows that there are such records");

	proto = btf__add_func_proto(btf, 0);
	functions[0].type_id = btf__add_func(btf, "a_name_of_more_than_15_characters",
					     BTF_FUNC_GLOBAL, proto);
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	functions[1].type_id = btf__add_func(btf, long_name, BTF_FUNC_STATIC, proto);
	info.func_info = (uintptr_t)functions;
	info.nr_func_info = ARRAY_SIZE(functions);
	info.func_info_rec_size = sizeof(*functions);
	record_program(&rec, &info, btf, pipe);
	has(PROGRAM_SCRIPT, " bpf_prog_1234000000000000_a_name_of_more_than_15_characters\n",
	    "O18 by the names in BTF where there is some");
	has(PROGRAM_SCRIPT, "1.000003: cycles: bpf_prog_bb010203040506ef_xxxxx",
	    "O18 a name of any length");
	btf__free(btf);

	begin(&rec, "{cycles,instructions}", 1, pipe);
	before = rec.data.bytes;
	info.jited_ksyms = 0;
	synth_program(&rec.data, &info, NULL);
	result(rec.data.bytes == before, "O18 nothing is said of a program whose code is hidden");
	end(&rec);
}

/* ---- build-ids --------------------------------------------------------------- */

static void own_build_id(bool pipe)
{
	static const __u32 ids[] = { 1, 2 };
	const struct perf_data_source source = { .layout = layout, .ids = ids, .nr = 2 };
	struct recording rec;
	char *expected;

	begin(&rec, "{cycles,instructions}", 1, pipe);
	synth_process(&rec.data, getpid());
	put_sample(&rec.data, &source, 1000000000, 0, 1, 1000, 300);
	end(&rec);
	expected = output_of("perf buildid-list -i $(readlink /proc/$PPID/exe) 2>&1 #%s");
	result(strlen(expected) == 41, "O19 this test has a build-id");
	is("perf buildid-list -i %s 2>&1 | sed -n 's/ .*test_perf_data$//p'", expected,
	   "O19 perf buildid-list shows that of a process that runs already");
	is("perf script -F event,ip,sym -i %s 2>/dev/null | grep -c test_perf_data_function", "2\n",
	   "O19 perf script finds its functions");
	has("perf evlist -v -i %s 2>&1", "build_id: 1", "O19 perf evlist knows that there are such");
	free(expected);
}

/* The file's layout does not depend on that of the stream. */
static void other_layout(void)
{
	static const __u32 ids[] = { 1, 2 };
	const struct perf_data_source source = {
		.layout = {
			PERFGRP_SAMPLE_TYPE | PERF_SAMPLE_ADDR | PERF_SAMPLE_CALLCHAIN,
			PERFGRP_READ_FORMAT | PERF_FORMAT_LOST,
		},
		.ids = ids,
		.nr = 2,
	};
	const struct {
		struct perf_event_header header;
		__u64 words[18];
	} sample = {
		.header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(sample) },
		/* ip, tid, time, addr, id, cpu, period, nr, times, values, chain */
		.words = { 0x1111, getpid(), 1000000000, 0xadd, 1, 0, 1000, 2, 5, 5,
			   10, 1, 0, 20, 2, 0, 1, 0x2222 },
	};
	struct recording rec;

	begin(&rec, "{cycles,instructions}", 1, false);
	result(!perf_data_add(&rec.data, &source, &sample.header),
	       "O17 a sample of another layout is taken");
	end(&rec);
	is("perf script -F time,period,event -i %s 2>&1",
	   "1.000000: 10 cycles:\n1.000000: 20 instructions:\n",
	   "O17 perf script shows it");
}

static void broken_records(void)
{
	static const __u32 ids[] = { 1, 2 };
	const struct perf_data_source source = { .layout = layout, .ids = ids, .nr = 2 };
	const struct sample sample = {
		.record = {
			.header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(sample) },
			.nr = 3,
		},
	};
	const struct perf_event_header other = { .type = PERF_RECORD_MMAP, .size = 8 };
	struct recording rec;
	__u64 before;

	begin(&rec, "{cycles,instructions}", 1, false);
	before = rec.data.bytes;
	result(perf_data_add(&rec.data, &source, &sample.record.header) &&
	       perf_data_add(&rec.data, &source, &other) && rec.data.bytes == before,
	       "records that are broken, or not the module's, are not written");
	end(&rec);
}

/*
 * Incompressible records, longer than the size that is compressed at once, with short ones between
 * them: each record extends over two compressed records, or begins in the middle of one.
 */
static void compressed_slices(void)
{
	enum { NR = 12, DEPTH = 4000 };
	static const __u32 ids[] = { 1, 2 };
	struct perf_data_source source = { .layout = layout, .ids = ids, .nr = 2 };
	static struct {
		struct sample sample;
		__u64 nr_ips;
		__u64 ips[DEPTH];
	} record;
	struct recording rec;
	__u64 random = 1;
	__u32 i, j;

	source.layout.sample_type |= PERF_SAMPLE_CALLCHAIN;
	prepare(&rec, "{cycles,instructions}", 1, false);
	rec.data.compression_level = 1;
	rec.data.max_stack = DEPTH;
	start(&rec);
	for (i = 0; i < NR; i++) {
		record.sample = make_sample(&source, 1000000000 + i * 1000, 0, 1, i + 1,
					    2 * (i + 1));
		record.nr_ips = i % 3 ? DEPTH : 1;
		record.sample.record.header.size =
			sizeof(record.sample) + (1 + record.nr_ips) * sizeof(__u64);
		for (j = 0; j < record.nr_ips; j++) {
			random = random * 6364136223846793005ULL + 1442695040888963407ULL;
			record.ips[j] = random >> 1;
		}
		result(!perf_data_add(&rec.data, &source, &record.sample.record.header),
		       "O24 a record that cannot be compressed is taken");
	}
	end(&rec);
	is("perf script -F period,event -i %s 2>&1 | grep : | sort | uniq -c",
	   "12 1 cycles:\n12 2 instructions:\n",
	   "O24 all of them can be read");
}

/* The periods in a second file continue from the counts in the first. */
static void several_files(void)
{
	static const __u32 ids[] = { 1, 2 };
	const struct perf_data_source source = {
		.layout = layout, .ids = ids, .nr = 2, .inherits = true,
	};
	struct recording rec;

	prepare(&rec, "{cycles,instructions}", 1, false);
	rec.data.inherits = true;
	rec.data.several = true;
	rec.data.compression_level = 3;
	start(&rec);
	put_child(&rec.data, &source, 5, 1000000000, 1000, 300);
	put_child(&rec.data, &source, 6, 1000003000, 10, 20);
	put_child(&rec.data, &source, 5, 1000002000, 1100, 350);
	/* Not in time order. */
	put_child(&rec.data, &source, 5, 1000001000, 1040, 320);
	result(!perf_data_end(&rec.data), "O22 a first file is written");
	is("perf script -F tid,time,period,event -i %s 2>&1",
	   "5 1.000000: 1000 cycles:\n5 1.000000: 300 instructions:\n"
	   "5 1.000001: 40 cycles:\n5 1.000001: 20 instructions:\n"
	   "5 1.000002: 60 cycles:\n5 1.000002: 30 instructions:\n"
	   "6 1.000003: 10 cycles:\n6 1.000003: 20 instructions:\n", "O22 it can be read");

	rec.data.out = freopen(file, "w", rec.data.out);
	start(&rec);
	/* Older than the latest sample in the first file: from another CPU. */
	put_child(&rec.data, &source, 6, 1000001000, 7, 13);
	put_child(&rec.data, &source, 6, 1000003700, 15, 26);
	put_child(&rec.data, &source, 7, 1000004000, 4, 5);
	put_child(&rec.data, &source, 5, 1000005000, 1101, 352);
	end(&rec);
	is("perf script -F tid,time,period,event -i %s 2>&1",
	   "6 1.000003: 5 cycles:\n6 1.000003: 6 instructions:\n"
	   "7 1.000004: 4 cycles:\n7 1.000004: 5 instructions:\n"
	   "5 1.000005: 1 cycles:\n5 1.000005: 2 instructions:\n",
	   "O22 the next one begins where that has ended");
	has(HEADER, "time of first sample : 1.000001\n", "O22 with times of its own");
}

/* Starts a process with a child; both wait until they are killed. Returns the process' pid. */
static pid_t start_family(void)
{
	int ready[2];
	pid_t pid;
	char byte;

	if (pipe(ready)) {
		puts("Bail out! no pipe");
		exit(1);
	}
	pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, fork() ? "test-parent" : "test-child");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	if (pid < 0 || read(ready[0], &byte, 1) != 1 || read(ready[0], &byte, 1) != 1) {
		puts("Bail out! no processes");
		exit(1);
	}
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void families(void)
{
	const pid_t pid = start_family();
	struct recording rec;

	begin(&rec, "cycles", 1, false);
	synth_family(&rec.data, pid);
	end(&rec);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	is("perf script --show-task-events -i %s 2>&1 | sed 's/.*\\(PERF_RECORD_COMM.*:\\).*/\\1/'",
	   "PERF_RECORD_COMM: test-parent:\nPERF_RECORD_COMM: test-child:\n",
	   "O22 a command that runs is there with its children");
}

/* Starts a process whose parent exits, with a child; both wait until they are killed. */
static pid_t start_orphan(void)
{
	pid_t parent, orphan, child;
	int ready[2];

	if (pipe(ready) || prctl(PR_SET_CHILD_SUBREAPER, 1)) {
		puts("Bail out! no orphans");
		exit(1);
	}
	parent = fork();
	if (!parent) {
		if (fork())
			_exit(0);
		orphan = getpid();
		alarm(60);
		child = fork();
		prctl(PR_SET_NAME, child ? "test-orphan" : "test-last");
		if (!child)
			prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(ready[1], &orphan, sizeof(orphan)) == sizeof(orphan))
			pause();
		_exit(0);
	}
	close(ready[1]);
	if (parent < 0 || waitpid(parent, NULL, 0) != parent ||
	    read(ready[0], &orphan, sizeof(orphan)) != sizeof(orphan) ||
	    read(ready[0], &orphan, sizeof(orphan)) != sizeof(orphan)) {
		puts("Bail out! no processes");
		exit(1);
	}
	close(ready[0]);
	return orphan;
}

/* Orphans are not found as descendants of the command, but they have been sampled. */
static void orphans(void)
{
	static const __u32 ids[] = { 1, 2 };
	const struct perf_data_source source = {
		.layout = layout, .ids = ids, .nr = 2, .inherits = true,
	};
	const pid_t pid = start_family(), orphan = start_orphan();
	struct recording rec;

	prepare(&rec, "{cycles,instructions}", 1, false);
	rec.data.inherits = true;
	rec.data.several = true;
	start(&rec);
	put_child(&rec.data, &source, pid, 1000000000, 1000, 300);
	put_child(&rec.data, &source, orphan, 1000001000, 10, 20);
	result(!perf_data_end(&rec.data), "O22 a file has samples of both");
	rec.data.out = freopen(file, "w", rec.data.out);
	start(&rec);
	synth_family(&rec.data, pid);
	end(&rec);
	kill(pid, SIGKILL);
	kill(orphan, SIGKILL);
	waitpid(pid, NULL, 0);
	waitpid(orphan, NULL, 0);
	is("perf script --show-task-events -i %s 2>&1 | sed 's/.*\\(PERF_RECORD_COMM.*:\\).*/\\1/'",
	   "PERF_RECORD_COMM: test-parent:\nPERF_RECORD_COMM: test-child:\n"
	   "PERF_RECORD_COMM: test-orphan:\nPERF_RECORD_COMM: test-last:\n",
	   "O22 the next one has those whose parents have exited, each once");
}

static void full_disk(void)
{
	static const __u32 ids[] = { 1, 2 };
	const struct perf_data_source source = { .layout = layout, .ids = ids, .nr = 2 };
	FILE *full = fopen("/dev/full", "w");
	struct recording rec;

	begin(&rec, "{cycles,instructions}", 1, false);
	fclose(rec.data.out);
	rec.data.out = full;
	put_sample(&rec.data, &source, 1000000000, 0, 1, 10, 20);
	result(perf_data_end(&rec.data) < 0, "a full disk is noticed");
	perf_data_free(&rec.data);
	fclose(full);
	events_free(&rec.list);
}

static void switches(void)
{
	static const struct {
		const char *text;
		__u64 size, period;
	} cases[] = {
		{ "3B", 3, 0 },
		{ "3K", 3 << 10, 0 },
		{ "3M", 3 << 20, 0 },
		{ "3G", 3ULL << 30, 0 },
		{ "3s", 0, 3 * NSEC_PER_SEC },
		{ "3m", 0, 180 * NSEC_PER_SEC },
		{ "3h", 0, 10800 * NSEC_PER_SEC },
		{ "3d", 0, 259200 * NSEC_PER_SEC },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct record_switch to = { 0 };

		result(!record_parse_switch(cases[i].text, &to) && to.on && !to.on_signal &&
		       to.size == cases[i].size && to.period == cases[i].period,
		       "O22: --switch-output=%s is a size, or a time", cases[i].text);
	}
}

int main(void)
{
	int fd;

	if (system("perf script -h >/dev/null 2>&1") == 127 << 8) {
		puts("1..0 # SKIP no perf on this machine");
		return 0;
	}
	fd = mkstemp(file);
	if (fd < 0) {
		puts("Bail out! no temporary file");
		return 1;
	}
	close(fd);
	on_cpus(false, 0);
	on_cpus(true, 0);
	on_cpus(false, 1);
	on_cpus(true, 1);
	compressed_slices();
	several_files();
	families();
	orphans();
	on_tasks();
	children(false);
	children(true);
	left_out();
	many_children();
	without_values();
	several_groups();
	callchains(true);
	callchains(false);
	programs(false);
	programs(true);
	own_build_id(false);
	own_build_id(true);
	other_layout();
	broken_records();
	full_disk();
	switches();
	remove(file);
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
