/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <linux/btf.h>
#include "kernel/abi.h"

/* What follows a struct btf_type, by its kind: a fixed part, then, for each of vlen, a part of equal size. */
struct btf_kind_row {
	bool known;
	uint8_t fixed, each; /* bytes */
	bool refers;	     /* btf_type.type is a type id */
	uint8_t ids;	     /* words at the start of the fixed part that are type ids */
	const char *part;    /* what one of the vlen is; NULL: vlen does not count parts */
	bool named;	     /* a part begins with the offset of its name */
	int8_t id;	     /* where a part has its type id, in bytes; -1: it has none */
};
/* Never NULL; a row that is not known for a kind that is newer than BTF_KIND_ENUM64, and for 0. */
const struct btf_kind_row *btf_kind_row(unsigned kind);

/* The layout section (struct btf_layout, since Linux 7.2): the sizes of each kind. */
struct btf_layouts {
	const struct abi_btf_layout *p; /* by kind */
	size_t n;			/* 0: there is no such section */
};
/*
 * Finds it in BTF of @n bytes whose struct btf_header was checked, except for the members of the layout section;
 * @other_order: of the other byte order. -EBADMSG: it exceeds the data; *ret is then empty.
 */
int btf_layouts_find(const void *p, size_t n, bool other_order, struct btf_layouts *ret);
/*
 * Bytes of a type and what follows it, which need not be within the section; 0: of a kind that neither the table nor
 * the layout section has.
 */
size_t btf_type_bytes(const struct btf_type *t, const struct btf_layouts *l);
