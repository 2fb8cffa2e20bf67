/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/libbpf.h>

#include "base/message.h"
#include "cli/env.h"
#include "host/sign.h"
#include "kernel/abi.h"
#include "kernel/log.h"
#include "load/steps.h"

static int can_make(const struct bpf_object *obj, struct err *e)
{
	struct bpf_map *m;
	size_t size = 0;

	bpf_object__for_each_map(m, obj) {
		/* libbpf 1.1 crashes, later ones refuse. */
		if (bpf_map__type(m) == BPF_MAP_TYPE_STRUCT_OPS)
			return err_set(e, -ENOTSUP, "cannot make a loader: the file has struct_ops");
		/* libbpf, at least up to 1.5, crashes: it copies their values into the arena, which only the loader
		 * would create. */
		if ((uint32_t)bpf_map__type(m) == ABI_MAP_ARENA && bpf_map__initial_value(m, &size) && size)
			return err_set(e, -ENOTSUP, "cannot make a loader: the file has variables in an arena");
	}
	return 0;
}

/* Since libbpf 1.7 a loader can compare its data with the signed data. A loader that does not is not worth signing. */
static int hash_ask(struct gen_loader_opts *opts, struct err *e)
{
#if LIBBPF_MAJOR_VERSION > 1 || LIBBPF_MINOR_VERSION >= 7
	opts->gen_hash = true;
	return 0;
#else
	err_set(e, -ENOTSUP, "cannot sign: loaders of libbpf %s do not check what they load", log_library());
	return err_hint(e, "build this program with libbpf 1.7 or newer");
#endif
}

int loader_opts_complete(struct loader_opts *o, struct err *e)
{
	if (!o->sign && (o->key || o->cert))
		return err_usage(e, "'%s' requires '--sign'", o->key ? "--private-key" : "--certificate");
	if (o->sign && (!o->key || !o->cert))
		return err_usage(e, "'--sign' requires '%s FILE'", o->key ? "--certificate" : "--private-key");
	o->use |= o->sign;
	return 0;
}

int loader_make(struct loader *ret, const struct loader_signature **ret_signature, struct bpf_object *obj,
		const struct loader_opts *opts, struct arena *a, struct err *e)
{
	LIBBPF_OPTS(gen_loader_opts, gen);
	struct loader_signature *signature = opts->sign ? arena_alloc(a, sizeof(*signature)) : NULL;
	int err = can_make(obj, e);

	if (!err)
		err = load_sections(obj, e);
	if (!err && signature)
		err = hash_ask(&gen, e);
	if (err)
		return err;
	err = bpf_object__gen_loader(obj, &gen);
	if (!err)
		err = bpf_object__load(obj);
	if (err) {
		err_sys(e, log_error(err), "cannot make a loader");
		return err_hint(e,
				"libbpf needs the types of the running kernel, and cannot make a loader of every file");
	}
	*ret = (struct loader){
		.data = gen.data, .insns = gen.insns, .data_size = gen.data_sz, .insns_size = gen.insns_sz
	};
	*ret_signature = signature;
	return signature ? sign_loader(signature, ret, opts->key, opts->cert, a, e) : 0;
}

int load_loader_check(const struct load *l, struct err *e)
{
	struct bpf_map *m;

	if (l->q.reuse.n) {
		err_usage(e, "a loader creates all maps of a file: it cannot reuse a map");
		return err_hint(e, "omit --use-loader, or 'map'");
	}
	bpf_object__for_each_map(m, l->obj) {
		if (!bpf_map__pin_path(m))
			continue;
		err_set(e, -ENOTSUP, "%s cannot be loaded by a loader: map %s is pinned by name", l->q.path,
			bpf_map__name(m));
		return err_hint(e, "omit --use-loader: libbpf pins such maps");
	}
	return 0;
}

/* The loader's context: this header, a description of each map, and one of each program, in the order of the file. */
struct loader_call {
	struct loader_ctx *ctx;
	struct loader_map *maps;
	struct loader_prog *progs;
};

