/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/env.h"
#include "link/link.h"
#include "source/facts.h"

/* The cgroup's path if it can be found, else "cgroup 123". */
static const char *cgroup_name(struct env *env, struct arena *a, unsigned need, struct link_rec *r, uint64_t id)
{
	if (!id)
		return "(detached)";
	if (need & NEED_TARGET)
		r->cgroup_path = facts_cgroup(env->machine, id);
	return r->cgroup_path ? r->cgroup_path : arena_fmt(a, "cgroup %llu", llu(id));
}

#define LINK_FIELD_CGROUP_PATH(...) \
	LINK_FIELD(cgroup_path, "cgroup_path", "path of the cgroup below the mount", .need = NEED_TARGET, \
		   .flags = FIELD_NOPLAIN, ##__VA_ARGS__)

static void cgroup_derive(struct env *env, struct arena *a, unsigned need, struct link_rec *r)
{
	uint64_t id = r->info.cgroup.cgroup_id;

	r->attach_to = cgroup_name(env, a, need, r, id);
	r->at.cgroup_id = id;
	r->at.where = r->cgroup_path ? r->cgroup_path : arena_fmt(a, "cgroup:%llu", llu(id));
	r->gone = !id;
}

static const struct field cgroup_fields[] = {
	LINK_FIELD(info.cgroup.cgroup_id, "cgroup_id", "id of the cgroup, 0 once it is gone", .unit = FU_CGROUP,
		   .plain = "cgroup_id %  "),
	LINK_FIELD_ATTACH_TYPE,
	LINK_FIELD_CGROUP_PATH(),
};
const struct link_kind link_cgroup = {
	.type = ABI_LINK_CGROUP,
	.part = LINK_PART("cgroup", cgroup_fields),
	.derive = cgroup_derive,
	.detaches = true,
	.updates = true,
	.attach_type = offsetof(struct abi_link_info, cgroup.attach_type),
};

/* What an iterator walks decides which argument it has; in the info struct the arguments share their bytes. */
static bool one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

static void iter_derive(struct env *env, struct arena *a, unsigned need, struct link_rec *r)
{
	static const char *const of_map[] = { "bpf_map_elem", "bpf_sk_storage_map", NULL };
	static const char *const of_task[] = { "task", "task_file", "task_vma", NULL };
	const char *target = r->text ? r->text : "";

	if (one_of(target, of_map)) {
		r->own.iter.has_map = AVAIL_YES;
		r->at.map_id = r->info.iter.map_id;
		r->at.detail = arena_fmt(a, "map %u", r->at.map_id);
	} else if (one_of(target, of_task) && r->info.iter.task.tid) {
		r->own.iter.has_tid = AVAIL_YES;
		r->at.detail = arena_fmt(a, "thread %u", r->info.iter.task.tid);
	} else if (one_of(target, of_task) && r->info.iter.task.pid) {
		r->own.iter.has_pid = AVAIL_YES;
		r->at.detail = arena_fmt(a, "process %u", r->info.iter.task.pid);
	} else if (!strcmp(target, "cgroup")) {
		r->own.iter.has_cgroup = AVAIL_YES;
		r->at.cgroup_id = r->info.iter.cgroup.cgroup_id;
		r->attach_to = cgroup_name(env, a, need, r, r->at.cgroup_id);
		if (r->cgroup_path)
			r->attach_to = arena_fmt(a, "cgroup %s", r->cgroup_path);
		r->at.detail = r->attach_to;
		return;
	}
	if (r->at.detail)
		r->attach_to = arena_fmt(a, "%s of %s", target, r->at.detail);
}

static const char *const order_words[] = {
	"order_unspec", "self_only", "descendants_pre", "descendants_post", "ancestors_up",
};
static const struct names orders = NAMES(order_words);

#define LINK_FIELD_ITER(m, name, help, has, ...) FIELD_IF(link_rec, m, has, name, help, .col = 1, ##__VA_ARGS__)
static const struct field iter_fields[] = {
	LINK_FIELD_ITER(text, "target_name", "what the iterator walks, or the function of a tracing link", has_bufs,
			.plain = "target_name %  "),
	LINK_FIELD_ITER(info.iter.map_id, "map_id", "id of the map that it belongs to", own.iter.has_map,
			.unit = FU_MAP, .plain = "map_id %  "),
	LINK_FIELD_ITER(info.iter.task.tid, "tid", "thread that it walks, the only one", own.iter.has_tid,
			.unit = FU_PID, .plain = "tid % "),
	LINK_FIELD_ITER(info.iter.task.pid, "pid", "process that it walks, the only one", own.iter.has_pid,
			.unit = FU_PID, .plain = "pid % "),
	LINK_FIELD_ITER(info.iter.cgroup.cgroup_id, "cgroup_id", "cgroup where it begins", own.iter.has_cgroup,
			.unit = FU_CGROUP, .plain = "cgroup_id %  "),
	FIELD_AS(link_rec, info.iter.cgroup.order, FT_ENUM, "order", "how it walks the cgroups", .names = &orders,
		 .plain = "order %  ", FIELD_WHEN(link_rec, own.iter.has_cgroup), .col = 1),
	LINK_FIELD_CGROUP_PATH(FIELD_WHEN(link_rec, own.iter.has_cgroup)),
};
const struct link_kind link_iter = {
	.type = ABI_LINK_ITER,
	.part = LINK_PART("iter", iter_fields),
	.derive = iter_derive,
	.updates = true,
	.bufs = { LINK_BUF(iter.target_name, iter.target_name_len, 0) },
	.nbufs = 1,
};

static void struct_ops_derive(struct env *env, struct arena *a, unsigned need, struct link_rec *r)
{
	r->at.map_id = r->info.struct_ops.map_id;
	r->at.where = arena_fmt(a, "map:%u", r->at.map_id);
	r->gone = !r->at.map_id;
	r->attach_to = arena_fmt(a, "map %u", r->at.map_id);
}

static const struct field struct_ops_fields[] = {
	FIELD(link_rec, info.struct_ops.map_id, "map_id", "map that holds the operations", .unit = FU_MAP,
	      .plain = "map %  ", .col = 1),
};
const struct link_kind link_struct_ops = {
	.type = ABI_LINK_STRUCT_OPS,
	.part = LINK_PART("struct_ops", struct_ops_fields),
	.derive = struct_ops_derive,
	.detaches = true,
	.updates = true,
};
