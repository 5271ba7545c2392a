// SPDX-License-Identifier: GPL-2.0
/* Choose the format for a client: the Accept header of RFC 9110, for the formats that we have. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "export.h"

/* Returns the text before the next separator, without leading and trailing blanks. */
static char *next_part(char **rest, const char *separator)
{
	char *part = strsep(rest, separator);
	size_t len;

	if (!part)
		return NULL;
	part += strspn(part, " \t");
	for (len = strlen(part); len && strchr(" \t", part[len - 1]); len--)
		part[len - 1] = '\0';
	return part;
}

/* Parses a quality, such as 1, 0.5 or 0.875, in thousandths; 0 if it is invalid. */
static unsigned int parse_quality(const char *text)
{
	unsigned int quality, digit, unit = 100;

	if ((*text != '0' && *text != '1') || (text[1] && text[1] != '.'))
		return 0;
	quality = *text == '1' ? 1000 : 0;
	for (text += text[1] ? 2 : 1; *text; text++) {
		digit = *text - '0';
		if (digit > 9)
			return 0;
		quality += digit * unit;
		unit /= 10;
	}
	return quality > 1000 ? 1000 : quality;
}

/* Returns the format of a media range, or EXPORT_FORMATS if there is none. */
static enum export_format format_of(const char *type, const char *version)
{
	if (!strcasecmp(type, "application/openmetrics-text"))
		return !version || !strcmp(version, "1.0.0") ? EXPORT_OPENMETRICS : EXPORT_FORMATS;
	if (!strcasecmp(type, "application/json") || !strcasecmp(type, "application/x-ndjson"))
		return EXPORT_JSON;
	if (!strcasecmp(type, "text/plain") || !strcasecmp(type, "text/*") || !strcmp(type, "*/*"))
		return EXPORT_TEXT;
	return EXPORT_FORMATS;
}

/**
 * export_accepted - choose a format
 * @accept: the header, or NULL
 *
 * Return: the format with the highest quality; if several have it, or none is acceptable, the first
 *	of enum export_format
 */
enum export_format export_accepted(const char *accept)
{
	char *text = xstrdup(accept ? accept : ""), *rest = text, *range;
	enum export_format best = EXPORT_TEXT;
	unsigned int best_quality = 0;

	while ((range = next_part(&rest, ","))) {
		const char *type = next_part(&range, ";"), *version = NULL, *part;
		unsigned int quality = 1000;
		enum export_format format;

		while ((part = next_part(&range, ";"))) {
			if (!strncasecmp(part, "q=", 2))
				quality = parse_quality(part + 2);
			else if (!strncasecmp(part, "version=", 8))
				version = part + 8;
		}
		format = format_of(type, version);
		if (format != EXPORT_FORMATS &&
		    (quality > best_quality ||
		     (quality && quality == best_quality && format < best))) {
			best = format;
			best_quality = quality;
		}
	}
	free(text);
	return best;
}
