// SPDX-License-Identifier: GPL-2.0
/* Convert names from elsewhere to valid UTF-8, and to what is safe to print. */
#include <stdlib.h>
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

/* Does the text begin with what clean() writes for a backslash, or for a byte that is not UTF-8? */
static bool is_escape(const unsigned char *s)
{
	if (s[0] != '\\' || s[1] != 'x')
		return false;
	if (s[2] == '5' && s[3] == 'c')
		return true;
	return s[2] && strchr("89abcdef", s[2]) && s[3] && strchr("0123456789abcdef", s[3]);
}

static char *clean(const char *text, bool distinct)
{
	const unsigned char *s = (const unsigned char *)text;
	char *copy = xcalloc(4, strlen(text) + 1), *to = copy;

	while (*s) {
		size_t len = char_length(s);

		if (len && !(distinct && is_escape(s))) {
			memcpy(to, s, len);
			to += len;
			s += len;
		} else {
			to += sprintf(to, "\\x%02x", *s++);
		}
	}
	return copy;
}

/**
 * utf8_clean - convert a text to valid UTF-8
 * @text: for example a path, which may have any byte
 *
 * Return: a copy, to be freed, in which bytes that are not UTF-8 are written as "\xff"
 */
char *utf8_clean(const char *text)
{
	return clean(text, false);
}

/**
 * utf8_distinct - convert a text to valid UTF-8 that different texts do not have in common
 * @text: for example a path
 *
 * Return: as utf8_clean(), but a backslash that could be taken for one of those that are added is
 * written as "\x5c". Others, as those of systemd's "\x2d", are not.
 */
char *utf8_distinct(const char *text)
{
	return clean(text, true);
}

/**
 * utf8_printable - convert a text to UTF-8 without control characters
 * @text: for example the name of a thread, which any user may choose
 *
 * Return: a copy, to be freed, of one line and without effect on a terminal: control characters
 * are written as "\x1b" or, from U+0080 to U+009F, as "\u009b"; bytes that are not UTF-8 as "\xff"
 */
char *utf8_printable(const char *text)
{
	char *copy = clean(text, false);
	char *printable = xcalloc(4, strlen(copy) + 1), *to = printable;
	const unsigned char *s;

	for (s = (unsigned char *)copy; *s; s++) {
		if (*s < ' ' || *s == 0x7f)
			to += sprintf(to, "\\x%02x", *s);
		else if (*s == 0xc2 && s[1] < 0xa0)
			to += sprintf(to, "\\u%04x", *++s);
		else
			*to++ = *s;
	}
	free(copy);
	return printable;
}
