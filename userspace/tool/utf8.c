// SPDX-License-Identifier: GPL-2.0
/* Convert names from elsewhere to valid UTF-8. */
#include <string.h>

#include "utf8.h"
#include "util.h"

/* Length of the first character, or 0 if it is not valid UTF-8 (RFC 3629). */
static size_t char_length(const unsigned char *s)
{
	static const __u32 lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len, i;
	__u32 code;

	if (*s < 0x80)
		return 1;
	if (*s >= 0xf8 || *s < 0xc0)
		return 0;
	len = *s >= 0xf0 ? 4 : *s >= 0xe0 ? 3 : 2;
	code = *s & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < lowest[len] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return len;
}

/**
 * utf8_clean - convert a text to valid UTF-8
 * @text: for example a path, which may have any byte
 *
 * Return: a copy, to be freed, in which bytes that are not UTF-8 are written as "\xff"
 */
char *utf8_clean(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	char *clean = xcalloc(4, strlen(text) + 1), *to = clean;

	while (*s) {
		size_t len = char_length(s);

		if (len) {
			memcpy(to, s, len);
			to += len;
			s += len;
		} else {
			to += sprintf(to, "\\x%02x", *s++);
		}
	}
	return clean;
}
