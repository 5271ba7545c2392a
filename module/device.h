/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/perfgrp. */
#ifndef PERFGRP_DEVICE_H
#define PERFGRP_DEVICE_H

int perfgrp_device_register(void);
void perfgrp_device_unregister(void);

#endif /* PERFGRP_DEVICE_H */
