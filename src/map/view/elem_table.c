/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/view/elem_table.h"

#include "base/paint.h"
#include "types/value/member.h"
#include "types/value/value.h"
#include "cli/columns.h"
#include "cli/env.h"
#include "map/elem/query.h"
#include "record/field.h"
#include "render/render.h"

/* A cell of a row; the row is the record. */
struct slot {
	union {
		uint64_t u;
		int64_t i;
		const void *p;
	};
	uint32_t n; /* of bytes at p */
	uint8_t avail;
};
enum elem_side { OF_KEY, OF_VALUE, CPU, MAP_ID };
struct column {
	const char *name, *help;
	enum elem_side what;
	struct member member;
	const struct value_plan *plan; /* prints it, from the bytes at base; NULL: bytes, or a number */
	uint64_t base;
	bool usual;
};
struct elem_table {
	struct env *env;
	struct render render;
	const struct query *q;
	uint32_t id;
	struct column *cols;
	size_t n, cap;
	bool begun;   /* the document is opened by the first map that has these columns */
	bool of_cpus; /* some columns differ between CPUs */
	struct schema *schema;
	struct slot *row;
};

static bool is_bytes(const struct elem_table *t, const struct column *c)
{
	return c->what == OF_KEY ? t->q->names.key_bare : t->q->names.value_bare;
}

static struct column *column_new(struct elem_table *t, const struct column *c)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->cols[i].name, c->name))
			return &t->cols[i];
	ARENA_MORE(t->env->keep, t->cols, t->n, t->cap);
	t->cols[t->n] = *c;
	return &t->cols[t->n++];
}

/* The full name of a member given by its short name. */
static const char *full_name(const struct elem_table *t, const char *name, bool of_value)
{
	const char *root = of_value ? "value" : "key";
	struct member m;
	struct err none = { 0 };
	bool same;

	if (str_starts(name, root) && strchr(".[", name[strlen(root)]) && !query_member(t->q, name, &m, &same, &none))
		return name;
	return *name == '[' ? arena_fmt(t->env->keep, "%s%s", root, name) :
			      arena_fmt(t->env->keep, "%s.%s", root, name);
}

static void member_column(struct elem_table *t, const char *name, const struct member *m, bool of_value, bool usual)
{
	struct column c = { .name = name, .what = of_value ? OF_VALUE : OF_KEY, .member = *m, .usual = usual };
	bool is_signed;

	c.help = arena_fmt(t->env->keep, "%llu byte%s at %llu of the %s", llu(m->size), plural(m->size), llu(m->off),
			   of_value ? "value" : "key");
	if (!is_bytes(t, &c) && !member_is_int(m, &is_signed))
		c.plan = member_plan(m, &c.base, t->env->keep);
	t->of_cpus |= of_value;
	column_new(t, &c);
}

static int named_column(struct elem_table *t, const char *name, struct err *e)
{
	struct err why = { 0 };
	struct member m;
	bool of_value;

	name = names_spell(&t->q->names, name, t->env->keep);
	if (!query_member(t->q, name, &m, &of_value, &why)) {
		member_column(t, full_name(t, name, of_value), &m, of_value, false);
		return 0;
	}
	switch (names_row(&t->q->names, name)) {
	case ROW_CPU:
		t->of_cpus = true;
		column_new(t, &(struct column){ .name = "cpu", .help = "CPU of the value", .what = CPU });
		return 0;
	case ROW_MAP:
		column_new(t, &(struct column){ .name = "map_id",
						.help = "id of the map that contains the element",
						.what = MAP_ID });
		return 0;
	case ROW_NONE:
		break;
	}
	*e = why;
	return e->code;
}

struct usual {
	struct elem_table *table;
	const char *root;
};

static void usual_column(void *ctx, const char *path)
{
	const struct usual *u = ctx;
	struct elem_table *t = u->table;
	const char *name = arena_fmt(t->env->keep, "%s%s", u->root, path);
	struct err none = { 0 };
	struct member m;
	bool of_value;

	if (t->n < ELEM_TABLE_USUAL && !query_member(t->q, name, &m, &of_value, &none))
		member_column(t, name, &m, of_value, true);
}

