// SPDX-License-Identifier: GPL-2.0
/*
 * run_bpf load OBJECT PROGRAM PIN: loads and pins one program of an object file, and says its id
 *	and tag.
 * run_bpf send PIN: attaches the program to what goes out by the loopback device, says so, and
 *	stays until it is killed.
 * run_bpf run PIN TIMES [MARK]: runs the program so often, with a packet that has the mark.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#define LOOPBACK	1
#define PACKET_SIZE	64
/* BPF_TCX_EGRESS, of Linux 6.6: newer than Debian 12's headers. */
#define TCX_EGRESS	47

static int load(const char *path, const char *name, const char *pin)
{
	struct bpf_object *object = bpf_object__open(path);
	struct bpf_program *prog, *wanted;
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info), i;

	wanted = object ? bpf_object__find_program_by_name(object, name) : NULL;
	if (!wanted)
		return 1;
	bpf_object__for_each_program(prog, object)
		bpf_program__set_autoload(prog, prog == wanted);
	if (bpf_object__load(object) || bpf_program__pin(wanted, pin) ||
	    bpf_obj_get_info_by_fd(bpf_program__fd(wanted), &info, &len))
		return 1;
	printf("%u ", info.id);
	for (i = 0; i < sizeof(info.tag); i++)
		printf("%02x", info.tag[i]);
	putchar('\n');
	return 0;
}

static int send_through(const char *pin)
{
	int link = bpf_link_create(bpf_obj_get(pin), LOOPBACK, TCX_EGRESS, NULL);

	if (link < 0) {
		perror("BPF_LINK_CREATE");
		return 1;
	}
	puts("sends");
	fflush(stdout);
	pause();
	return 0;
}

static int run(const char *pin, unsigned int times, unsigned int mark)
{
	char packet[PACKET_SIZE] = "";
	struct __sk_buff context = { .mark = mark };
	struct bpf_test_run_opts opts = {
		.sz = sizeof(opts),
		.data_in = packet,
		.data_size_in = sizeof(packet),
	};
	int fd = bpf_obj_get(pin);

	if (mark) {
		opts.ctx_in = &context;
		opts.ctx_size_in = sizeof(context);
	}
	/* One packet a call: a program that changes its packet gets another each time. */
	opts.repeat = mark ? 1 : times;
	for (; times; times -= opts.repeat) {
		if (bpf_prog_test_run_opts(fd, &opts)) {
			perror("BPF_PROG_TEST_RUN");
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "load"))
		return load(argv[2], argv[3], argv[4]);
	if (argc == 3 && !strcmp(argv[1], "send"))
		return send_through(argv[2]);
	if ((argc == 4 || argc == 5) && !strcmp(argv[1], "run"))
		return run(argv[2], atoi(argv[3]), argc == 5 ? atoi(argv[4]) : 0);
	return 1;
}
