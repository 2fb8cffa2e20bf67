/* SPDX-License-Identifier: BSD-2-Clause */
#include "audit/baseline.h"

#include "audit/look.h"
#include "base/newfile.h"
#include "cli/env.h"
#include "prog/prog.h"

#define TAG 8
#define FILE_MAX (64u << 20)
static const char head[] = "# bpflens audit: programs that may run: type, tag, name\n";

const char *baseline_line(const char *type, const uint8_t tag[TAG], const char *name, struct arena *a)
{
	STR line = { 0 };

	str_escape(&line, type);
	str_puts(&line, " ");
	for (unsigned i = 0; i < TAG; i++)
		str_add(&line, num_hex2[tag[i]], 2);
	str_puts(&line, " ");
	str_escape(&line, name && *name ? name : "-");
	return arena_str(a, line.p, line.n);
}

static bool is_tag(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (num_hex_digit(p[i]) < 0 || isupper((unsigned char)p[i]))
			return false;
	return n == 2 * TAG;
}

/* Is it three words with one blank between them, as baseline_write() writes them? */
static bool is_line(const char *p)
{
	const size_t type = strcspn(p, " \t"), tag = p[type] ? strcspn(p + type + 1, " \t") : 0;
	const char *name = p + type + 1 + tag;

	return type && p[type] == ' ' && is_tag(p + type + 1, tag) && *name == ' ' && name[1] &&
	       !strpbrk(name + 1, " \t");
}

int baseline_parse(struct baseline *ret, char *text, const char *path, struct arena *a, struct err *e)
{
	char *line, *next = text;

	keys_init(&ret->programs, a);
	for (unsigned n = 1; (line = strsep(&next, "\n")); n++) {
		void **slot;

		if (!*line || *line == '#')
			continue;
		slot = is_line(line) ? keys_put(&ret->programs, line) : NULL;
		if (!slot)
			return err_set(e, -EINVAL, "%s: line %u: expected a program's type, tag and name", path, n);
		*slot = ret;
	}
	return 0;
}

int baseline_read(struct baseline *ret, const char *path, struct arena *a, struct err *e)
{
	STR text = { 0 };
	int err = str_read_file(&text, path, FILE_MAX);

	if (err)
		return err_sys(e, err, "cannot read %s", path);
	if (text.n && memchr(text.p, 0, text.n))
		return err_set(e, -EINVAL, "%s is not a list of programs as --output makes it", path);
	return baseline_parse(ret, arena_str(a, text.p ? text.p : "", text.n), path, a, e);
}

/* NULL: the node is not a program, or could not be read. */
static const char *line_of(const struct look *l, const struct graph_node *n, struct arena *a)
{
	const struct prog_rec *r = n->rec;

	return n->kind == EDGE_PROG && r ? baseline_line(n->type ? n->type : "-", r->info.tag, n->name, a) : NULL;
}

/* A program in the baseline may do what it does, but must not be hidden. */
static bool is_excused(const struct look *l, const struct baseline *b, const struct finding *f)
{
	return f->tag && strcmp(f->finding, "hidden") &&
	       keys_get(&b->programs, baseline_line(f->type ? f->type : "-", f->tag, f->name, l->env->keep));
}

void baseline_compare(struct look *l, const struct baseline *b)
{
	size_t n = 0;

	for (size_t i = 0; i < l->found.n; i++)
		if (!is_excused(l, b, &l->found.v[i]))
			l->found.v[n++] = l->found.v[i];
	l->found.n = n;
	for (uint32_t i = 0; i < l->g.nodes; i++) {
		const char *line = line_of(l, &l->g.node[i], l->env->keep);

		if (line && !keys_get(&b->programs, line))
			finding_add(l, "unknown", &l->g.node[i])->why = "it is not in the baseline";
	}
}

int baseline_write(struct look *l, const char *path, struct err *e)
{
	const char **lines = arena_array(l->env->keep, l->g.nodes, sizeof(*lines)), *line;
	STR text = { 0 };
	size_t n = 0;

	for (uint32_t i = 0; i < l->g.nodes; i++) {
		const struct graph_node *node = &l->g.node[i];

		if (node->kind == EDGE_PROG && !node->rec && node->unknown)
			return err_set(e, -EIO, "cannot read program %llu: no baseline was written", llu(node->id));
		line = line_of(l, node, l->env->keep);
		if (line)
			lines[n++] = line;
	}
	qsort(lines, n, sizeof(*lines), str_order);
	str_puts(&text, head);
	for (size_t i = 0; i < n; i++)
		if (!i || strcmp(lines[i], lines[i - 1]))
			str_fmt(&text, "%s\n", lines[i]);
	return newfile_write(path, text.p, text.n, e);
}
