/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/view/listen.h"

#include "map/elem/near.h"
#include "cli/env.h"

int listen_begin(struct listen *l, struct env *env, uint32_t map_id, uint32_t map_btf, const struct listen_opts *o,
		 struct err *e)
{
	int err;

	*l = (struct listen){ .env = env, .count = o->count };
	err = map_type_plan(env, map_id, map_btf, o->type, &o->from, &l->plan, &l->size, e);
	if (err)
		return err;
	env_doc(env, &l->doc);
	doc_stream(&l->doc, NULL);
	return 0;
}

void listen_record(struct listen *l, const struct schema *schema, const void *head, const unsigned char *data, size_t n)
{
	const struct value_plan *plan = n >= l->size ? l->plan : NULL;
	struct doc *d = &l->doc;

	doc_object(d, NULL);
	doc_fields(d, schema, head);
	if (plan && data)
		value_print(plan, doc_value(d, "formatted"), data, l->size);
	else if (data)
		doc_hex(d, data, n);
	if (data)
		doc_text(d, "\n");
	l->nprinted++;
	doc_end(d);
}

bool listen_done(const struct listen *l)
{
	return (l->count && l->nprinted >= l->count) || out_dead(l->env->report->out);
}

bool listen_flush(struct listen *l)
{
	out_flush(l->env->report->out);
	return listen_done(l);
}

void listen_end(struct listen *l)
{
	doc_end(&l->doc);
	env_doc_end(l->env, &l->doc);
}
