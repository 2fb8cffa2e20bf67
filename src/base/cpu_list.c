/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/cpu_list.h"

#include "base/base.h"

static bool cpu_number_read(const char **p, uint32_t *ret)
{
	uint32_t v = 0;

	if (!isdigit((unsigned char)**p))
		return false;
	for (; isdigit((unsigned char)**p); ++*p) {
		v = v * 10 + (uint32_t)(**p - '0');
		if (v >= CPU_LIST_MAX)
			return false;
	}
	*ret = v;
	return true;
}

size_t cpu_list_read(const char *p, uint32_t **ret)
{
	CLEAN_PTR uint32_t *list = NULL;
	uint32_t first, last;
	size_t n = 0, cap = 0;

	for (;; p++) {
		if (!cpu_number_read(&p, &first))
			return 0;
		last = first;
		if (*p == '-' && (p++, !cpu_number_read(&p, &last)))
			return 0;
		if (last < first || (n && first <= list[n - 1]))
			return 0;
		for (; first <= last; first++) {
			ARRAY_MORE(list, n, cap);
			list[n++] = first;
		}
		if (*p != ',')
			break;
	}
	if (*p && *p != '\n')
		return 0;
	*ret = list;
	list = NULL;
	return n;
}
