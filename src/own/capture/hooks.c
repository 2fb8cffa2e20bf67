/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/capture/hooks.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "base/message.h"
#include "kernel/bpf.h"
#include "kernel/perf/event.h"

#include "own/capture/fentry.bpf.inc"
#include "own/capture/symbol.bpf.inc"
#include "own/capture/kprobe.bpf.inc"
#include "own/capture/exit.bpf.inc"
#include "own/capture/close.bpf.inc"
enum program { FENTRY, SYMBOL, KPROBE, EXIT, CLOSE };
static const struct own_program programs[] = {
	[FENTRY] = OWN_PROGRAM(fentry), [SYMBOL] = OWN_PROGRAM(symbol), [KPROBE] = OWN_PROGRAM(kprobe),
	[EXIT] = OWN_PROGRAM(exit),	[CLOSE] = OWN_PROGRAM(close),
};

#define LIMIT_MS 20000 /* to verify 50,000 instructions, perhaps under emulation */

/* The last way only watches system calls; in the others, one program watches those that bind maps. */
static const struct hook_way {
	const char *name;
	enum program program[CAPTURE_HOOKS];
	unsigned n;
	bool more; /* one more after these if it is needed: is_preempted() */
} ways[] = {
	{ "function", { FENTRY, FENTRY, EXIT }, 3, false },
	{ "function", { SYMBOL, SYMBOL, EXIT }, 3, false },
	{ "probe", { KPROBE, EXIT }, 2, false },
	{ "system calls", { EXIT, CLOSE, EXIT }, 2, true },
};

/*
 * May the program at the exit of system calls be preempted? Then it misses what another task does meanwhile, because
 * the kernel does not run it twice on a CPU; a second one does not. Linux 6.13 moved the disabling of preemption from
 * these tracepoints to the programs, and a later one replaced it there by the disabling of migration: in 7.2, not yet
 * in 6.18. Kernels with the changes of others have it at any release, so the program looks: at our own calls, which
 * have attached it.
 */
static bool is_preempted(const struct capture_hooks *h)
{
	const volatile struct capture_state *s = h->hook[0].loaded.shared;

	return !s || s->runs != CAPTURE_ALONE;
}

/* Learn from our own descriptors how to recognize those of programs and links. */
static int learn(const struct own_loaded *l, int fd, bool link)
{
	uint64_t args[2] = { 0, (uint64_t)fd | (link ? CAPTURE_LINK : 0) };

	return own_run(l, args, sizeof(args), NULL);
}

/* Before any of them runs. The programs that a function calls learn from the one that watches system calls. */
static int learn_all(struct capture_hooks *h, const struct hook_way *w, unsigned from)
{
	const struct capture_state *learned = NULL;
	int err = 0;

	for (unsigned i = from; !err && i < h->n; i++) {
		if (w->program[i] != EXIT && w->program[i] != CLOSE)
			continue;
		err = learn(&h->hook[i].loaded, h->hook[i].loaded.prog, false);
		if (w->program[i] == EXIT)
			learned = h->hook[i].loaded.shared;
	}
	for (unsigned i = from; !err && learned && i < h->n; i++) {
		struct capture_state *s = h->hook[i].loaded.shared;

		if (s)
			s->numbers = learned->numbers;
	}
	return err;
}

/* The type of perf events that are kprobes. 0, or -errno: this kernel has none. */
static int kprobe_type(uint64_t *ret)
{
	STR type = { 0 };
	int err = str_read_file(&type, "/sys/bus/event_source/devices/kprobe/type", 64);

	if (err)
		return err;
	if (type.n && type.p[type.n - 1] == '\n')
		type.p[--type.n] = '\0';
	return num_parse_u64(type.p ? type.p : "", ret) ? -EBADMSG : 0;
}

