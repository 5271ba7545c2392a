// SPDX-License-Identifier: GPL-2.0
/* JSON, the same in every locale. */
#include <stdlib.h>

#include "json.h"
#include "utf8.h"

/* Makes a string of any text: bytes that are not UTF-8 are written as "\xff". */
struct json_object *json_new_string(const char *text)
{
	char *clean = utf8_clean(text);
	struct json_object *string = json_object_new_string(clean);

	free(clean);
	return string;
}

void json_add_string(struct json_object *to, const char *key, const char *value)
{
	json_object_object_add(to, key, json_new_string(value));
}

void json_add_u64(struct json_object *to, const char *key, __u64 value)
{
	json_object_object_add(to, key, json_object_new_uint64(value));
}

void json_add_bool(struct json_object *to, const char *key, int value)
{
	json_object_object_add(to, key, json_object_new_boolean(value));
}

/* Adds a number that is printed exactly as the text in @number. */
void json_add_literal(struct json_object *to, const char *key, const char *number)
{
	json_object_object_add(to, key, json_object_new_double_s(strtod(number, NULL), number));
}

/* Adds a number, formatted with a printf format. */
void json_add_double(struct json_object *to, const char *key, const char *format, double value)
{
	char text[64];

	snprintf(text, sizeof(text), format, value);
	json_add_literal(to, key, text);
}

/* Prints an object and a newline, on one line or on many; frees the object. */
void json_print(FILE *out, struct json_object *object, int pretty)
{
	int flags = JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE;

	if (pretty)
		flags |= JSON_C_TO_STRING_PRETTY;
	fprintf(out, "%s\n", json_object_to_json_string_ext(object, flags));
	json_object_put(object);
}
