/* SPDX-License-Identifier: BSD-2-Clause */
#include "render/items.h"

#include "render/render.h"
#include "render/report.h"

void items_begin(struct items *it, struct report *r, bool lines)
{
	*it = (struct items){ .report = r, .lines = r->jw ? r->ndjson && !r->jw->depth : lines };
	r->streamed |= r->jw && it->lines;
	if (r->jw && !it->lines)
		jsonw_array(r->jw);
}

struct jsonw *item_begin(struct items *it)
{
	if (!it->lines)
		return it->report->jw;
	jsonw_init(&it->line, it->report->out, false);
	return &it->line;
}

void item_end(struct items *it)
{
	if (it->lines)
		out_char(it->report->out, '\n');
}

void item_record(struct items *it, const struct schema *s, const void *rec)
{
	struct jsonw *w = item_begin(it);

	jsonw_object(w);
	render_json_fields(w, s, rec, 0, &it->report->unread);
	jsonw_end(w);
	item_end(it);
}

void items_end(struct items *it)
{
	if (it->report->jw && !it->lines)
		jsonw_end(it->report->jw);
}
