/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/note.h"

#include "base/base.h"
#include "cli/env.h"
#include "map/elem/print.h"
#include "map/names.h"
#include "map/view/socket.h"
#include "map/view/xsk.h"
#include "render/jsonw.h"
#include "render/render.h"

#define NOTES 2u

/* At most one of each kind. In the arena of f->names. */
static unsigned notes_find(const struct elem_form *f, const unsigned char *key, int err, struct elem_note ret[NOTES])
{
	unsigned n = 0;

	if (!err)
		n += elem_names(f, key, &ret[n]);
	if (f->sockets)
		n += socket_note(f, key, err, &ret[n]);
	else if (f->xsks)
		n += xsk_note(f, key, &ret[n]);
	return n;
}

void elem_notes_plain(const struct elem_form *f, struct out *o, const unsigned char *key, int err)
{
	struct elem_note all[NOTES];
	unsigned n;

	if (!f->names)
		return;
	ARENA_SCOPE(f->names->arena);
	n = notes_find(f, key, err, all);
	for (unsigned i = 0; i < n; i++) {
		out_str(o, "  ");
		if (all[i].name)
			out_fmt(o, "%s ", all[i].name);
		render_plain_headline(o, all[i].schema, all[i].rec);
	}
}

void elem_notes_json(const struct elem_form *f, struct jsonw *w, const unsigned char *key, int err)
{
	struct elem_note all[NOTES];
	unsigned n;

	if (!f->names)
		return;
	ARENA_SCOPE(f->names->arena);
	n = notes_find(f, key, err, all);
	for (unsigned i = 0; i < n; i++) {
		if (all[i].name) {
			jsonw_name(w, all[i].name);
			jsonw_object(w);
		}
		render_json_fields(w, all[i].schema, all[i].rec, 0, &f->names->report->unread);
		if (all[i].name)
			jsonw_end(w);
	}
}
