/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/elf/libraries.h"

#include "base/base.h"

static int newer_first(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	int by_name = strverscmp(strrchr(y, '/'), strrchr(x, '/'));

	return by_name ? by_name : strcmp(x, y);
}

void libraries_find(const char *const *patterns, glob_t *ret)
{
	int append = 0;

	*ret = (glob_t){ 0 };
	for (; *patterns; patterns++) {
		glob(*patterns, append, NULL, ret);
		append = GLOB_APPEND;
	}
	if (ret->gl_pathc)
		qsort(ret->gl_pathv, ret->gl_pathc, sizeof(*ret->gl_pathv), newer_first);
}
