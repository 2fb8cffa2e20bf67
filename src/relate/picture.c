/* SPDX-License-Identifier: BSD-2-Clause */
#include "relate/picture.h"

#include <math.h>

#include "host/filter.h"
#include "relate/graph.h"
#include "render/html.h"

#define NODES_MIN 3 /* for fewer nodes the tree is as clear */
#define NODES_MAX 200
#define ALL_MAX 2000
#define SECONDS 20
#define OUTPUT_MAX (16u << 20)
#define INCH 72.0      /* pixels */
#define CHAR_WIDTH 6.3 /* approximate width of a character, in pixels */
#define LINE_HEIGHT 13.0
#define PADDING 10.0
#define HEAD 6.0	       /* length of an arrow head; Graphviz's default times .6 */
#define SIZE_MAX_INCHES 2000.0 /* larger values are errors */

struct box {
	double width, height;
	unsigned lines;
};

/* The size of a node's box, and its lines of text, not escaped. */
static struct box box_of(const struct picture_of *of, uint32_t i, const char *line[GRAPH_LINES])
{
	struct box ret = { 0 };
	size_t most = 0;

	graph_label(of->g, of->folds, i, of->a, line);
	for (; ret.lines < GRAPH_LINES && line[ret.lines]; ret.lines++) {
		struct out text;

		out_init(&text, -1);
		out_text(&text, line[ret.lines]);
		most = text.n > most ? text.n : most;
		out_close(&text, NULL);
	}
	ret.width = (double)most * CHAR_WIDTH + 2 * PADDING;
	ret.height = ret.lines * LINE_HEIGHT + PADDING;
	return ret;
}

bool picture_is_due(uint32_t nodes)
{
	return nodes >= NODES_MIN && nodes <= NODES_MAX;
}

static void dot_edges(const struct picture_of *of, uint32_t me, uint32_t from, struct str *s)
{
	GRAPH_OUT(of->g, me, i) {
		const uint32_t end = of->g->edge[i].to,
			       to = of->folds->into[end] == GRAPH_NONE ? end : of->folds->into[end];

		/* Leave out edges to places, which are shared, and from a link to its own attachment. */
		if (!of->needless[i] && from != to && of->g->node[to].component == of->g->node[from].component)
			str_fmt(s, "%u->%u%s;", from, to, of->g->edge[i].keeps ? "" : "[style=dashed]");
	}
}

/* Write one component as a graph in which nodes are numbers. */
static void dot_component(const struct picture_of *of, const uint32_t *node, uint32_t n, struct str *s)
{
	str_puts(
		s,
		"digraph{rankdir=LR;nodesep=.15;ranksep=.5;node[shape=box,fixedsize=true,label=\"\"];edge[arrowsize=.6];");
	for (uint32_t k = 0; k < n; k++) {
		const char *line[GRAPH_LINES];
		const struct box b = box_of(of, node[k], line);

		str_fmt(s, "%u[width=%.3f,height=%.3f];", node[k], b.width / INCH, b.height / INCH);
	}
	for (uint32_t k = 0; k < n; k++) {
		dot_edges(of, node[k], node[k], s);
		for (uint32_t i = of->folds->first[node[k]]; i != GRAPH_NONE; i = of->folds->next[i])
			dot_edges(of, i, node[k], s);
	}
	str_puts(s, "}\n");
}

void pictures_begin(struct pictures *p, const struct picture_of *of, const uint32_t *end, uint32_t components)
{
	static const char *const dot[] = { "dot", "-Tplain", NULL };
	uint32_t from = 0, all = 0;
	STR asked = { 0 };

	*p = (struct pictures){ .of = *of };
	for (uint32_t c = 0; c < components; from = end[c++]) {
		if (!picture_is_due(end[c] - from))
			continue;
		all += end[c] - from;
		dot_component(of, of->order + from, end[c] - from, &asked);
	}
	if (asked.n && all <= ALL_MAX && !filter_run(dot, asked.p, asked.n, SECONDS, OUTPUT_MAX, &p->text) && p->text.n)
		p->next = p->text.p;
}

void pictures_end(struct pictures *p)
{
	str_release(&p->text);
	p->next = NULL;
}

/* Parse a number and move *at after it. False: it is not a plausible number. */
static bool coordinate_read(const char **at, double *ret)
{
	char *end;

	*ret = strtod(*at, &end);
	if (end == *at || !isfinite(*ret) || fabs(*ret) > SIZE_MAX_INCHES)
		return false;
	*at = end;
	return true;
}

static bool point(const char **at, double height, double *x, double *y)
{
	if (!coordinate_read(at, x) || !coordinate_read(at, y))
		return false;
	*x *= INCH;
	*y = (height - *y) * INCH;
	return true;
}

