/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/skel_internal.h>		/* needs errno.h */

#include "base/arena.h"
#include "base/err.h"
#include "cli/env.h"
#include "kernel/abi.h"
#include "kernel/log.h"
#include "load/inner.h"

static int can_make(const struct bpf_object *obj, struct err *e)
{
	struct bpf_map *m;
	size_t size = 0;

	bpf_object__for_each_map(m, obj) {
		/* libbpf 1.1 crashes, later ones refuse. */
		if (bpf_map__type(m) == BPF_MAP_TYPE_STRUCT_OPS)
			return err_set(e, -ENOTSUP, "cannot make a loader of it: it has struct_ops");
		/* libbpf, up to 1.5 at least, crashes: it copies their values into the arena, which only the loader would create. */
		if ((uint32_t)bpf_map__type(m) == ABI_MAP_ARENA && bpf_map__initial_value(m, &size) && size)
			return err_set(e, -ENOTSUP, "cannot make a loader of it: it has variables in an arena");
	}
	return 0;
}

int loader_make(struct loader *ret, struct bpf_object *obj, struct err *e)
{
	LIBBPF_OPTS(gen_loader_opts, opts);
	int err = can_make(obj, e);

	if (err)
		return err;
	err = bpf_object__gen_loader(obj, &opts);
	if (!err)
		err = bpf_object__load(obj);
	if (err) {
		err_sys(e, log_error(err), "cannot make a loader of it");
		return err_hint(e, "types of the running kernel are needed, and libbpf cannot make one of everything");
	}
	*ret = (struct loader){ .data = opts.data, .insns = opts.insns, .data_size = opts.data_sz, .insns_size = opts.insns_sz };
	return 0;
}

int load_loader_check(const struct load *l, struct err *e)
{
	struct bpf_map *m;

	if (l->q.reuse.n) {
		err_usage(e, "a loader makes all maps of a file: it cannot take one that is there");
		return err_hint(e, "leave out --use-loader, or 'map'");
	}
	bpf_object__for_each_map(m, l->obj) {
		if (!bpf_map__pin_path(m))
			continue;
		err_set(e, -ENOTSUP, "%s cannot be loaded by a loader: map %s is one that pins itself", l->q.path, bpf_map__name(m));
		return err_hint(e, "leave out --use-loader: libbpf pins such maps");
	}
	return 0;
}

/* What is handed to the loader: this, a description of each map, and one of each program, in the order of the file. */
struct call {
	struct bpf_loader_ctx *ctx;
	struct bpf_map_desc *maps;
	struct bpf_prog_desc *progs;
};

static struct call call_make(const struct load *l)
{
	struct call c;
	size_t size = sizeof(*c.ctx) + l->nmaps * sizeof(*c.maps) + l->nprogs * sizeof(*c.progs);

	c.ctx = arena_alloc(l->env->keep, size);
	c.maps = (struct bpf_map_desc *)(c.ctx + 1);
	c.progs = (struct bpf_prog_desc *)(c.maps + l->nmaps);
	c.ctx->sz = (uint32_t)size;
	return c;
}

static int refused(struct load *l, int err, enum loader_step step, struct err *e)
{
	struct load_prog *p = &l->progs[0];

	if (step == LOADER_LOAD) {
		err_sys(e, err, "cannot load the loader of %s", l->q.path);
		return err == -EINVAL ? err_hint(e, "programs of type syscall need Linux 5.14") : err;
	}
	if (step == LOADER_RUN && p->log[0])
		return load_explain(l, l->nprogs == 1 ? p : NULL, p->log, err, e);
	return err_sys(e, err, "cannot load %s", l->q.path);
}

/* Only if it fails the verifier is asked for its log: that of the last program that was tried, which had the buffer to itself. */
int load_loader_load(struct load *l, struct err *e)
{
	struct call c = call_make(l);
	struct loader loader;
	enum loader_step step;
	int err = loader_make(&loader, l->obj, e);

	if (err)
		return err_in(e, "%s", l->q.path);
	err = loader_run(&loader, c.ctx, c.ctx->sz, &step);
	if (err && step == LOADER_RUN && l->logs) {
		c.ctx->log_level = 1;
		c.ctx->log_size = (uint32_t)l->log_size;
		c.ctx->log_buf = (uintptr_t)l->logs;
		err = loader_run(&loader, c.ctx, c.ctx->sz, &step);
	}
	if (err)
		return refused(l, err, step, e);
	for (size_t i = 0; i < l->nmaps; i++)
		l->maps[i].fd = c.maps[i].map_fd;
	for (size_t i = 0; i < l->nprogs; i++)
		l->progs[i].fd = c.progs[i].prog_fd;
	return 0;
}

void load_loader_close(struct load *l)
{
	for (size_t i = 0; i < l->nmaps; i++)
		if (l->maps[i].fd >= 0)
			close(l->maps[i].fd);
	for (size_t i = 0; i < l->nprogs; i++)
		if (l->progs[i].fd >= 0)
			close(l->progs[i].fd);
}
