/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/annotated.h"

#include "cli/env.h"
#include "code/heat_xlated.h"
#include "code/insn_heat.h"
#include "prog/samples/code_at.h"
#include "prog/samples/perf_samples.h"
#include "source/facts.h"

void annotated_begin(struct annotated *a, bool linum)
{
	if (a->xlated.insns)
		xlated_refer(a->env, &a->xlated);
	code_info_fold(&a->xlated.src, NULL, linum, a->env->arena);
	code_info_fold(&a->jited.src, &a->jited.places, linum, a->env->arena);
	heat_init(&a->heat, &a->jited, &a->how, a->env->arena);
}

void annotated_add(void *ctx, const struct sample *s)
{
	struct annotated *a = ctx;
	const struct code_place *p;

	a->heat.all++;
	if (s->user)
		return;
	p = a->index ? code_at(a->index, s->ip, s->time) : NULL;
	if (!a->index || (p && p->prog == a->rec.info.id))
		heat_add(&a->heat, s->ip);
}

int annotated_read_samples(struct annotated *a, bool perf, struct err *e)
{
	struct env *env = a->env;
	int err = samples_read_head(env->machine, env->arena, &a->how);

	if (err)
		return samples_head_error(err, e);
	err = code_index_new(env, &a->index, e);
	if (err)
		return err;
	if (perf)
		perf_samples_count(env, a->index);
	samples_read(env->machine, env->arena, annotated_add, a);
	return 0;
}

bool annotated_has_no_place(const struct annotated *a, struct err *ret)
{
	const uint32_t id = a->rec.info.id;

	if (a->heat.nfuncs)
		return false;
	if (a->rec.info.jited_prog_len) {
		err_set(ret, -ENODATA, "program %u: the kernel hides its address", id);
		facts_hint_hidden(a->env->machine, ret);
	} else {
		err_set(ret, -ENODATA, "program %u was not compiled to machine code: it cannot have samples", id);
	}
	return true;
}

void annotated_write_xlated(const struct annotated *a, const struct xlated_style *style, struct arena *scratch,
			    struct doc *d)
{
	struct insn_heat runs;

	insn_heat_read(&a->heat, &a->xlated, scratch, &runs);
	heat_xlated_write(&a->heat, &runs, &a->xlated, style, d);
}