/* "NAME X Y ...": find the node by its name. */
static bool node_of(const char **at, const uint32_t *node, uint32_t n, uint32_t *ret)
{
	char *end;
	const unsigned long v = strtoul(*at, &end, 10);

	if (end == *at)
		return false;
	*at = end;
	for (uint32_t i = 0; i < n; i++)
		if (node[i] == v) {
			*ret = node[i];
			return true;
		}
	return false;
}

static void put_box(const struct picture_of *of, uint32_t i, double x, double y, struct out *o)
{
	const char *line[GRAPH_LINES];
	const struct box b = box_of(of, i, line);

	out_fmt(o, "<g><title>");
	html_text(o, graph_title(&of->g->node[i], of->a));
	out_fmt(o, "</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\" fill=\"%s\"/>",
		x - b.width / 2, y - b.height / 2, b.width, b.height, graph_fill(&of->g->node[i]));
	for (unsigned k = 0; k < b.lines; k++) {
		out_fmt(o, "<text x=\"%.1f\" y=\"%.1f\">", x,
			y - b.height / 2 + PADDING / 2 + (k + 0.78) * LINE_HEIGHT);
		html_text(o, line[k]);
		out_str(o, "</text>");
	}
	out_str(o, "</g>\n");
}

static bool put_node(const struct picture_of *of, const char *at, double height, const uint32_t *node, uint32_t n,
		     struct out *o)
{
	double x, y;
	uint32_t i;

	if (!node_of(&at, node, n, &i) || !point(&at, height, &x, &y))
		return false;
	put_box(of, i, x, y, o);
	return true;
}

/* Draw the head of an arrow after the end of the curve. */
static void arrow_put(double from_x, double from_y, double x, double y, struct out *o)
{
	const double length = hypot(x - from_x, y - from_y), dx = length > 0 ? (x - from_x) / length : 1,
		     dy = length > 0 ? (y - from_y) / length : 0;

	out_fmt(o, "<path class=\"head\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fz\"/>\n", x + HEAD * dx, y + HEAD * dy,
		x - HEAD / 2 * dy, y + HEAD / 2 * dx, x + HEAD / 2 * dy, y - HEAD / 2 * dx);
}

/* "TAIL HEAD N X1 Y1 ... STYLE COLOUR": a curve of one point and then three points for each part. */
static bool put_edge(const char *at, const char *end, double height, const uint32_t *node, uint32_t n, struct out *o)
{
	double count, x = 0, y = 0, before_x = 0, before_y = 0;
	uint32_t unused;

	if (!node_of(&at, node, n, &unused) || !node_of(&at, node, n, &unused) || !coordinate_read(&at, &count) ||
	    count < 4)
		return false;
	out_str(o, "<path d=\"");
	for (unsigned i = 0; i < (unsigned)count; i++) {
		before_x = x;
		before_y = y;
		if (!point(&at, height, &x, &y))
			return false;
		out_fmt(o, "%s%.1f %.1f", !i ? "M" : i == 1 ? "C" : " ", x, y);
	}
	out_fmt(o, "\"%s/>\n", memmem(at, (size_t)(end - at), "dashed", 6) ? " class=\"place\"" : "");
	arrow_put(before_x, before_y, x, y, o);
	return true;
}

/* Draw the lines of one graph: "graph SCALE WIDTH HEIGHT", nodes, edges, "stop". */
static bool box_put(struct pictures *p, const uint32_t *node, uint32_t n, struct out *o)
{
	double width = 0, height = 0, scale;
	bool good = true, begun = false;

	for (const char *line = p->next, *end; good && (end = strchr(line, '\n')); line = end + 1) {
		const char *at = strchr(line, ' ');

		if (!begun) {
			if (!str_starts(line, "graph ") || !coordinate_read(&at, &scale) ||
			    !coordinate_read(&at, &width) || !coordinate_read(&at, &height))
				return false;
			begun = true;
			out_fmt(o, "<svg viewBox=\"-2 -2 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n",
				width * INCH + 12, height * INCH + 4, width * INCH + 12, height * INCH + 4);
		} else if (str_starts(line, "node ")) {
			good = put_node(&p->of, at, height, node, n, o);
		} else if (str_starts(line, "edge ")) {
			good = put_edge(at, end, height, node, n, o);
		} else {
			p->next = end + 1;
			out_str(o, "</svg>\n");
			return str_starts(line, "stop");
		}
	}
	return false;
}

bool pictures_put(struct pictures *p, const uint32_t *node, uint32_t n, struct out *o)
{
	struct out svg;
	bool drawn;

	if (!p->next)
		return false;
	out_init(&svg, -1);
	drawn = box_put(p, node, n, &svg);
	if (drawn) {
		out_str(o, "<div class=\"picture\">");
		out_bytes(o, svg.buf, svg.n);
		out_str(o, "</div>\n");
	} else {
		p->next = NULL;
	}
	out_close(&svg, NULL);
	return drawn;
}