static struct loader_call call_make(const struct load *l)
{
	struct loader_call c;
	size_t size = sizeof(*c.ctx) + l->nmaps * sizeof(*c.maps) + l->nprogs * sizeof(*c.progs);

	c.ctx = arena_alloc(l->env->keep, size);
	c.maps = (struct loader_map *)(c.ctx + 1);
	c.progs = (struct loader_prog *)(c.maps + l->nmaps);
	c.ctx->size = (uint32_t)size;
	return c;
}

/* The kernel's errors for signatures. */
static int refused_signed(const struct load *l, int err, enum loader_step step, struct err *e)
{
	if (step == LOADER_KEY) {
		err_sys(e, err, "the kernel does not accept the certificate %s", l->q.loader.cert);
		return err == -ENODEV ? err_hint(e, "it is built without CONFIG_ASYMMETRIC_KEY_TYPE or its parsers") :
					err;
	}
	err_sys(e, err, "the kernel does not accept the signed loader of %s", l->q.path);
	if (err == -EOPNOTSUPP)
		return err_hint(e,
				"it is built without CONFIG_SYSTEM_DATA_VERIFICATION, so it cannot verify signatures");
	if (err == -EACCES && l->progs[0].log[0])
		return err_hint(
			e,
			"the verifier rejects the loader that libbpf %s wrote, perhaps for a newer kernel; -d shows its log",
			log_library());
	return err == -E2BIG || err == -EINVAL ? err_hint(e, "signed programs need Linux 6.18") : err;
}

static int loader_error(struct load *l, int err, enum loader_step step, struct err *e)
{
	struct load_prog *p = &l->progs[0];

	if (step == LOADER_LOAD && l->env->opts->debug)
		message_lines(p->log);
	if (step != LOADER_RUN && l->q.loader.sign)
		return refused_signed(l, err, step, e);
	if (step == LOADER_LOAD) {
		err_sys(e, err, "cannot load the loader of %s", l->q.path);
		return err == -EINVAL || err == -E2BIG ? err_hint(e, "programs of type syscall need Linux 5.14") : err;
	}
	if (step == LOADER_RUN && p->log[0])
		return load_explain(l, l->nprogs == 1 ? p : NULL, p->log, err, e);
	return err_sys(e, err, "cannot load %s", l->q.path);
}

/* A loader does not report the program that failed; libbpf, which loads one by one, does. 0: libbpf can load them. */
static int load_without(const struct load *l, struct err *e)
{
	struct load_request q = l->q;
	LOAD(again);
	int err;

	q.loader.use = false;
	err = load_open(&again, l->env, &q, e);
	return err ? err : load_load(&again, e);
}

/* The verifier is asked for its log only after a failure: that of the last program tried, so the programs share a
 * buffer. */
int load_loader_load(struct load *l, struct err *e)
{
	struct loader_call c = call_make(l);
	struct loader loader;
	const struct loader_signature *signature;
	enum loader_step step;
	int err = loader_make(&loader, &signature, l->obj, &l->q.loader, l->env->keep, e);

	if (err)
		return err_in(e, "%s", l->q.path);
	err = loader_run(&loader, signature, c.ctx, &step);
	if (err && step == LOADER_RUN && load_without(l, e))
		return e->code;
	if (err && step >= LOADER_LOAD && l->logs) {
		c.ctx->log_level = 1;
		c.ctx->log_size = (uint32_t)l->log_size;
		c.ctx->log_buf = (uintptr_t)l->logs;
		err = loader_run(&loader, signature, c.ctx, &step);
	}
	if (err)
		return loader_error(l, err, step, e);
	for (size_t i = 0; i < l->nmaps; i++)
		l->maps[i].fd = c.maps[i].fd;
	for (size_t i = 0; i < l->nprogs; i++)
		l->progs[i].fd = c.progs[i].fd;
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
