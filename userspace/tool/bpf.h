/* SPDX-License-Identifier: GPL-2.0 */
/* What the files behind "perfgrp bpf" share. */
#ifndef PERFGRP_BPF_H
#define PERFGRP_BPF_H

#include <stdbool.h>
#include <stdio.h>

#include "holders.h"
#include "json.h"
#include "perfgrp.h"
#include "record.h"
#include "util.h"

/* ---- bpf_program.c: programs as the user names them ------------------------ */

/**
 * struct bpf_choice - a program as the user has named it
 * @path: an object file, or a pin; NULL: a program that is loaded
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

/* ---- bpf_find.c: programs that are loaded ---------------------------------- */

int bpf_find_open(const struct bpf_choice *choice);
char *bpf_main_function(int fd);

/* ---- bpf_info.c: programs as the kernel knows them ------------------------- */

enum bpf_known {
	BPF_KNOWN,
	BPF_GONE,	/* there is no such program any more */
	BPF_HIDDEN,	/* the caller may not know */
};

/**
 * struct bpf_info - what the kernel tells of a program
 * @id: the program
 * @known: whether the rest is
 * @name: its name, or ""
 * @type: number of its type
 * @tag: its tag, in hex
 * @loaded: when it was loaded, in seconds since 1970
 * @uid: who has loaded it
 * @memlock: bytes of memory that the kernel accounts for it, as its fdinfo says; 0 where
 *	that does not say
 * @xlated: bytes of its instructions
 * @jited: bytes of its machine code
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
 * struct bpf_group - a group, and who holds it
 * @group: our own handle of it
 * @holders: whose file descriptors it is
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
 * struct bpf_groups - groups that were found
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

/* ---- bpf_print.c: attachments for people and for programs ------------------ */

/**
 * struct bpf_attachment - a member, and its program
 * @place: where it is: a file descriptor, a thread; or NULL
 * @event: the member's event
 * @query: what the module says; its prog_id is 0 where there is no program
 * @info: what the kernel says of the program
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
 * struct bpf_attachments - what is to be printed
 * @a: the attachments
 * @nr: how many
 * @room: how many @a has room for
 * @place: what the places are, in capitals; NULL where there are none
 * @holders: say who holds the groups
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
 * struct bpf_options - what the user wants
 * @holder: -g: whose group
 * @has_holder: it was named
 * @member: -m: the member's id; or, of a group of our own, which event, from 1
 * @has_member: it was named
 * @program: the program
 * @cookie: for bpf_get_attach_cookie()
 * @flags: PERFGRP_BPF_*
 * @expected: id of the program that is to be there, or 0
 * @duration: when to end, in ns; 0: not by itself
 * @delay: when to begin, in ms
 * @pin: where to pin the program, or NULL
 * @json: JSON in place of text
 * @all: members without programs, too
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
	unsigned int delay;
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
