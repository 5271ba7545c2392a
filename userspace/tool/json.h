/* SPDX-License-Identifier: GPL-2.0 */
/* JSON, the same in every locale. */
#ifndef PERFGRP_JSON_H
#define PERFGRP_JSON_H

#include <stdio.h>

#include <json-c/json.h>
#include <linux/types.h>

struct json_object *json_new_string(const char *text);
void json_add_string(struct json_object *to, const char *key, const char *value);
void json_add_u64(struct json_object *to, const char *key, __u64 value);
void json_add_bool(struct json_object *to, const char *key, int value);
void json_add_double(struct json_object *to, const char *key, const char *format, double value);
void json_add_literal(struct json_object *to, const char *key, const char *number);
void json_print(FILE *out, struct json_object *object, int pretty);

#endif /* PERFGRP_JSON_H */
