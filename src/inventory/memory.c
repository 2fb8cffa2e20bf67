/* SPDX-License-Identifier: BSD-2-Clause */
#include "inventory/inventory.h"

#include "prog/prog.h"
#include "record/field.h"

/* The fields with the memory of an object. */
static const struct {
	enum object_kind kind;
	const char *field;
	enum mem_sort sort;
} parts[] = {
	{ OBJECT_PROG, "bytes_memlock", MEM_PROGRAM },
	{ OBJECT_PROG, "bytes_jited", MEM_CODE },
	{ OBJECT_MAP, "bytes_memlock", MEM_MAP },
	{ OBJECT_BTF, "size", MEM_TYPES },
};

bool item_memory(const struct item *it, uint64_t ret[MEM_SORTS])
{
	bool known = true;

	memset(ret, 0, MEM_SORTS * sizeof(*ret));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct schema *in;
		const struct field *f = parts[i].kind == it->kind->object ?
						schema_find(it->kind->schema, it->rec, parts[i].field, &in) :
						NULL;
		struct value v;

		if (!f)
			continue;
		v = field_get(in, f, it->rec);
		known &= v.avail != AVAIL_UNKNOWN;
		ret[parts[i].sort] = v.avail == AVAIL_YES ? v.u : 0;
	}
	return known;
}

/* The BTF of the kernel and its modules does not depend on any user of it. */
static bool is_of_kernel(const struct item *it)
{
	const struct schema *in;
	const struct field *f =
		it->kind->object == OBJECT_BTF ? schema_find(it->kind->schema, it->rec, "kernel", &in) : NULL;

	return f && field_get(in, f, it->rec).b;
}

bool item_uses_memory(const struct item *it)
{
	return it->rec && !(it->kind->object == OBJECT_PROG && prog_is_gone(it->rec)) && !is_of_kernel(it);
}