static void usual_columns(struct elem_table *t)
{
	const struct query_names *n = &t->q->names;
	struct err none = { 0 };

	if (n->key)
		members_each(n->key, usual_column, &(struct usual){ t, "key" });
	if (t->q->out.cpus)
		named_column(t, "cpu", &none);
	if (n->value)
		members_each(n->value, usual_column, &(struct usual){ t, "value" });
}

static int columns_parse(struct elem_table *t, const char *text, struct err *e)
{
	int err = 0;

	if (*text == '+') {
		usual_columns(t);
		text++;
		if (!*text)
			return 0;
	}
	for (const char *p = text; !err; p++) {
		const char *name;

		p += strspn(p, " ");
		name = arena_str(t->env->keep, p, strcspn(p, ", "));
		err = named_column(t, name, e);
		p += strcspn(p, ",");
		if (!*p)
			break;
	}
	return err;
}

/* The heading is the shortest unambiguous name. */
static const char *title_of(const struct elem_table *t, const struct column *c)
{
	const char *dot = strchr(c->name, '.');
	struct err none = { 0 };
	struct member m;
	bool of_value;

	if (!dot || query_member(t->q, dot + 1, &m, &of_value, &none) || of_value != (c->what == OF_VALUE) ||
	    m.step != c->member.step || m.off != c->member.off)
		return c->name;
	return dot + 1;
}

static enum field_type type_of(const struct column *c)
{
	bool is_signed = false;

	if (c->what < CPU && !member_is_int(&c->member, &is_signed))
		return FT_JSON;
	return is_signed ? FT_INT : FT_UINT;
}

static enum role role_of(const struct column *c)
{
	if (c->what < CPU && c->plan && member_is_enum(&c->member))
		return ROLE_KIND;
	return c->what == OF_KEY ? ROLE_KEY : c->what == MAP_ID ? ROLE_ID : ROLE_NONE;
}

static struct field field_of(const struct elem_table *t, size_t i)
{
	const struct column *c = &t->cols[i];
	const uint16_t at = (uint16_t)(i * sizeof(struct slot));
	struct field f = {
		.name = c->name,
		.help = c->help,
		.title = title_of(t, c),
		.type = type_of(c),
		.flags = FIELD_DEFAULT,
		.off = at,
		.size = sizeof(uint64_t),
		.role = (uint8_t)role_of(c),
		.when = (uint16_t)(at + offsetof(struct slot, avail)),
		.drop = c->usual && c->what == OF_VALUE ? (uint8_t)(i + 1) : 0,
	};

	if (c->what >= CPU || !is_bytes(t, c))
		return f;
	f.type = FT_LIST;
	f.elem = FT_UINT;
	f.elem_size = 1;
	f.unit = FU_BYTE;
	f.count = (uint16_t)(at + offsetof(struct slot, n));
	return f;
}

/* A list of bytes of a map without types, value[2], is bytes, not a number. */
static void schema_make(struct elem_table *t)
{
	struct field *fields = arena_array(t->env->keep, t->n, sizeof(*fields));

	for (size_t i = 0; i < t->n; i++)
		fields[i] = field_of(t, i);
	t->schema = arena_alloc(t->env->keep, sizeof(*t->schema));
	*t->schema =
		(struct schema){ .name = "element", .fields = fields, .n = t->n, .rec_size = t->n * sizeof(*t->row) };
	t->row = arena_array(t->env->keep, t->n, sizeof(*t->row));
}

#define COLUMNS_MOST (UINT16_MAX / sizeof(struct slot))

int elem_table_map(struct elem_table *t, const struct query *q, uint32_t id, const char *columns, bool several,
		   struct err *e)
{
	int err = 0;

	t->q = q;
	t->id = id;
	t->cols = NULL;
	t->n = t->cap = 0;
	t->of_cpus = false;
	if (several)
		err = named_column(t, "map_id", e);
	if (!err)
		err = columns_parse(t, columns, e);
	if (!err && t->n > COLUMNS_MOST)
		err = err_usage(e, "too many columns: %zu, at most %zu fit", t->n, (size_t)COLUMNS_MOST);
	if (err)
		return err_in(e, "map %u", id);
	schema_make(t);
	return 0;
}

