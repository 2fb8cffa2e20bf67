/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "cgroup/cgroup.h"
#include "cgroup/read.h"
#include "record/field.h"

#define REC struct cgroup_prog
#define ROW(m, name, help, ...) FIELD(REC, m, name, help, ##__VA_ARGS__)

static const struct field cgroup_fields[] = {
	ROW(id, "id", "id of the program", .also = "prog_id", .unit = FU_PROG, .flags = FIELD_DEFAULT),
	ROW(hook, "attach_type", "hook at which the program runs", .role = ROLE_KIND, .flags = FIELD_DEFAULT),
	ROW(attach_flags, "attach_flags", "flags of the attachment: multi, override", .flags = FIELD_DEFAULT, .drop = 1,
	    .when = offsetof(REC, has_own)),
	ROW(name, "name", "name of the program", .role = ROLE_NAME, .also = "prog_name", .flags = FIELD_DEFAULT,
	    .when = offsetof(REC, has_prog)),
	ROW(attach_btf_name, "attach_btf_name", "kernel function of an LSM program", .when = offsetof(REC, has_prog)),
	ROW(attach_btf_obj_id, "attach_btf_obj_id", "BTF object of that function", .unit = FU_BTF,
	    .when = offsetof(REC, has_prog)),
	ROW(attach_btf_id, "attach_btf_id", "type of that function in the BTF object", .when = offsetof(REC, has_prog)),
	ROW(type, "prog_type", "type of the program", .role = ROLE_KIND, .when = offsetof(REC, has_prog)),
	ROW(link_id, "link_id", "id of the link that attaches it", .unit = FU_LINK, .need = NEED_TARGET,
	    .flags = FIELD_DEFAULT | FIELD_NONZERO | FIELD_NOPLAIN, .when = offsetof(REC, has_link)),
	ROW(order, "run_order", "position in the run order of its attach point, from 1", .title = "ORDER",
	    .flags = FIELD_DEFAULT, .drop = 2),
	ROW(revision, "revision", "revision of the hook, which the kernel increments with each change",
	    .flags = FIELD_NONZERO, .when = offsetof(REC, has_own)),
	ROW(cgroup_id, "cgroup_id", "id of the cgroup", .unit = FU_CGROUP),
	ROW(cgroup, "cgroup", "path of the cgroup"),
};
#define NESTED (ARRAY_SIZE(cgroup_fields) - 2)

const struct schema cgroup_schema = SCHEMA("cgroup", REC, cgroup_fields);
const struct schema cgroup_nested_schema = {
	.name = "programs",
	.fields = cgroup_fields,
	.n = NESTED,
	.rec_size = sizeof(REC),
};

static const struct field tree_fields[] = {
	FIELD(struct cgroup_tree, path, "cgroup", "path of the cgroup", .plain = "%"),
	FIELD(struct cgroup_tree, id, "cgroup_id", "id of the cgroup", .unit = FU_CGROUP, .flags = FIELD_NOPLAIN),
};
const struct schema cgroup_tree_schema = SCHEMA("cgroup_tree", struct cgroup_tree, tree_fields);
