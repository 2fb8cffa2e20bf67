/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <bpf/btf.h>
#include <ctype.h>
#include <string.h>

/*
 * Calls check(name, value) for each enumerator of an enum of the running kernel, its name in lower case and without
 * prefix. Returns how many there were, -1 without readable BTF.
 */
static inline int kernel_enum(const char *name, const char *prefix, void (*check)(const char *name, unsigned value))
{
	struct btf *btf = btf__load_vmlinux_btf();
	int id, n = -1;

	if (!btf)
		return -1;
	id = btf__find_by_name_kind(btf, name, BTF_KIND_ENUM);
	if (id > 0) {
		const struct btf_type *t = btf__type_by_id(btf, (unsigned)id);
		const struct btf_enum *e = btf_enum(t);

		for (n = 0; n < btf_vlen(t); n++) {
			const char *s = btf__name_by_offset(btf, e[n].name_off);
			char low[64] = "";

			if (strncmp(s, prefix, strlen(prefix)))
				continue;
			s += strlen(prefix);
			for (size_t i = 0; s[i] && i < sizeof(low) - 1; i++)
				low[i] = (char)tolower((unsigned char)s[i]);
			check(low, (unsigned)e[n].val);
		}
	}
	btf__free(btf);
	return n;
}
