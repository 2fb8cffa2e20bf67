/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/prog.h"

#include "types/btf.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "code/info.h"
#include "source/facts.h"
#include "source/info.h"
#include "source/lives.h"
#include "source/source.h"
#include "kernel/names.h"

#define KERNEL_NAME_MAX (sizeof(((struct abi_prog_info *)0)->name) - 1)

static bool funcs_whole(struct env *env, uint32_t id, const struct abi_prog_info *info, const struct blob *funcs)
{
	if (funcs->n / info->func_info_rec_size >= info->nr_func_info)
		return true;
	note_refused(env->machine, -EBADMSG, Q_PROG_FUNC_INFO, id);
	return false;
}

/*
 * The kernel truncates names to 15 characters; the full name is that of the program's first function, in its BTF. On
 * every failure the short name is used.
 */
static const char *prog_name_read(struct env *env, struct arena *a, uint32_t id, const struct abi_prog_info *info,
				  unsigned need)
{
	size_t n = strnlen(info->name, KERNEL_NAME_MAX);
	const struct btf_type *func;
	const struct btf_types *types;
	struct func_record first;
	struct blob funcs;

	if (!n)
		return NULL;
	if (n == KERNEL_NAME_MAX && (need & NEED_BTF) && info->btf_id && info->nr_func_info &&
	    info->func_info_rec_size >= sizeof(first) && !ask(env->machine, a, &funcs, Q_PROG_FUNC_INFO, id) &&
	    funcs_whole(env, id, info, &funcs) && !btf_get(env->machine, info->btf_id, &types, NULL)) {
		memcpy(&first, funcs.p, sizeof(first));
		func = btf_type(types, first.type_id);
		if (func && btf_kind_of(func) == BTF_KIND_FUNC && *btf_name(types, first.type_id))
			return arena_fmt(a, "%s", btf_name(types, first.type_id));
	}
	return arena_str(a, info->name, n);
}

static void memlock_read(struct env *env, struct arena *a, uint32_t id, struct prog_rec *r)
{
	struct blob text;

	if (ask_text(env->machine, a, &text, question_of(Q_FDINFO, OBJECT_PROG), id))
		r->has_memlock = AVAIL_UNKNOWN;
	else if (fdinfo_u64(text, "memlock", &r->memlock))
		r->has_memlock = AVAIL_YES;
}

/* tp_btf programs are loaded for a typedef of the tracepoint's function. */
static const char *prog_target_name(const char *name)
{
	static const char tracepoint[] = "btf_trace_";

	return !strncmp(name, tracepoint, sizeof(tracepoint) - 1) ? name + sizeof(tracepoint) - 1 : name;
}

static void target_read(struct env *env, struct arena *a, struct prog_rec *r)
{
	const struct btf_types *types;

	if (!r->info.attach_btf_obj_id || !r->info.attach_btf_id)
		return;
	if (btf_get(env->machine, r->info.attach_btf_obj_id, &types, NULL)) {
		r->has_target = AVAIL_UNKNOWN;
		return;
	}
	r->attach_to = arena_fmt(a, "%s", prog_target_name(btf_name(types, r->info.attach_btf_id)));
	r->has_target = AVAIL_YES;
}

static void load_derive(struct env *env, struct prog_rec *r)
{
	uint64_t boot;

	if (!r->info.load_time)
		return;
	boot = facts_boot_ns(env->machine);
	r->has_load = AVAIL_YES;
	r->has_time = boot ? AVAIL_YES : AVAIL_UNKNOWN;
	r->loaded_at = (boot + r->info.load_time) / NSEC_PER_SEC;
}

/* Facts that only a recording has. */
static void life_read(struct env *env, uint32_t id, struct prog_rec *r)
{
	const struct life *l = facts_life(env->machine, id);
	const uint64_t boot = l && l->gone ? facts_boot_ns(env->machine) : 0;

	if (!l)
		return;
	r->has_loader = l->has_loader ? AVAIL_YES : AVAIL_NO;
	r->has_loader_pid = l->has_loader && l->pid ? AVAIL_YES : AVAIL_NO;
	r->loader = l->comm;
	r->loader_pid = l->pid;
	r->has_gone = !l->gone ? AVAIL_NO : boot && l->gone_at ? AVAIL_YES : AVAIL_UNKNOWN;
	r->gone_at = (boot + l->gone_at) / NSEC_PER_SEC;
	/* The kernel drops the counts with the program; those that were read are older. */
	if (l->gone)
		r->has_stats = AVAIL_NO;
}

