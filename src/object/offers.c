/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/bpf.h>

#include "cli/env.h"
#include "kernel/names.h"
#include "object/file.h"
#include "object/object.h"
#include "object/read.h"

/* The file is the first word that is not an option, because options with a value come after it. NULL: none, or it
 * cannot be read. */
static const struct object *file_of(struct env *env, const struct arg_list *before)
{
	struct object *o;
	struct err why = { 0 };

	for (size_t i = 0; i < before->n; i++)
		if (before->word[i][0] != '-')
			return object_open(env, &(struct object_path){ .path = before->word[i] }, &o, &why) ? NULL : o;
	return NULL;
}

static void progs(struct env *env, const struct arg_list *before, const char *attach_type, arg_offer *offer, void *ctx)
{
	const struct object *o = file_of(env, before);
	const struct object_prog *p = NULL;
	struct err why = { 0 };
	uint32_t n = 0;

	if (!o || object_progs(o, &p, &n, &why))
		return;
	for (uint32_t i = 0; i < n; i++)
		if (!attach_type || (p[i].attach_type && !strcmp(p[i].attach_type, attach_type)))
			offer(ctx, p[i].name, p[i].section);
}

static void maps(struct env *env, const struct arg_list *before, const char *end, arg_offer *offer, void *ctx)
{
	const struct object *o = file_of(env, before);
	const struct object_map *m = NULL;
	uint32_t n = 0;

	if (o)
		object_maps(o, &m, &n);
	for (uint32_t i = 0; i < n; i++)
		offer(ctx, arena_fmt(env->keep, "%s%s", m[i].name, end), m[i].type);
}

void object_offer_progs(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	progs(env, before, NULL, offer, ctx);
}

void object_offer_iters(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	progs(env, before, names_of(&names_attach_type, BPF_TRACE_ITER), offer, ctx);
}

void object_offer_maps(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	maps(env, before, "", offer, ctx);
}

void object_offer_sizes(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	maps(env, before, "=", offer, ctx);
}

void object_offer_values(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	const struct object *o = file_of(env, before);
	const struct object_var *v = NULL;
	uint32_t n = 0;

	if (o)
		object_vars(o, true, &v, &n);
	for (uint32_t i = 0; i < n; i++)
		offer(ctx, arena_fmt(env->keep, "%s=", v[i].name), v[i].type);
}
