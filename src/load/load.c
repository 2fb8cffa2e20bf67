/* SPDX-License-Identifier: BSD-2-Clause */
#include "load/load.h"

#include <bpf/libbpf.h>
#include <sys/mman.h>

#include "cli/env.h"
#include "cli/abbrev.h"
#include "host/delegation.h"
#include "host/elf/elf.h"
#include "kernel/abi.h"
#include "kernel/elem.h"
#include "kernel/log.h"
#include "kernel/secname.h"
#include "load/steps.h"
#include "load/verdict.h"
#include "object/coverage/coverage.h"
#include "object/file.h"
#include "object/refusals.h"

/* Bytes for the verifier's log of one program: as many as the kernel accepts, or fewer if memory is short. */
#define LOG_MOST (UINT32_MAX >> 8)
#define LOG_LEAST (64u << 10)
/* A log of all instructions may need much more, which the kernel accepts since 5.2. */
#define LOG_EACH (UINT32_MAX >> 2)
/* With -d, as bpftool: all instructions with their states, and statistics. */
#define LOG_DEBUG_LEVEL 7

void load_names_add(struct load_names *names, const char *name)
{
	ARRAY_MORE(names->word, names->n, names->cap);
	names->word[names->n++] = (struct word){ .name = name };
}

int load_unknown(const struct load *l, const char *what, const char *name, struct load_names *names, struct err *e)
{
	const char *near = abbrev_nearest(names->word, names->n, name);
	STR list = { 0 };

	err_set(e, -ENOENT, "%s has no %s '%s'", l->q.path, what, name);
	for (size_t i = 0; i < names->n && list.n < 300; i++)
		str_fmt(&list, "%s%s", i ? ", " : "", names->word[i].name);
	if (near)
		err_hint(e, "did you mean '%s'?", near);
	else if (names->n)
		err_hint(e, "it has: %s", list.p);
	free(names->word);
	return e->code;
}

bool load_has(const struct load *l, bool has, const void *word)
{
	if (has && l->q.found)
		*hash_put(l->q.found, load_word_key(word)) = l->q.found;
	return has || l->q.found;
}

static void maps_list(struct load *l)
{
	struct bpf_map *m;
	size_t n = 0;

	bpf_object__for_each_map(m, l->obj)
		n++;
	l->maps = arena_array(l->env->keep, n, sizeof(*l->maps));
	bpf_object__for_each_map(m, l->obj)
		l->maps[l->nmaps++] = (struct load_map){ .map = m, .fd = -1 };
}

static int no_program(const struct load *l, const char *name, struct err *e)
{
	struct load_names names = { 0 };
	struct bpf_program *p;

	bpf_object__for_each_program(p, l->obj)
		load_names_add(&names, bpf_program__name(p));
	return load_unknown(l, "program", name, &names, e);
}

/* libbpf up to 1.1 takes a single function in .text, which has no type, for a program; bpftool does not since 7.1. */
static bool is_function(const struct load *l, const struct bpf_program *p)
{
	return l->env->opts->as_bpftool && !l->q.type && !strcmp(bpf_program__section_name(p), ".text");
}

static int progs_choose(struct load *l, struct err *e)
{
	const char *only = l->q.only;
	struct bpf_program *p;
	size_t n = 0;
	int err = l->q.choose ? l->q.choose(l->q.choose_ctx, l->obj, e) : 0;

	if (err)
		return err;
	bpf_object__for_each_program(p, l->obj) {
		if (only)
			bpf_program__set_autoload(p, !strcmp(bpf_program__name(p), only));
		else if (is_function(l, p))
			bpf_program__set_autoload(p, false);
		n += bpf_program__autoload(p);
	}
	if (!n && only)
		return no_program(l, only, e);
	if (!n && l->q.maps_alone && (l->nmaps || l->env->opts->as_bpftool))
		str_fit(l->env->report->note, sizeof(l->env->report->note),
			"%s has no program that is loaded by default", l->q.path);
	else if (!n && !l->q.choose && object_explain_refused("load", l->q.path, l->q.bytes, NULL, -ENOEXEC, e))
		return e->code;
	else if (!n && !l->q.choose)
		return err_set(e, -ENOENT, "%s has no program that is loaded by default", l->q.path);
	l->progs = arena_array(l->env->keep, n, sizeof(*l->progs));
	bpf_object__for_each_program(p, l->obj)
		if (bpf_program__autoload(p))
			l->progs[l->nprogs++] = (struct load_prog){ .prog = p, .fd = -1, .log = "" };
	return 0;
}

