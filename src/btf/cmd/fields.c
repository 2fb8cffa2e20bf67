/* SPDX-License-Identifier: BSD-2-Clause */
#include "btf/btf.h"

#define BTF_FIELD_USERS(m, n, has, name, help, u) \
	FIELD_LIST(btf_rec, m, n, FT_UINT, name, help, .unit = u, .plain = "  " name " %", \
		   .flags = FIELD_PLAIN_NZ | FIELD_HOLDER | FIELD_DEFAULT, .drop = 1, .need = NEED_USERS, \
		   FIELD_WHEN(btf_rec, has))

/* Names of the kernel's own objects are in brackets. */
static size_t name_text(const void *rec, char *buf, size_t size)
{
	const struct btf_rec *r = rec;

	if (!r->name || !r->name[0])
		return str_snprintf(buf, size, "<anon>");
	return str_snprintf(buf, size, r->kernel ? "[%s]" : "%s", r->name);
}

static const struct field btf_fields[] = {
	FIELD(btf_rec, info.id, "id", "id of the BTF object", .also = "btf_id", .unit = FU_BTF,
	      .plain = "%: ", .flags = FIELD_DEFAULT | FIELD_KEY),
	FIELD_IF(btf_rec, name, has_name, "name", "name of the kernel or module it describes", .role = ROLE_NAME,
		 .also = "btf_name", .plain = "name %", .text = name_text, .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD(btf_rec, info.btf_size, "size", "size in bytes", .unit = FU_SIZE, .plain = "  size %B",
	      .flags = FIELD_DEFAULT),
	BTF_FIELD_USERS(progs, nprogs, has_progs, "prog_ids", "programs that use it", FU_PROG),
	BTF_FIELD_USERS(maps, nmaps, has_maps, "map_ids", "maps that use it", FU_MAP),
	FIELD_PIDS(btf_rec, owners, .line = 1),
	FIELD(btf_rec, kernel, "kernel", "describes the kernel or a module", .flags = FIELD_NOPLAIN),
	FIELD_OBJECT_OWNER(btf_rec, owners, .line = 1, .col = 1, .flags = FIELD_DEFAULT),
	FIELD_PLACES(btf_rec, owners.places, .line = 1),
};

const struct schema btf_schema =
	SCHEMA("btf", btf_rec, btf_fields, .info_off = offsetof(struct btf_rec, info),
	       .info_size = sizeof(struct abi_btf_info), .info_len = offsetof(struct btf_rec, info_len));
