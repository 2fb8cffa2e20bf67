/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/mountinfo.h"

#include <string.h>

#include "base/str.h"

static char *word(char **p)
{
	char *w = strsep(p, " ");

	return w ? w : (char *)"";
}

/* "36 35 0:30 ROOT PATH rw,relatime shared:1 - TYPE SOURCE OPTIONS" */
bool mountinfo_parse(char *line, struct mountinfo *ret)
{
	char *fs = strstr(line, " - "), *root, *path;

	if (!fs)
		return false;
	*fs = '\0';
	fs += strlen(" - ");
	for (int i = 0; i < 3; i++)
		word(&line);
	root = word(&line);
	path = word(&line);
	if (*root)
		str_unescape(root);
	if (*path != '/')
		return false;
	str_unescape(path);
	*ret = (struct mountinfo){ .root = root, .path = path, .type = word(&fs) };
	word(&fs);
	ret->options = word(&fs);
	return true;
}
