/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/bpf.h>

#include "cli/env.h"
#include "doctor/check.h"
#include "source/features.h"
#include "kernel/abi.h"

/* Features that bpflens itself uses (own/). */
enum access_way { WAY_CALL, WAY_PROG, WAY_MAP };
static const struct wanted_try {
	const char *check, *what;
	enum access_way way;
	uint32_t type, attach;
	enum check_state without;
	const char *consequence;
} wanted[] = {
	{ "bpf_syscall", "bpf(2)", WAY_CALL, 0, 0, CHECK_MISSING, "nothing can be listed or loaded" },
	{ "iterators", "BPF iterators", WAY_PROG, BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, CHECK_LIMITED,
	  "processes that hold objects are found by reading /proc, which takes longer, and elements are counted by walking maps" },
	{ "trampolines", "fentry programs", WAY_PROG, BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, CHECK_LIMITED,
	  "`record` traces bpf(2) with a kprobe or a tracepoint" },
	{ "ring_buffer", "ring buffers", WAY_MAP, ABI_MAP_RINGBUF, 0, CHECK_LIMITED,
	  "`record` and `events --syscalls` do not run" },
};

static int why_not(const struct feature_answer *a, const struct wanted_try *w)
{
	return w->way == WAY_CALL ? a->call : w->way == WAY_MAP ? a->map[w->type] : feature_way(a, w->type, w->attach);
}

static void try_check(struct doctor *d, const struct wanted_try *w, int why)
{
	const enum feature_state state = feature_state(why);
	struct check_rec rec = { w->check, CHECK_OK, arena_fmt(d->env->keep, "the kernel supports %s", w->what), NULL,
				 NULL };

	if (w->way == WAY_CALL)
		rec.fact = arena_fmt(d->env->keep, "%s is there", w->what);
	if (state == FEATURE_UNKNOWN)
		rec = (struct check_rec){ w->check, CHECK_UNKNOWN, "it was not tried", NULL, NULL };
	else if (state == FEATURE_REFUSED)
		rec = (struct check_rec){ w->check, w->without,
					  arena_fmt(d->env->keep, "%s: refused [%s]", w->what, err_name(-why)),
					  w->consequence, NULL };
	else if (state == FEATURE_NOT)
		rec = (struct check_rec){ w->check, w->without,
					  arena_fmt(d->env->keep, "%s: not supported by this kernel", w->what),
					  w->consequence, "use a newer kernel, or one built with it" };
	check_add(d, rec);
}

void checks_kernel(struct doctor *d)
{
	struct feature_answer *answer;
	const int err = feature_ask_all(d->env->machine, 0, 0, d->env->keep, &answer);

	if (err == -ETIME)
		check_add(
			d,
			(struct check_rec){
				"program_loads", CHECK_MISSING, "the kernel does not respond",
				"every load of a program hangs; reading commands continue without programs of their own",
				"a reboot" });
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		try_check(d, &wanted[i], err ? -1 : why_not(answer, &wanted[i]));
}
