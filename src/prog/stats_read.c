/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/stats.h"

#include "cli/env.h"
#include "kernel/bpf.h"
#include "prog/prog.h"
#include "source/facts.h"
#include "source/info.h"

static void seen_add(struct stats_look *l, const struct abi_prog_info *info, const char *type, const char *name)
{
	stats_add(l, &(const struct stats_seen){
			     .id = info->id,
			     .load_time = info->load_time,
			     .run_cnt = info->run_cnt,
			     .run_time_ns = info->run_time_ns,
			     .recursion_misses = info->recursion_misses,
			     .type = type,
			     .name = name,
		     });
}

int stats_read(struct env *env, uint32_t id, const struct stats_look *before, struct stats_look *l, struct err *e)
{
	const struct stats_seen *was = stats_find(before, id);
	ARENA_SCOPE(env->arena);
	struct abi_prog_info info;
	struct err why = { 0 };
	struct prog_rec r;
	int err;

	if (was && !prog_info(env->machine, env->arena, id, &info, &why) && info.load_time == was->load_time) {
		info.id = id;
		seen_add(l, &info, was->type, was->name);
		return 0;
	}
	err = prog_read(env, env->arena, id, NEED_BTF, &r, e);
	if (!err)
		seen_add(l, &r.info, r.type, r.name);
	return err;
}

int counting_begin(struct env *env, struct err *e)
{
	int fd = sys_stats_enable(); /* close-on-exec */

	if (fd >= 0 || facts_counts_runs(env->machine) > 0)
		return fd;
	if (fd == -EINVAL) {
		err_set(e, fd, "this kernel cannot count runs on request (since Linux 5.8)");
		return err_hint(e, "`sysctl kernel.bpf_stats_enabled=1` enables counting permanently");
	}
	err_sys(e, fd, "the kernel refuses to count runs");
	return fd == -EPERM ? err_hint(e,
				       "counting on request needs CAP_SYS_ADMIN; with kernel.bpf_stats_enabled=1 "
				       "the kernel always counts") :
			      fd;
}