static int progs_type(struct load *l, struct err *e)
{
	const char *name = l->q.type;
	struct secname_guess as;

	if (!name)
		return load_sections(l->obj, e);
	as = secname_guess(name);
	if (!as.hook) {
		err_usage(e, "'%s' is not a section name that determines a program type", name);
		return err_hint(
			e, "types are named like sections: xdp, socket, kprobe, tracepoint, tc, cgroup/skb, sk_lookup");
	}
	for (size_t i = 0; i < l->nprogs; i++)
		load_type_set(l->progs[i].prog, &as);
	return 0;
}

static int progs_device(struct load *l, struct err *e)
{
	const struct load_request *q = &l->q;
	uint32_t ifindex = q->dev ? device_index(q->dev) : 0;

	if (!q->dev)
		return 0;
	if (!ifindex)
		return err_sys(e, -errno, "unrecognized netdevice '%s'", q->dev);
	for (size_t i = 0; i < l->nprogs; i++) {
		bpf_program__set_ifindex(l->progs[i].prog, ifindex);
		if (q->dev_bound)
			bpf_program__set_flags(l->progs[i].prog,
					       bpf_program__flags(l->progs[i].prog) | ABI_PROG_XDP_DEV_BOUND_ONLY);
	}
	/* A program bound to a device runs on the host, and so do its maps. */
	for (size_t i = 0; i < l->nmaps && !q->dev_bound; i++)
		if (bpf_map__type(l->maps[i].map) != BPF_MAP_TYPE_PERF_EVENT_ARRAY)
			bpf_map__set_ifindex(l->maps[i].map, ifindex);
	return 0;
}

/* One mapping for all logs, a part for each program. Only the pages that the verifier writes to use memory. */
static void logs_make(struct load *l)
{
	size_t n;

	for (n = l->q.log_level == VERIFIER_EACH ? LOG_EACH : LOG_MOST; n >= LOG_LEAST && !l->logs && l->nprogs;
	     n /= 4) {
		void *p = mmap(NULL, n * l->nprogs, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			       -1, 0);

		if (p == MAP_FAILED)
			continue;
		l->logs = p;
		l->log_size = n;
	}
	for (size_t i = 0; i < l->nprogs && l->logs; i++) {
		l->progs[i].log = l->logs + i * l->log_size;
		bpf_program__set_log_buf(l->progs[i].prog, l->logs + i * l->log_size, l->log_size);
		if (l->env->opts->debug || l->q.log_level)
			bpf_program__set_log_level(l->progs[i].prog,
						   l->env->opts->debug ? LOG_DEBUG_LEVEL : l->q.log_level);
	}
}

/* libbpf copies the path. */
static void token_set(struct bpf_object_open_opts *opts, const char *path)
{
#if LIBBPF_MAJOR_VERSION > 1 || LIBBPF_MINOR_VERSION >= 4
	opts->bpf_token_path = path;
#else
#endif
}

/* A damaged file may crash libbpf, and an old one leaves out in silence what it does not know. */
static int file_check(struct load *l, struct err *e)
{
	const struct str *bytes = l->q.bytes;
	struct object *o = arena_alloc(l->env->keep, sizeof(*o));
	const char *why;
	int err = object_read(o, l->q.path, bytes->p ? bytes->p : "", bytes->n, l->env->keep, e);

	if (err)
		return err;
	l->object = o;
	why = object_unloadable(o);
	return why ? err_set(e, -ENOTSUP, "cannot load %s: %s", l->q.path, why) : 0;
}

static int file_cover(struct load *l, struct err *e)
{
	struct covered covered;
	const struct coverage_ask ask = { .path = l->q.path, .refused = &l->q.uncounted };
	int err;

	if (!l->q.coverage)
		return 0;
	err = coverage_add(&l->counted, &covered, &ask, l->q.bytes, l->env->keep, e);
	if (err)
		return err;
	l->q.bytes = &l->counted;
	coverage_note(&covered, l->q.path, l->env->report);
	return 0;
}

