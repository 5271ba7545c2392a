/* SPDX-License-Identifier: GPL-2.0 */
/* What the files behind "perfgrp info" share. */
#ifndef PERFGRP_INFO_H
#define PERFGRP_INFO_H

#include <stdbool.h>

#include "perfgrp.h"

bool info_check(void);

#endif /* PERFGRP_INFO_H */
