/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/view/inner_maps.h"

#include "cli/command.h"
#include "map/elem/walk.h"
#include "source/info.h"
#include "render/jsonw.h"

/* In plain text, each line is indented. */
struct inner {
	struct inner_maps *d;
	struct walk walk;
};

static bool inner_elem(void *ctx, const unsigned char *key, int err)
{
	struct inner *in = ctx;
	struct out *o = in->d->env->report->out, text;
	const char *line;

	if (in->d->look != ELEM_HEX) {
		(in->d->look == ELEM_JSON ? elem_json : elem_put_typed)(&in->walk.form, in->d->w, key, err);
		return true;
	}
	out_init(&text, -1);
	elem_hex(&in->walk.form, &text, key, err);
	for (line = text.buf; line < text.buf + text.n; line += strcspn(line, "\n") + 1) {
		out_str(o, "    ");
		out_bytes(o, line, strcspn(line, "\n") + 1);
	}
	out_close(&text, NULL);
	return true;
}

static int inner_walk(struct inner *in, uint32_t id, struct err *e)
{
	struct inner_maps *d = in->d;
	struct abi_map_info info;
	int err = map_info(d->env->machine, d->env->arena, id, &info, e);

	if (err)
		return err;
	walk_init(&in->walk, d->env, &info);
	in->walk.form.keys = true;
	if (d->look != ELEM_HEX && !d->raw)
		walk_types(&in->walk, d->look == ELEM_TYPED ? VALUE_TYPED : VALUE_FORMATTED, d->env->arena);
	err = walk_begin(&in->walk, e);
	if (err)
		return err;
	if (d->w)
		jsonw_array(d->w);
	err = walk_each(&in->walk, inner_elem, in, e);
	if (d->w)
		jsonw_end(d->w);
	return err;
}

/* null: it has gone, or cannot be read. */
void inner_print(void *ctx, uint32_t id)
{
	struct inner_maps *d = ctx;
	ARENA_SCOPE(d->env->arena);
	uint64_t values = d->w ? d->w->values : 0;
	struct inner in = { .d = d };
	struct err why = { 0 };
	int err = inner_walk(&in, id, &why);

	if (err && d->w && d->w->values == values)
		jsonw_null(d->w);
	if (err && err != -ENOENT)
		report_unread(d->env->report, &why);
}
