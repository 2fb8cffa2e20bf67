/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <dirent.h>

/* Number of files in a directory. */
static inline unsigned directory_count(const char *path)
{
	DIR *dir = opendir(path);
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}