static int file_open(struct load *l, struct err *e)
{
	const struct load_request *q = &l->q;
	LIBBPF_OPTS(bpf_object_open_opts, opts, .relaxed_maps = q->relaxed_maps, .btf_custom_path = q->kernel_btf);
	const char *slash = strrchr(q->path, '/'), *name = slash ? slash + 1 : q->path;
	STR token = { 0 };
	int err = q->bytes ? 0 : object_bytes(&l->file, q->path);

	if (err)
		return err_sys(e, err, "cannot open object file %s", q->path);
	if (!q->bytes)
		l->q.bytes = &l->file;
	err = file_cover(l, e);
	if (!err)
		err = file_check(l, e);
	if (err)
		return err;
	if (!getenv("LIBBPF_BPF_TOKEN_PATH") && delegation_find(&token))
		token_set(&opts, token.p);
	/* the name that libbpf would derive from the file's */
	opts.object_name = arena_str(l->env->keep, name, strcspn(name, "."));
	l->obj = bpf_object__open_mem(q->bytes->p, q->bytes->n, &opts);
	if (l->obj) {
		maps_list(l);
		return 0;
	}
	err = object_explain("open", q->path, q->bytes, log_error(-errno), e);
	return elf_is_other_order(q->bytes->p, q->bytes->n) ? elf_hint_other_order(e) : err;
}

int load_open(struct load *l, struct env *env, const struct load_request *q, struct err *e)
{
	int err;

	l->env = env;
	l->q = *q;
	err = file_open(l, e);
	if (!err && q->loader.use)
		err = load_loader_check(l, e);
	if (!err)
		err = progs_choose(l, e);
	if (!err)
		err = progs_type(l, e);
	if (!err)
		err = progs_device(l, e);
	if (!err)
		err = load_maps(l, e);
	if (!err)
		err = load_variables(l, e);
	/* Not of an object that is only opened, nor of one that is only verified: the verifier's answer does not depend
	 * on it. */
	if (!err && !(q->choose && !l->nprogs) && !q->log_level)
		err = load_slots_check(l, e);
	if (!err)
		logs_make(l);
	return err;
}

static const struct load_prog *rejected(const struct load *l)
{
	for (size_t i = 0; i < l->nprogs; i++)
		if (l->progs[i].log[0])
			return &l->progs[i];
	return NULL;
}

/* libbpf does not print logs that go to buffers of ours. */
static void logs_print(const struct load *l)
{
	for (size_t i = 0; i < l->nprogs && l->env->opts->debug; i++)
		if (l->progs[i].log[0])
			load_log_print(&l->progs[i], l->progs[i].log);
}

int load_load(struct load *l, struct err *e)
{
	const struct load_prog *p;
	int err;

	if (l->q.loader.use)
		return load_loader_load(l, e);
	err = load_maps_note(l, e);
	if (err)
		return err;
	err = log_error(bpf_object__load(l->obj));
	p = err ? rejected(l) : NULL;
	if (err && l->q.log_level && load_slots_check(l, e))
		return e->code;
	if (p)
		return load_explain(l, p, p->log, err, e);
	if (err)
		return load_explain_library(l, err, e);
	for (size_t i = 0; i < l->nprogs; i++)
		l->progs[i].fd = bpf_program__fd(l->progs[i].prog);
	logs_print(l);
	for (size_t i = 0; i < l->nmaps; i++)
		l->maps[i].fd = bpf_map__fd(l->maps[i].map);
	return 0;
}

/* A pinned link stays attached: bpf_link__destroy() alone would disable its perf event. */
static void link_close(struct load *l, struct bpf_link *link)
{
	if (l->kept && link)
		bpf_link__disconnect(link);
	bpf_link__destroy(link);
}

void load_did(struct load *l, void (*undo)(const void *ctx), const void *ctx)
{
	ARRAY_MORE(l->steps, l->nsteps, l->steps_room);
	l->steps[l->nsteps++] = (struct load_step){ undo, ctx };
}

void load_close(struct load *l)
{
	while (!l->kept && l->nsteps) {
		const struct load_step *s = &l->steps[--l->nsteps];

		s->undo(s->ctx);
	}
	free(l->steps);
	for (size_t i = 0; i < l->nprogs; i++)
		link_close(l, l->progs[i].link);
	if (l->q.loader.use)
		load_loader_close(l);
	bpf_object__close(l->obj);
	str_release(&l->file);
	str_release(&l->counted);
	if (l->logs)
		munmap(l->logs, l->log_size * l->nprogs);
	*l = (struct load){ 0 };
}
