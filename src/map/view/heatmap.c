/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/view/heatmap.h"

#include "cli/env.h"
#include "map/view/histogram.h"
#include "render/doc.h"
#include "render/frame.h"
#include "source/source.h"
#include "host/pace.h"

#define COLUMNS_KEPT 1000
static const char shades[HEAT_LEVELS + 1] = " .:-=+*#%@";
/* Of the 256 colours: black, blue, violet, red, orange, yellow, white. */
static const unsigned char colors[HEAT_LEVELS] = { 0, 17, 19, 55, 90, 125, 160, 202, 220, 231 };

struct heatmap_picture {
	struct heatmap *heat;
	struct frame frame;
	struct doc doc;
	uint64_t *cells; /* COLUMNS_KEPT times n; a ring */
	uint64_t *old, *now;
	size_t looks; /* number of columns made */
};

unsigned heat_level(uint64_t count, uint64_t most)
{
	unsigned digits, all;

	if (!count || !most)
		return 0;
	digits = 64u - (unsigned)__builtin_clzll(count);
	all = 64u - (unsigned)__builtin_clzll(most);
	return digits >= all ? HEAT_LEVELS - 1 : 1 + digits * (HEAT_LEVELS - 2) / (all + 1);
}

static uint64_t *column(const struct heatmap_picture *p, size_t look)
{
	return p->cells + look % COLUMNS_KEPT * p->heat->n;
}

static bool is_empty(const struct heatmap_picture *p, size_t from, size_t bucket)
{
	for (size_t i = from; i < p->looks; i++)
		if (column(p, i)[bucket])
			return false;
	return true;
}

static uint64_t largest(const struct heatmap_picture *p, size_t from)
{
	uint64_t most = 0;

	for (size_t i = from; i < p->looks; i++)
		for (size_t k = 0; k < p->heat->n; k++)
			if (column(p, i)[k] > most)
				most = column(p, i)[k];
	return most;
}

static void row_draw(const struct heatmap_picture *p, size_t from, size_t bucket, uint64_t most)
{
	struct out *o = p->heat->env->report->out;
	char name[BUCKET_NAME];
	unsigned before = HEAT_LEVELS;

	out_fmt(o, "%16s |", bucket_name(name, sizeof(name), &p->heat->bucket[bucket], p->heat->log2));
	for (size_t i = from; i < p->looks; i++) {
		unsigned level = heat_level(column(p, i)[bucket], most);

		if (o->color && level != before)
			out_fmt(o, level ? "\033[48;5;%um" : "\033[0m", colors[level]);
		out_char(o, o->color ? ' ' : shades[level]);
		before = level;
	}
	if (o->color)
		out_str(o, "\033[0m");
}

static void heatmap_draw(void *ctx, struct out *o)
{
	struct heatmap_picture *p = ctx;
	struct heatmap *h = p->heat;
	struct frame *f = &p->frame;
	unsigned width = out_columns(o);
	size_t room = width > 30 ? width - 19 : 11, from, first = h->n, last = 0, k;
	uint64_t most;
	char text[160];

	room = room > COLUMNS_KEPT ? COLUMNS_KEPT : room;
	from = p->looks > room ? p->looks - room : 0;
	most = largest(p, from);
	for (k = 0; k < h->n; k++) {
		if (is_empty(p, from, k))
			continue;
		first = first == h->n ? k : first;
		last = k;
	}
	if (o->tty)
		frame_begin(f);
	for (k = last + 1; most && k-- > first;) {
		if (o->tty && !frame_line(f))
			break;
		row_draw(p, from, k, most);
		if (!o->tty)
			out_char(o, '\n');
	}
	snprintf(text, sizeof(text), "%16s +-- %zu reading%s, %gs apart; darkest: %llu", most ? "" : "nothing counted",
		 p->looks, plural(p->looks), (double)h->interval / NSEC_PER_SEC, llu(most));
	if (o->tty) {
		frame_put(f, text, strlen(text));
		frame_end(f);
	} else {
		out_str(o, text);
		out_char(o, '\n');
	}
}

static void look_record(struct heatmap_picture *p, const uint64_t *cells)
{
	struct heatmap *h = p->heat;
	struct arena *a = h->env->arena;
	struct histogram g = { .bucket = arena_dup(a, h->bucket, h->n * sizeof(*h->bucket)),
			       .n = h->n,
			       .log2 = h->log2 };
	char time[PACE_TIME];
	struct histogram_rec rec = { .time = pace_time(time) };

	for (size_t k = 0; k < h->n; k++)
		g.bucket[k].count = cells[k];
	histogram_trim(&g);
	rec.rows = histogram_rows(&g, a);
	doc_record(&p->doc, &schema_histogram, &rec);
}

/* A counter that decreased was set to zero meanwhile: its whole value is new. */
static void look_take(struct heatmap_picture *p)
{
	struct heatmap *h = p->heat;
	ARENA_SCOPE(h->env->arena);
	uint64_t *cells = column(p, p->looks++);

	for (size_t k = 0; k < h->n; k++)
		cells[k] = h->grows && p->now[k] >= p->old[k] ? p->now[k] - p->old[k] : p->now[k];
	memcpy(p->old, p->now, h->n * sizeof(*p->old));
	look_record(p, cells);
	if (h->env->report->out->tty)
		doc_draw(&p->doc, heatmap_draw, p);
	out_flush(h->env->report->out);
}

static int looks(struct heatmap_picture *p, struct pace *pace, struct err *e)
{
	struct heatmap *h = p->heat;
	int err = h->grows ? h->look(h->ctx, p->old, e) : 0;

	while (!err && (!h->count || p->looks < h->count) && !out_dead(h->env->report->out)) {
		source_idle(h->env->machine->src);
		if (!pace_wait(pace))
			break;
		err = h->look(h->ctx, p->now, e);
		if (!err)
			look_take(p);
	}
	return err;
}

int heatmap_run(struct heatmap *h, struct err *e)
{
	struct arena *a = h->env->keep;
	struct heatmap_picture p = { .heat = h,
				     .frame = { .out = h->env->report->out },
				     .old = arena_array(a, h->n, sizeof(uint64_t)),
				     .now = arena_array(a, h->n, sizeof(uint64_t)) };
	struct env *env = h->env;
	struct pace pace;
	int err;

	h->interval = h->interval ? h->interval : NSEC_PER_SEC;
	p.cells = arena_array(a, COLUMNS_KEPT * h->n, sizeof(*p.cells));
	env_doc(env, &p.doc);
	doc_stream(&p.doc, NULL);
	err = pace_begin(&pace, h->interval);
	err = err ? err_sys(e, err, "cannot wait") : looks(&p, &pace, e);
	pace_end(&pace);
	doc_end(&p.doc);
	if (!env->report->out->tty)
		doc_draw(&p.doc, heatmap_draw, &p);
	env_doc_end(env, &p.doc);
	return err;
}
