/* SPDX-License-Identifier: GPL-2.0 */
/* What hinders counting on this machine. */
#ifndef PERFGRP_INFO_H
#define PERFGRP_INFO_H

#include <stdbool.h>
#include <stddef.h>

#include "perfgrp.h"

/* How it is with what was looked at. */
#define FINDING_OK	"ok"
#define FINDING_NOTE	"note"	/* counting works, but for what the text says */
#define FINDING_MISSING	"no"	/* nothing can be counted */

/**
 * struct finding - one thing that was looked at
 * @what: the thing, in a word
 * @how: FINDING_*
 * @text: how it is
 * @help: what helps, or NULL
 */
struct finding {
	const char *what;
	const char *how;
	char *text;
	char *help;
};

/**
 * struct findings - what was looked at
 * @findings: the findings
 * @nr: how many
 * @room: how many @findings has room for
 */
struct findings {
	struct finding *findings;
	size_t nr;
	size_t room;
};

bool info_check(void);
bool check_privilege(struct findings *list, const struct perfgrp_info *info);
void check_paranoid(struct findings *list);
void check_counters(struct findings *list);
void check_watchdog(struct findings *list);
void findings_print(const struct findings *list);
void findings_free(struct findings *list);

#endif /* PERFGRP_INFO_H */
