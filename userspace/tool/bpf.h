/* SPDX-License-Identifier: GPL-2.0 */
/* Structs and functions shared by the files of "perfgrp bpf". */
#ifndef PERFGRP_BPF_H
#define PERFGRP_BPF_H

#include <stdbool.h>
#include <stdio.h>

#include "holders.h"
#include "json.h"
#include "perfgrp.h"
#include "record.h"
#include "util.h"

/* ---- bpf_program.c: programs named by the user ----------------------------- */

/**
 * struct bpf_choice - a program named by the user
 * @path: an object file, or a pinned program; NULL: a loaded program, by what follows
 * @id: its id, or 0
 * @tag: its tag, in hex, or NULL
 * @known_as: its name, or NULL
 * @section: of an object file, or NULL
 * @name: of a program in an object file, or NULL
 */
struct bpf_choice {
	const char *path;
	unsigned int id;
	const char *tag;
	const char *known_as;
	const char *section;
	const char *name;
};

int bpf_choice_parse(struct bpf_choice *choice, const char *text);
int bpf_choice_open(const struct bpf_choice *choice);
int bpf_pin(int fd, const char *path);
int bpf_choice_open_loaded(const struct bpf_choice *choice);

/* ---- bpf_find.c: loaded programs ------------------------------------------- */

int bpf_find_open(const struct bpf_choice *choice);
char *bpf_main_function(int fd);

/* ---- bpf_info.c: the kernel's information about programs ------------------- */

enum bpf_known {
	BPF_KNOWN,
	BPF_GONE,	/* the program was unloaded */
	BPF_HIDDEN,	/* not permitted */
};

/**
 * struct bpf_info - the kernel's information about a program
 * @id: the program
 * @known: BPF_KNOWN if the rest is valid
 * @name: its name, or ""
 * @type: number of its type
 * @tag: its tag, in hex
 * @loaded: when it was loaded, in seconds since 1970
 * @uid: who loaded it
 * @memlock: memory charged for it, in bytes, from its fdinfo; 0 if not there
 * @xlated: size of its instructions in bytes
 * @jited: size of its machine code in bytes
 */
struct bpf_info {
	__u32 id;
	enum bpf_known known;
	char name[32];
	__u32 type;
	char tag[17];
	__u64 loaded;
	__u32 uid;
	__u64 memlock;
	__u32 xlated;
	__u32 jited;
};

__u32 bpf_info_id(int fd);
void bpf_info_get(__u32 id, struct bpf_info *info);
const char *bpf_info_type(const struct bpf_info *info);
void bpf_tag_text(char *text, const __u8 *tag);

/* ---- bpf_group.c: groups of other processes -------------------------------- */

/**
 * struct bpf_group - a group, and the file descriptors that refer to it
 * @group: our own handle
 * @holders: the file descriptors of other processes
 * @nr: how many
 * @room: how many @holders has room for
 */
struct bpf_group {
	struct perfgrp_group *group;
	struct holder *holders;
	size_t nr;
	size_t room;
};

/**
 * struct bpf_groups - the groups found
 * @groups: the groups
 * @nr: how many
 * @room: how many @groups has room for
 * @hidden_processes: processes whose file descriptors the caller may not see
 * @hidden_groups: file descriptors of groups that the caller may not have
 */
struct bpf_groups {
	struct bpf_group *groups;
	size_t nr;
	size_t room;
	unsigned int hidden_processes;
	unsigned int hidden_groups;
};

int bpf_holder_parse(struct holder *holder, const char *text);
int bpf_groups_take(struct bpf_groups *groups, const struct holder *holder);
void bpf_groups_find(struct bpf_groups *groups);
void bpf_groups_free(struct bpf_groups *groups);

/* ---- bpf_print.c: attachments as text and as JSON -------------------------- */

/**
 * struct bpf_attachment - a member, and its program
 * @place: where it is: a file descriptor, a thread, a cgroup; or NULL
 * @event: the member's event
 * @query: the result of PERFGRP_BPF_QUERY; its prog_id is 0 if there is no program
 * @info: the kernel's information about the program
 * @group: the group, for its holders
 */
struct bpf_attachment {
	char *place;
	char *event;
	struct perfgrp_bpf_query query;
	struct bpf_info info;
	const struct bpf_group *group;
};

/**
 * struct bpf_attachments - attachments to print
 * @a: the attachments
 * @nr: how many
 * @room: how many @a has room for
 * @place: heading of the column of places; NULL for no such column
 * @holders: print who holds the groups
 */
struct bpf_attachments {
	struct bpf_attachment *a;
	size_t nr;
	size_t room;
	const char *place;
	bool holders;
};

struct bpf_attachment *bpf_attachments_add(struct bpf_attachments *list, const char *event,
					   const struct perfgrp_bpf_query *query);
void bpf_attachments_print(const struct bpf_attachments *list, FILE *out, bool json);
void bpf_attachments_free(struct bpf_attachments *list);

/* ---- the commands ---------------------------------------------------------- */

/**
 * struct bpf_options - the command line of "perfgrp bpf"
 * @holder: -g: whose group
 * @has_holder: -g was given
 * @member: -m: the member's id; for a group of our own the number of the event, from 1
 * @has_member: -m was given
 * @program: the program
 * @cookie: for bpf_get_attach_cookie()
 * @flags: PERFGRP_BPF_*
 * @expected: id of the program that must be attached, or 0 for any
 * @duration: how long to run, in ns; 0: until a signal or the end of the target
 * @pin: where to pin the program, or NULL
 * @json: JSON in place of text
 * @all: also show members without programs
 * @file: where statistics go; NULL: standard error
 * @rec: a group of our own that samples
 */
struct bpf_options {
	struct holder holder;
	bool has_holder;
	unsigned int member;
	bool has_member;
	struct bpf_choice program;
	__u64 cookie;
	__u32 flags;
	unsigned int expected;
	__u64 duration;
	const char *pin;
	bool json;
	bool all;
	const char *file;
	struct record rec;
};

int bpf_attach_own(struct bpf_options *opt, int prog_fd);
int bpf_attach_other(const struct bpf_options *opt, int prog_fd, bool replace);
int bpf_detach_other(const struct bpf_options *opt);
int bpf_show(const struct bpf_options *opt);
int bpf_watch(const struct bpf_options *opt);

/* cmd_bpf.c, cmd_bpf_profile.c */
void cmd_bpf_usage(FILE *out);
int cmd_bpf_profile(int argc, char **argv);

#endif /* PERFGRP_BPF_H */
