/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/mountinfo.h"

static char *mount_word(char **p)
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
		mount_word(&line);
	root = mount_word(&line);
	path = mount_word(&line);
	if (*root)
		str_unescape(root);
	if (*path != '/')
		return false;
	str_unescape(path);
	*ret = (struct mountinfo){ .root = root, .path = path, .type = mount_word(&fs) };
	mount_word(&fs);
	ret->options = mount_word(&fs);
	return true;
}
