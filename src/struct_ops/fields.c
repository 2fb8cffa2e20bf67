/* SPDX-License-Identifier: BSD-2-Clause */
#include "struct_ops/ops.h"

static const struct field prog_fields[] = {
	FIELD(ops_prog, member, "member", "member that the program implements", .role = ROLE_NAME),
	FIELD(ops_prog, id, "prog_id", "id of the program that implements it", .unit = FU_PROG),
	FIELD_IF(ops_prog, name, has_name, "prog_name", "name of the program", .role = ROLE_NAME),
};
static size_t prog_text(const void *row, char *buf, size_t size)
{
	const struct ops_prog *p = row;

	return str_snprintf(buf, size, "%s=%u", p->member, p->id);
}
static const struct schema schema_ops_prog = SCHEMA("struct_ops_prog", ops_prog, prog_fields, .text = prog_text);

static const struct field fields[] = {
	FIELD(ops_rec, info.id, "id", "id of the map", .also = "map_id", .unit = FU_MAP,
	      .plain = "%:", .flags = FIELD_DEFAULT),
	FIELD(ops_rec, name, "name", "name of the map, truncated by the kernel to 15 characters", .role = ROLE_NAME,
	      .also = "map_name", .plain = " %", .col = 1, .width = 15, .flags = FIELD_DEFAULT),
	FIELD_IF(ops_rec, type, has_type, "kernel_struct_ops", "the kernel's struct that it implements",
		 .title = "STRUCT", .role = ROLE_KIND, .plain = " %", .col = 2, .width = 32, .flags = FIELD_DEFAULT),
	FIELD_IF(
		ops_rec, state, has_value, "state",
		"state; inuse: the kernel uses it; ready: links can register it; init: it is empty; tobefree: unregistered",
		.flags = FIELD_DEFAULT | FIELD_NOPLAIN),
	FIELD(ops_rec, by_link, "by_link", "whether it is registered by links", .flags = FIELD_NOPLAIN),
	FIELD_LIST(ops_rec, links, nlinks, FT_UINT, "link_ids", "links that register it", .unit = FU_LINK,
		   .need = NEED_TARGET, .title = "LINKS", FIELD_WHEN(ops_rec, has_links),
		   .flags = FIELD_DEFAULT | FIELD_NOPLAIN),
	FIELD_ROWS(ops_rec, progs, nprogs, &schema_ops_prog, "programs", "the programs that implement its operations",
		   FIELD_WHEN(ops_rec, has_value), .need = NEED_PROG, .flags = FIELD_DEFAULT | FIELD_NOPLAIN),
	FIELD(ops_rec, info.btf_id, "btf_id", "id of the BTF object that came from its object file", .unit = FU_BTF,
	      .flags = FIELD_NONZERO | FIELD_NOPLAIN),
	FIELD(ops_rec, info.btf_vmlinux_id, "btf_vmlinux_id", "BTF object of the kernel or module that has the struct",
	      .unit = FU_BTF, .flags = FIELD_NONZERO | FIELD_NOPLAIN),
};
const struct schema schema_struct_ops = SCHEMA("struct_ops", ops_rec, fields);
