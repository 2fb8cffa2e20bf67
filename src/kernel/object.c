/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "kernel/object.h"

const char *const object_kind_names[OBJECT_KINDS] = { "prog", "map", "link", "btf" };

int object_kind_parse(const char *word)
{
	for (int k = 0; k < OBJECT_KINDS; k++)
		if (!strcmp(object_kind_names[k], word))
			return k;
	return -1;
}
