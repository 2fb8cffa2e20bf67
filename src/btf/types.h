/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_TYPES_H
#define BTF_TYPES_H

#include "btf/btf.h"

/*
 * What btf_parse() leaves behind; only check.c and btf.c look inside. The type section is aligned, off[] holds where each
 * of its own types begins there: type ID stands at types + off[ID - start].
 */
struct btf_types {
	const struct btf_types *base;
	const unsigned char *types;
	const char *strs;
	void *copy;			/* of both sections; NULL: they stand in mem */
	struct arena *mem;		/* owned; holds the bytes; or NULL */
	uint32_t *off;
	uint32_t types_len;		/* bytes of the types that are usable */
	uint32_t start, count;		/* ids [start, count) are its own */
	uint32_t str_start, str_end;	/* so are the string offsets [str_start, str_end) */
	bool cut;			/* ends before a kind that this program does not know */
};

#endif
