/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/env.h"
#include "prog/takeover/takeover.h"
#include "record/change.h"

/* Of an object that was loaded only to try it, the id is of no use. */
static uint32_t new_id(const struct takeover *r, const struct swap *s)
{
	return r->dry_run ? 0 : s->id[1];
}

static struct change_rec prog_change(const struct takeover *r, const struct swap *s, const char *did, const char *would)
{
	return (struct change_rec){
		.sentence = SENTENCE_REPLACE,
		.action = r->dry_run ? would : did,
		.kind = "prog",
		.id = new_id(r, s),
		.name = s->name,
		.replaced = s->id[0],
		.replaced_name = s->name,
		.dry_run = r->dry_run,
	};
}

static bool is_path_of_load(const struct takeover *r, const char *path)
{
	for (size_t i = 0; i < r->nprogs; i++)
		if (!strcmp(r->progs[i].path, path))
			return true;
	return false;
}

/* The pins that an object gets; those of programs at the paths of the load are reported with these. */
static void pins_set(const struct takeover *r, const struct swap *s, struct change_rec *c)
{
	const char **pins = arena_array(r->env->keep, r->nmoves, sizeof(*pins));
	const bool is_prog = s >= r->progs && s < r->progs + r->nprogs;

	for (size_t i = 0; i < r->nmoves; i++) {
		const struct move *m = &r->moves[i];

		if (m->kind == MOVE_PIN && m->swap == s && !(is_prog && is_path_of_load(r, m->path)))
			pins[c->npins++] = m->path;
	}
	c->pins = pins;
}

static struct change_rec attachment_change(const struct takeover *r, const struct move *m)
{
	static const char *const how[] = {
		[MOVE_NEW_LINK] = "by a new link",
		[MOVE_LINK] = "link updated",
		[MOVE_PLACE] = "without a link",
	};
	struct change_rec c = prog_change(r, m->swap, "attached", "would attach");

	c.where = m->at.where;
	c.what = m->at.what;
	c.nfuncs = m->at.nfuncs;
	c.link_id = m->link ? new_id(r, m->link) : m->at.link_id;
	c.how = how[m->kind];
	if (m->link)
		pins_set(r, m->link, &c);
	return c;
}

static struct change_rec map_change(const struct takeover *r, const struct swap *s)
{
	return (struct change_rec){
		.sentence = SENTENCE_REPLACE,
		.action = !s->why    ? r->dry_run ? "would keep" : "kept" :
			  r->dry_run ? "would create" :
				       "created",
		.kind = "map",
		.id = s->why ? new_id(r, s) : s->id[0],
		.name = s->name,
		.replaced = s->why ? s->id[0] : 0,
		.replaced_name = s->why ? s->name : NULL,
		.how = s->why,
		.dry_run = r->dry_run,
	};
}

const struct change_rec *takeover_changes(const struct takeover *r, size_t *ret_n)
{
	struct change_rec *c = arena_array(r->env->keep, r->nmoves + r->nmaps + r->nprogs, sizeof(*c));
	size_t n = 0;

	for (size_t i = 0; i < r->nmoves; i++)
		if (r->moves[i].at.where)
			c[n++] = attachment_change(r, &r->moves[i]);
	for (size_t i = 0; i < r->nmaps; i++) {
		if (r->maps[i].constant)
			continue;
		c[n] = map_change(r, &r->maps[i]);
		pins_set(r, &r->maps[i], &c[n++]);
	}
	for (size_t i = 0; i < r->nprogs; i++) {
		c[n] = prog_change(r, &r->progs[i], "pinned", "would pin");
		pins_set(r, &r->progs[i], &c[n]);
		n += c[n].npins != 0;
	}
	*ret_n = n;
	return c;
}
