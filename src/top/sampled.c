/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/sampled.h"

#include "cli/env.h"
#include "kernel/perf/sampling.h"
#include "render/doc.h"
#include "source/source.h"

static int sampled_read_code(struct sampled *s, uint32_t id, struct err *e)
{
	struct annotated *a = &s->code;
	struct env *env = a->env;
	int err = prog_read(env, env->arena, id, NEED_BTF, &a->rec, e);

	if (!err)
		err = xlated_read(env, id, &a->rec.info, &a->xlated, e);
	if (err)
		return err;
	jited_read_places(env, id, &a->rec.info, &a->jited);
	annotated_begin(a, false);
	s->has_code = true;
	return annotated_has_no_place(a, e) ? e->code : 0;
}

static int sampled_begin_samples(struct sampled *s, struct err *e)
{
	int err;

	if (machine_is_saved(s->env.machine))
		return annotated_read_samples(&s->code, false, e);
	err = sampling_open(&s->sampling, SAMPLING_HZ);
	if (err)
		return sampling_error(err, e);
	samples_head_begin(&s->code.how, s->sampling, SAMPLING_HZ);
	return 0;
}

static void sampled_begin(struct sampled *s, struct top *t, uint32_t id)
{
	*s = (struct sampled){ .id = id, .report = report_inner(t->env->report), .code.env = &s->env };
	if (!top_machine(t, &s->env, &s->report, &s->why) && !sampled_read_code(s, id, &s->why))
		sampled_begin_samples(s, &s->why);
	if (s->env.machine)
		source_idle(s->env.machine->src);
}

/* The addresses of an unloaded program may be those of another one soon. */
static void sampled_update(struct sampled *s, const struct top *t)
{
	const struct history_prog *p = history_find(&t->history, s->id);

	if (!s->sampling)
		return;
	sampling_read(s->sampling, annotated_add, &s->code);
	samples_head_end(&s->code.how, s->sampling);
	if (p && p->load_time == s->code.rec.info.load_time)
		return;
	sampling_close(&s->sampling);
	err_set(&s->why, -ENOENT, "program %u is unloaded", s->id);
}

void sampled_draw(struct sampled *s, struct top *t, uint32_t id, struct out *o)
{
	ARENA a = arena_new();
	struct doc d;

	if (s->id != id) {
		sampled_end(s);
		sampled_begin(s, t, id);
	}
	sampled_update(s, t);
	doc_init(&d, o, NULL, a);
	d.folds = true;
	if (s->why.code)
		screen_say(s->why.msg, s->why.hint, o);
	if (s->report.unread)
		screen_say(s->report.unread_why, "", o);
	if (!s->has_code)
		return;
	doc_headline(&d, &schema_prog, &s->code.rec);
	annotated_write_xlated(&s->code, &(const struct xlated_style){ .opcodes = false }, a, &d);
}

void sampled_end(struct sampled *s)
{
	if (!s->id)
		return;
	sampling_close(&s->sampling);
	env_close(&s->env);
	report_release(&s->report);
	*s = (struct sampled){ .id = 0 };
}
