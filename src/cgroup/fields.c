/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroup/cgroup.h"
#include "cgroup/read.h"
#include "kernel/names.h"
#include "record/field.h"

static const struct field cgroup_fields[] = {
	FIELD(cgroup_prog, id, "id", "id of the program", .also = "prog_id", .unit = FU_PROG, .flags = FIELD_DEFAULT),
	FIELD(cgroup_prog, hook, "attach_type", "hook at which the program runs", .among = &names_attach_type,
	      .role = ROLE_KIND, .flags = FIELD_DEFAULT),
	FIELD_IF(cgroup_prog, attach_flags, has_own, "attach_flags", "flags of the attachment: multi, override",
		 .flags = FIELD_DEFAULT, .drop = 1),
	FIELD_IF(cgroup_prog, name, has_prog, "name", "name of the program", .role = ROLE_NAME, .also = "prog_name",
		 .flags = FIELD_DEFAULT),
	FIELD_IF(cgroup_prog, attach_btf_name, has_prog, "attach_btf_name", "kernel function of an LSM program"),
	FIELD_IF(cgroup_prog, attach_btf_obj_id, has_prog, "attach_btf_obj_id", "BTF object of that function",
		 .unit = FU_BTF),
	FIELD_IF(cgroup_prog, attach_btf_id, has_prog, "attach_btf_id", "type of that function in the BTF object"),
	FIELD_IF(cgroup_prog, type, has_prog, "prog_type", "type of the program", .among = &names_prog_type,
		 .role = ROLE_KIND),
	FIELD_IF(cgroup_prog, link_id, has_link, "link_id", "id of the link that attaches it", .unit = FU_LINK,
		 .need = NEED_TARGET, .flags = FIELD_DEFAULT | FIELD_NONZERO | FIELD_NOPLAIN),
	FIELD(cgroup_prog, order, "run_order", "position in the run order of its attach point, from 1",
	      .title = "ORDER", .flags = FIELD_DEFAULT, .drop = 2),
	FIELD_IF(cgroup_prog, revision, has_own, "revision",
		 "revision of the hook, which the kernel increments with each change", .flags = FIELD_NONZERO),
	FIELD(cgroup_prog, cgroup_id, "cgroup_id", "id of the cgroup", .unit = FU_CGROUP),
	FIELD(cgroup_prog, cgroup, "cgroup", "path of the cgroup"),
};
#define NESTED (ARRAY_SIZE(cgroup_fields) - 2)

const struct schema cgroup_schema = SCHEMA("cgroup", cgroup_prog, cgroup_fields);
const struct schema cgroup_nested_schema = {
	.name = "programs",
	.fields = cgroup_fields,
	.n = NESTED,
	.rec_size = sizeof(struct cgroup_prog),
};

static const struct field tree_fields[] = {
	FIELD(cgroup_tree, path, "cgroup", "path of the cgroup", .plain = "%"),
	FIELD(cgroup_tree, id, "cgroup_id", "id of the cgroup", .unit = FU_CGROUP, .flags = FIELD_NOPLAIN),
};
const struct schema cgroup_tree_schema = SCHEMA("cgroup_tree", cgroup_tree, tree_fields);