void elem_table_open(struct elem_table *t)
{
	if (!t->begun)
		render_begin(&t->render);
	t->begun = true;
	render_section(&t->render, t->schema, NULL);
}

struct elem_table *elem_table_begin(struct env *env, bool headings)
{
	struct elem_table *t = arena_alloc(env->keep, sizeof(*t));

	t->env = env;
	env_render(env, &t->render);
	if (t->render.ops == &render_plain)
		t->render.ops = &render_table;
	t->render.headings = headings;
	t->render.measure = ELEM_TABLE_MEASURE;
	return t;
}

static const char *text_of(const struct column *c, const unsigned char *bytes, size_t n, struct arena *a)
{
	return value_line(c->plan, bytes + c->base, n - c->base, a);
}

static void slot_set(struct elem_table *t, size_t i, const unsigned char *bytes, size_t n)
{
	const struct column *c = &t->cols[i];
	struct slot *s = &t->row[i];

	s->avail = AVAIL_YES;
	if (c->member.off > n || c->member.size > n - c->member.off) {
		s->avail = AVAIL_NO;
	} else if (is_bytes(t, c)) {
		s->p = bytes + c->member.off;
		s->n = (uint32_t)c->member.size;
	} else if (c->plan) {
		s->p = text_of(c, bytes, n, t->env->arena);
	} else {
		s->u = member_int(&c->member, bytes);
	}
}

/* A missing value does not apply; one that could not be read is marked. */
static void row_print(struct elem_table *t, const unsigned char *key, uint32_t cpu, int err)
{
	const struct elem_form *f = &t->q->out;
	ARENA_SCOPE(t->env->arena);

	for (size_t i = 0; i < t->n; i++) {
		switch (t->cols[i].what) {
		case OF_KEY:
			slot_set(t, i, key, f->key_size);
			break;
		case OF_VALUE:
			if (!err)
				slot_set(t, i, key + f->key_size + cpu * elem_value_step(f), f->value_size);
			else
				t->row[i].avail = err == -ENOENT ? AVAIL_NO : AVAIL_UNKNOWN;
			break;
		case CPU:
			t->row[i] = (struct slot){ .u = elem_cpu(f, cpu), .avail = err ? AVAIL_NO : AVAIL_YES };
			break;
		case MAP_ID:
			t->row[i] = (struct slot){ .u = t->id, .avail = AVAIL_YES };
			break;
		}
	}
	render_record(&t->render, t->row);
}

void elem_table_add(struct elem_table *t, const unsigned char *key, int err)
{
	for (uint32_t cpu = 0; cpu < elem_table_rows(t, err); cpu++)
		elem_table_row(t, key, cpu, err);
}

uint32_t elem_table_rows(const struct elem_table *t, int err)
{
	return t->of_cpus && !err && t->q->out.cpus ? t->q->out.cpus : 1;
}

void elem_table_row(struct elem_table *t, const unsigned char *key, uint32_t cpu, int err)
{
	if (elem_table_rows(t, err) == 1 || query_row(t->q, key, cpu))
		row_print(t, key, cpu, err);
}

void elem_table_by_cpu(struct elem_table *t)
{
	const struct query *q = t->q;
	const uint32_t cpus = q->out.cpus;
	int err;

	for (uint64_t k = 0; k < cpus * (uint64_t)q->n && !out_dead(t->env->report->out); k++) {
		const uint32_t cpu = (uint32_t)(k / q->n);
		const unsigned char *key = query_find_elem(q, k % q->n, &err);

		if (cpu < elem_table_rows(t, err))
			elem_table_row(t, key, q->descending ? cpus - 1 - cpu : cpu, err);
	}
}

void elem_table_end(struct elem_table *t)
{
	if (t->begun)
		report_render_end(t->env->report, &t->render);
}

bool elem_table_is_text(const struct elem_table *t)
{
	return t->render.ops == &render_table && t->render.headings;
}

int elem_table_columns(struct env *env, const struct query *q, uint32_t id, struct err *e)
{
	struct elem_table t = { .env = env, .q = q, .id = id };
	int err;

	usual_columns(&t);
	err = named_column(&t, "map_id", e);
	schema_make(&t);
	return err ? err : columns_print(env, t.schema, NULL, e);
}
