/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/columns.h"

#include "base/near.h"
#include "cli/env.h"
#include "kernel/names.h"
#include "record/column.h"
#include "record/field.h"
#include "record/filter.h"
#include "record/view.h"
#include "render/render.h"

static const char *const type_words[] = {
	[FT_BOOL] = "yes or no", [FT_UINT] = "number", [FT_INT] = "signed number", [FT_REAL] = "number with a fraction",
	[FT_STR] = "text",	 [FT_ENUM] = "word",   [FT_BYTES] = "hex digits",  [FT_TIME] = "time",
	[FT_LIST] = "list",	 [FT_ROWS] = "rows",   [FT_JSON] = "value",
};

static const char *const unit_words[] = {
	[FU_NONE] = "",
	[FU_ADDR] = "address",
	[FU_HEX] = "hex",
	[FU_SIZE] = "bytes",
	[FU_NSEC] = "nanoseconds",
	[FU_COUNTER] = "count",
	[FU_PROG] = "program id",
	[FU_MAP] = "map id",
	[FU_BTF] = "BTF id",
	[FU_LINK] = "link id",
	[FU_PIN] = "path",
	[FU_PID] = "process id",
	[FU_IFINDEX] = "device index",
	[FU_CGROUP] = "cgroup id",
	[FU_NETNS] = "namespace inode",
	[FU_CODE] = "hexadecimal",
	[FU_PERCENT] = "percent",
	[FU_BYTE] = "hexadecimal bytes",
};

const char *column_type(const struct field *f, struct arena *a)
{
	return f->type == FT_LIST ? arena_fmt(a, "list: %s", type_words[f->elem]) : type_words[f->type];
}

const char *column_unit(const struct field *f)
{
	return unit_words[f->unit];
}

static int word_known(struct env *env, const struct filter_word *w, struct err *e)
{
	const struct name_table *t = w->field->among;
	struct near near = { 0 };

	/* Several machines: one of them may have the name. */
	if (names_value(t, w->text) >= 0 || str_starts(w->text, "unknown(") || !env->machine ||
	    names_are_newer(env->machine, t, w->text))
		return 0;
	for (unsigned i = 0; i < t->n; i++)
		if (names_of(t, i))
			near_offer(&near, w->text, names_of(t, i));
	err_usage(e, "filter: no %s is named '%.64s'", w->field->name, w->text);
	return near_hint(&near, e);
}

int columns_view(struct env *env, struct view *ret, const struct schema *s, const struct schema *const *parts,
		 const char *cols, const char *filter, const char *sort, struct err *e)
{
	int err = view_parse(ret, s, parts, cols, filter, sort, env->keep, e);

	for (size_t i = 0; !err && i < ret->nwords; i++)
		err = word_known(env, &ret->words[i], e);
	return err;
}

struct column_rec {
	const char *name, *type, *unit, *of, *help;
	bool usual;
};

static const struct field column_fields[] = {
	FIELD(column_rec, name, "name", "name of the column", .role = ROLE_NAME, .flags = FIELD_DEFAULT),
	FIELD(column_rec, type, "type", "type of the values", .role = ROLE_KIND, .flags = FIELD_DEFAULT),
	FIELD(column_rec, unit, "unit", "unit of the values", .flags = FIELD_DEFAULT),
	FIELD(column_rec, of, "of", "objects that have the column, if not all", .flags = FIELD_DEFAULT | FIELD_NONZERO,
	      .drop = 1),
	FIELD(column_rec, usual, "default", "shown by default"),
	FIELD(column_rec, help, "help", "meaning of the column", .flags = FIELD_DEFAULT | FIELD_PROSE),
};
static const struct schema column_schema = SCHEMA("column", column_rec, column_fields);

int columns_print(struct env *env, const struct schema *s, const struct schema *const *parts, struct err *e)
{
	struct columns c = { .s = s, .parts = parts };
	const struct field *f;
	struct render r;

	env_render(env, &r);
	if (r.ops == &render_plain)
		r.ops = &render_table;
	render_begin(&r);
	render_section(&r, &column_schema, NULL);
	while ((f = columns_next(&c))) {
		struct column_rec rec = {
			f->name, column_type(f, r.arena),  column_unit(f), c.s == s ? NULL : c.s->name,
			f->help, f->flags & FIELD_DEFAULT,
		};

		render_record(&r, &rec);
	}
	report_render_end(env->report, &r);
	return 0;
}
