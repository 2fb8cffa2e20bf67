/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/change.h"

#include "cli/env.h"
#include "cli/kind.h"
#include "render/doc.h"

/* NULL: it has no name, or no longer exists. */
static const char *object_label(struct env *env, const struct kind *k, uint32_t id)
{
	const char *name = id ? kind_label(env, k, id).name : "";

	return *name ? name : NULL;
}

void change_fields(struct env *env, struct doc *d, const struct change_rec *change)
{
	struct change_rec c = *change;
	const struct kind *k = c.prog_id ? &kind_prog : &kind_map;

	if (c.sentence == SENTENCE_PLACE) {
		if (!c.name)
			c.name = object_label(env, k, c.prog_id ? c.prog_id : c.map_id);
		if (!c.replaced_name)
			c.replaced_name = object_label(env, k, c.replaced);
	}
	change_complete(&c);
	doc_fields(d, &change_schema, &c);
}

static void change_record_put(struct env *env, struct doc *d, const struct change_rec *c)
{
	doc_object(d, NULL);
	change_fields(env, d, c);
	doc_end(d);
}

void change_print(struct env *env, const struct change_rec *c)
{
	struct doc d;

	env_doc(env, &d);
	change_record_put(env, &d, c);
	env_doc_end(env, &d);
}

void change_print_all(struct env *env, const struct change_rec *c, size_t n)
{
	struct doc d;

	env_doc(env, &d);
	doc_stream(&d, NULL);
	for (size_t i = 0; i < n; i++)
		change_record_put(env, &d, &c[i]);
	doc_end(&d);
	env_doc_end(env, &d);
}

bool change_is_reported(const struct env *env)
{
	return env->opts->json && !env->opts->as_bpftool;
}

void change_report(struct env *env, const struct change_rec *c)
{
	if (c->dry_run || change_is_reported(env))
		change_print(env, c);
}

void change_report_all(struct env *env, const struct change_rec *c, size_t n)
{
	if ((n && c->dry_run) || change_is_reported(env))
		change_print_all(env, c, n);
}

void change_note(struct env *env, const char *what, uint32_t prog_id)
{
	const char *name = object_label(env, &kind_prog, prog_id);

	if (prog_id)
		str_fit(env->report->note, sizeof(env->report->note), "%s program %u%s%s%s", what, prog_id,
			name ? " (" : "", name ? name : "", name ? ")" : "");
}