static int kprobe_attach(int prog)
{
	CLEAN_FD event = -1;
	uint64_t number;
	int err = kprobe_type(&number);

	if (err)
		return err;
	event = perf_event_make(&(struct perf_wish){
		.type = (uint32_t)number, .config1 = (uintptr_t) "perf_event_bpf_event", .pid = -1 });
	if (event < 0)
		return event;
	/* BPF_LINK_CREATE for perf events would need Linux 5.15. */
	if (ioctl(event, PERF_EVENT_IOC_SET_BPF, prog) || ioctl(event, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return TAKE_FD(event);
}

static int hook_attach(struct own *own, struct capture_hook *h, enum program p)
{
	static const char *const tracepoints[] = {
		[EXIT] = "sys_exit", [CLOSE] = "sys_enter"
	}; /* NULL: attached to the function it was loaded for */
	int err = 0;

	h->at = p == KPROBE ? kprobe_attach(h->loaded.prog) : raw_tracepoint_link(tracepoints[p], h->loaded.prog, 0);
	if (h->at < 0)
		return h->at;
	if (p != KPROBE)
		err = own_note(own, OBJECT_LINK, h->at);
	return err || p != EXIT ? err : learn(&h->loaded, h->at, true);
}

struct given { /* what each program gets */
	const struct own_map *maps;
	uint32_t cpus, wake;
};

static int hook_load(struct own *own, enum program p, bool bind_only, const struct given *g, uint32_t slot,
		     struct own_loaded *ret)
{
	const struct own_const of_exit[] = {
		{ "slot", slot },
		{ "cpus", g->cpus },
		{ "wake", g->wake },
		{ "bind_only", bind_only },
		{ "nr_bpf", SYS_bpf },
		{ "nr_bpf_compat", SYS_BPF_COMPAT },
		{ "nr_setsockopt", SYS_setsockopt },
		{ "nr_seccomp", SYS_seccomp },
		{ "nr_prctl", SYS_prctl },
		{ NULL, 0 },
	};
	const struct own_const of_close[] = {
		{ "slot", slot }, { "cpus", g->cpus }, { "wake", g->wake }, { "nr_close", SYS_close }, { NULL, 0 }
	};
	const struct own_const of_others[] = {
		{ "slot", slot }, { "cpus", g->cpus }, { "wake", g->wake }, { NULL, 0 }
	};

	return own_load_with(own, &programs[p],
			     p == EXIT	? of_exit :
			     p == CLOSE ? of_close :
					  of_others,
			     g->maps, LIMIT_MS, ret);
}

/* Load and attach the programs of @w from @from on, up to @to. */
static int some_open(struct capture_hooks *h, struct own *own, const struct given *g, const struct hook_way *w,
		     unsigned from, unsigned to)
{
	int err = 0;

	h->n = to;
	for (unsigned i = from; i < to; i++)
		h->hook[i].at = -1;
	for (unsigned i = from; !err && i < to; i++)
		err = hook_load(own, w->program[i], w->program[0] != EXIT, g, i, &h->hook[i].loaded);
	if (!err)
		err = learn_all(h, w, from);
	for (unsigned i = from; !err && i < to; i++) {
		err = hook_attach(own, &h->hook[i], w->program[i]);
		if (err && own->debug)
			message("own: program %s not attached: %s", programs[w->program[i]].name, err_text(err));
	}
	return err;
}

static int way_open(struct capture_hooks *h, struct own *own, const struct given *g, const struct hook_way *w)
{
	uint64_t type;
	/* Not after loading its programs. */
	int err = w->program[0] == KPROBE ? kprobe_type(&type) : 0;

	*h = (struct capture_hooks){ .way = w->name };
	if (!err)
		err = some_open(h, own, g, w, 0, w->n);
	if (!err && w->more && is_preempted(h))
		err = some_open(h, own, g, w, w->n, w->n + 1);
	if (err)
		capture_hooks_close(h);
	return err;
}

int capture_hooks_open(struct capture_hooks *h, struct own *own, const struct own_map *maps, uint32_t cpus,
		       uint32_t wake)
{
	const struct given given = { maps, cpus, wake };
	int err = -ENOSYS;

	for (unsigned i = 0; err && !own->error && i < ARRAY_SIZE(ways); i++) {
		/* Without the right to attach to one function there is none to attach to another. */
		if (err == -EPERM && ways[i].program[0] == SYMBOL)
			continue;
		err = way_open(h, own, &given, &ways[i]);
	}
	return own->error ? own->error : err;
}

void capture_hooks_detach(struct capture_hooks *h)
{
	for (unsigned i = 0; i < h->n; i++)
		clean_fd(&h->hook[i].at);
}

void capture_hooks_close(struct capture_hooks *h)
{
	capture_hooks_detach(h);
	for (unsigned i = 0; i < h->n; i++)
		own_close(&h->hook[i].loaded);
	*h = (struct capture_hooks){ 0 };
}
