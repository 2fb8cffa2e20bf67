/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/counted.h"

#include "source/facts_state.h"
#include "source/machine.h"

const char counted_process[] = "process";

struct growing {
	uint32_t *ids;
	size_t n, cap;
};
struct parse {
	struct counted *ret;
	struct growing listed[COUNTED_KINDS], walked[COUNTED_KINDS];
	struct arena *a;
};

static void id_add(struct parse *p, struct growing *g, uint32_t id)
{
	ARENA_MORE(p->a, g->ids, g->n, g->cap);
	g->ids[g->n++] = id;
}

/* "WAY KIND NUMBER" */
static bool counted_parse(struct parse *p, char *line)
{
	const bool refused = str_starts(line, "? ");
	bool listed, walked;
	char *way, *kind_word;
	uint32_t number;
	int kind;

	line += refused ? 2 : 0;
	way = facts_cut(&line, ' ');
	kind_word = facts_cut(&line, ' ');
	kind = !kind_word ? -1 : strcmp(kind_word, counted_process) ? object_kind_parse(kind_word) : COUNTED_PROCESS;
	if (kind < 0 || !line || num_parse_u32(line, &number) || !number || (refused && number > 4095))
		return false;
	listed = !strcmp(way, "listed");
	walked = !strcmp(way, "walked");
	if (refused && (listed || walked))
		(listed ? p->ret->listed : p->ret->walked)[kind].why = -(int)number;
	else if (listed || walked)
		id_add(p, listed ? &p->listed[kind] : &p->walked[kind], number);
	else if (refused || strcmp(way, "before"))
		return false;
	if (!refused && !walked && number > p->ret->before[kind])
		p->ret->before[kind] = number;
	return true;
}

static void ids_take(struct growing *g, struct counted_ids *ret)
{
	size_t n = 0;

	if (g->n)
		qsort(g->ids, g->n, sizeof(*g->ids), num_order_u32);
	for (size_t i = 0; i < g->n; i++)
		if (!n || g->ids[i] != g->ids[n - 1])
			g->ids[n++] = g->ids[i];
	ret->ids = g->ids;
	ret->n = n;
}

int counted_read(struct counted *ret, struct machine *m, struct arena *a)
{
	struct parse p = { .ret = ret, .a = a };
	char *text, *line;
	int err;

	*ret = (struct counted){ 0 };
	text = facts_lines(m, Q_COUNTED, &err);
	while (!err && (line = facts_cut(&text, '\n')))
		if (!counted_parse(&p, line))
			err = note_refused(m, -EBADMSG, Q_COUNTED);
	for (unsigned kind = 0; !err && kind < COUNTED_KINDS; kind++) {
		const int listed = ret->listed[kind].why, walked = ret->walked[kind].why;

		ids_take(&p.listed[kind], &ret->listed[kind]);
		ids_take(&p.walked[kind], &ret->walked[kind]);
		if (listed)
			note_refused(m, listed,
				     kind < OBJECT_KINDS ? question_of(Q_IDS, (enum object_kind)kind) : Q_COUNTED);
		if (walked && walked != -ENOENT)
			note_refused(m, walked, Q_COUNTED);
	}
	return err;
}

bool counted_has(const struct counted_ids *c, uint32_t id)
{
	const size_t i = ARRAY_LOWER(c->n, k, c->ids[k] < id);

	return i < c->n && c->ids[i] == id;
}