/* A program without counted runs may never have run, or only while runs were not counted. */
enum avail prog_counts_runs(struct env *env, const struct abi_prog_info *info, uint32_t info_len)
{
	int counts = 0;

	if (info->run_time_ns || info->run_cnt)
		return AVAIL_YES;
	if (info_len >= offsetof(struct abi_prog_info, recursion_misses))
		counts = facts_counts_runs(env->machine);
	return counts < 0 ? AVAIL_UNKNOWN : counts ? AVAIL_YES : AVAIL_NO;
}

int prog_read(struct env *env, struct arena *a, uint32_t id, unsigned need, void *rec, struct err *e)
{
	struct prog_rec *r = rec;
	struct abi_prog_info info = { 0 };
	uint32_t len = sizeof(info);
	struct err why = { 0 };
	int err = prog_info_len(env->machine, a, id, &info, &len, &why);

	if (err && err != -ENODEV) {
		if (e && !e->code)
			*e = why;
		return err;
	}
	memset(r, 0, sizeof(*r));
	r->info = info;
	r->info.id = id;
	r->info_len = len;
	r->orphaned = err == -ENODEV;
	r->type = btf_word(env->machine, &names_prog_type, info.type);
	r->name = prog_name_read(env, a, id, &info, need);
	r->gpl_compatible = info.flags & ABI_PROG_GPL;
	r->jited = info.jited_prog_len != 0;
	/* The kernel hides both sizes from processes without CAP_BPF. */
	r->has_code = info.xlated_prog_len || r->orphaned ? AVAIL_YES : AVAIL_UNKNOWN;
	r->has_jited = r->jited ? AVAIL_YES : r->has_code == AVAIL_YES ? AVAIL_NO : AVAIL_UNKNOWN;
	r->has_stats = need & NEED_STATS		? prog_counts_runs(env, &info, len) :
		       info.run_time_ns || info.run_cnt ? AVAIL_YES :
							  AVAIL_NO;
	load_derive(env, r);
	life_read(env, id, r);
	object_offload_read(env, a, info.ifindex, info.netns_dev, info.netns_ino, &r->offload);
	if (need & (NEED_USED | NEED_MAPS))
		r->has_map_ids =
			prog_maps(env->machine, a, id, &r->info, &r->map_ids, &r->nmap_ids) ? AVAIL_UNKNOWN : AVAIL_YES;
	if (need & NEED_FDINFO)
		memlock_read(env, a, id, r);
	if (need & NEED_MAPS)
		r->has_metadata = prog_metadata_read(env, r->map_ids, r->nmap_ids, &r->metadata, &r->nmetadata) ?
					  AVAIL_UNKNOWN :
					  AVAIL_YES;
	if (need & NEED_TARGET)
		target_read(env, a, r);
	object_owners_read(env, a, OBJECT_PROG, id, need, &r->owners);
	prog_join(env, a, need, r);
	return 0;
}

int prog_label(struct env *env, struct arena *a, uint32_t id, struct object_label *ret, struct err *e)
{
	struct abi_prog_info info;
	const char *name;
	char *tag;
	int err = prog_info(env->machine, a, id, &info, e);

	if (err)
		return err;
	name = prog_name_read(env, a, id, &info, NEED_BTF);
	tag = arena_alloc(a, 2 * sizeof(info.tag) + 1);
	for (size_t i = 0; i < sizeof(info.tag); i++)
		memcpy(tag + 2 * i, num_hex2[info.tag[i]], 2);
	*ret = (struct object_label){ btf_word(env->machine, &names_prog_type, info.type), name ? name : "", tag };
	return 0;
}
