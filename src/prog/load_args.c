/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/load_args.h"

#include "cli/env.h"
#include "kernel/hooks.h"
#include "kernel/names.h"

/* Offers section names without their target. */
void load_offer_types(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	for (size_t i = 0; i < nhooks; i++)
		for (size_t k = 0; k < HOOK_SECTIONS && hooks[i].sections[k]; k++) {
			const char *section = hooks[i].sections[k];

			offer(ctx, arena_fmt(env->keep, "%.*s", (int)strcspn(section, "+"), section),
			      names_of(&names_prog_type, hooks[i].progs[0]));
		}
}

void load_setup_apply(const struct load_setup *s, const struct env *env, struct load_request *q)
{
	q->only = s->only;
	q->type = s->type;
	q->kernel_btf = s->kernel_btf;
	q->set = s->set;
	q->resize = s->resize;
	q->reuse = s->reuse;
	q->maps_dir = s->maps_dir;
	q->coverage = s->coverage;
	q->relaxed_maps = env->opts->mapcompat;
}
