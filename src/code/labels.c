/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/labels.h"

enum { START = 1, TARGET = 2 };

void labels_init(struct labels *l, struct arena *a, size_t end, size_t base)
{
	*l = (struct labels){ .arena = a, .end = end, .base = base, .starts = arena_alloc(a, end) };
}

void labels_insn(struct labels *l, size_t at)
{
	l->starts[at] |= START;
}

void labels_jump(struct labels *l, size_t from, size_t to)
{
	if (to >= l->end)
		return;
	ARENA_MORE(l->arena, l->jump, l->njumps, l->cap);
	l->jump[l->njumps++] = (struct jump){ from, to };
	l->starts[to] |= TARGET;
}

/* The index of the label at this position. */
static size_t label_find(const struct labels *l, size_t at)
{
	return ARRAY_LOWER(l->n, i, l->label[i].at < at);
}

size_t labels_at(const struct labels *l, size_t at)
{
	return at < l->end && l->starts[at] == (START | TARGET) ? l->base + label_find(l, at) + 1 : 0;
}

/* A label whose only jump is at the same instruction has a name, but no arrow. */
static void lane_open(struct margin *m, size_t label, size_t at)
{
	const struct label *l = &m->labels->label[label];

	if (l->first != at || l->last == at)
		return;
	for (size_t i = 0; i < LABELS_LANES; i++)
		if (m->lane[i] == label + 1)
			return;
	for (size_t i = 0; i < LABELS_LANES; i++) {
		if (m->lane[i])
			continue;
		m->lane[i] = label + 1;
		return;
	}
}

/* Arrows that begin here take the leftmost free lanes, so that inner arrows are drawn inside of outer ones. */
static void lanes_open(struct margin *m, size_t at, size_t *ret_here, size_t *ret_goes)
{
	const struct labels *l = m->labels;

	while (m->label < l->n && l->label[m->label].at < at)
		m->label++;
	while (m->jump < l->njumps && l->jump[m->jump].from < at)
		m->jump++;
	*ret_here = m->label < l->n && l->label[m->label].at == at ? m->label : LABELS_NONE;
	*ret_goes = m->jump < l->njumps && l->jump[m->jump].from == at ? l->jump[m->jump].to : LABELS_NONE;
	if (*ret_here != LABELS_NONE)
		lane_open(m, *ret_here, at);
	if (*ret_goes != LABELS_NONE)
		lane_open(m, *ret_goes, at);
}

static void lanes_close(struct margin *m, size_t at)
{
	for (size_t i = 0; i < LABELS_LANES; i++)
		if (m->lane[i] && m->labels->label[m->lane[i] - 1].last == at)
			m->lane[i] = 0;
}

static void lanes_count(struct labels *l)
{
	struct margin m = { .labels = l };

	for (size_t label = 0, jump = 0; label < l->n || jump < l->njumps;) {
		size_t at = label < l->n ? l->label[label].at : SIZE_MAX, here, goes;

		if (jump < l->njumps && l->jump[jump].from < at)
			at = l->jump[jump].from;
		lanes_open(&m, at, &here, &goes);
		for (unsigned i = l->lanes; i < LABELS_LANES; i++)
			if (m.lane[i])
				l->lanes = i + 1;
		lanes_close(&m, at);
		label += label < l->n && l->label[label].at == at;
		jump += jump < l->njumps && l->jump[jump].from == at;
	}
}

void labels_done(struct labels *l)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < l->end; i++)
		n += l->starts[i] == (START | TARGET);
	l->label = arena_array(l->arena, n, sizeof(*l->label));
	for (size_t i = 0; i < l->end; i++)
		if (l->starts[i] == (START | TARGET))
			l->label[l->n++] = (struct label){ i, i, i };
	for (size_t i = 0; i < l->njumps; i++) {
		struct jump j = l->jump[i];
		struct label *to;

		if (!(l->starts[j.to] & START))
			continue;
		j.to = label_find(l, j.to);
		to = &l->label[j.to];
		if (j.from < to->first)
			to->first = j.from;
		if (j.from > to->last)
			to->last = j.from;
		l->jump[kept++] = j;
	}
	l->njumps = kept;
	lanes_count(l);
}

/* "\->" from its lane to the code: a corner where the arrow begins and ends, '+' where another jump joins it. */
static void arm_draw(const struct margin *m, size_t label, size_t at, char *line, char tip)
{
	const struct label *l;
	size_t lane = 0, end = 2 * m->labels->lanes;

	if (label == LABELS_NONE)
		return;
	while (lane < LABELS_LANES && m->lane[lane] != label + 1)
		lane++;
	if (lane == LABELS_LANES)
		return;
	l = &m->labels->label[label];
	line[2 * lane] = at == l->first ? '/' : at == l->last ? '\\' : '+';
	for (size_t i = 2 * lane + 1; i < end; i++)
		if (line[i] == ' ')
			line[i] = '-';
	line[end] = tip;
}

static void lanes_draw(const struct margin *m, char *line)
{
	memset(line, ' ', 2 * LABELS_LANES + 2);
	for (size_t i = 0; i < LABELS_LANES; i++)
		if (m->lane[i])
			line[2 * i] = '|';
}

void margin_row(struct margin *m, size_t at, struct out *o)
{
	char line[2 * LABELS_LANES + 2];
	size_t here, goes;

	if (!m->labels || !m->labels->lanes)
		return;
	lanes_open(m, at, &here, &goes);
	lanes_draw(m, line);
	arm_draw(m, goes, at, line, '-');
	arm_draw(m, here, at, line, '>');
	out_bytes(o, line, 2 * m->labels->lanes + 2);
	lanes_close(m, at);
}

void margin_gap(const struct margin *m, struct out *o)
{
	char line[2 * LABELS_LANES + 2];

	if (!m->labels || !m->labels->lanes)
		return;
	lanes_draw(m, line);
	out_bytes(o, line, 2 * m->labels->lanes + 2);
}
