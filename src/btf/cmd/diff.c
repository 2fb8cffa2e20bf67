/* SPDX-License-Identifier: BSD-2-Clause */

#include "btf/cmd/commands.h"
#include "btf/diff.h"
#include "types/types_ref.h"
#include "record/field.h"
#include "render/doc.h"

static const char *const change_words[] = { "removed", "added", "changed" };
static const struct names change_names = NAMES(change_words);

static const struct field part_fields[] = {
	FIELD_AS(diff_part, change, FT_ENUM, "change", "kind of change", .role = ROLE_CHANGED, .names = &change_names),
	FIELD(diff_part, name, "name", "member, with the names of the members that contain it; enumerator"),
	FIELD_IF(diff_part, old.text, has_old, "old_type", "type in the first source; value of an enumerator"),
	FIELD_IF(diff_part, new.text, has_new, "new_type", "type in the second source; value of an enumerator"),
	FIELD_IF(diff_part, old.offset, has_old, "old_offset", "offset in the first source in bits"),
	FIELD_IF(diff_part, new.offset, has_new, "new_offset", "offset in the second source in bits"),
	FIELD_IF(diff_part, old.bits, has_old, "old_bits", "size in the first source in bits"),
	FIELD_IF(diff_part, new.bits, has_new, "new_bits", "size in the second source in bits"),
};

static const char marks[] = "-+!";

static size_t str_copy(const struct str *s, char *buf, size_t size)
{
	return str_snprintf(buf, size, "%s", s->p);
}

static void offset_add(struct str *s, const struct diff_side *m)
{
	str_fmt(s, "%llu", llu(m->offset / 8));
	if (m->offset % 8 || m->bits % 8)
		str_fmt(s, ":%llu", llu(m->offset % 8));
}

/* The old and new state of a member; facts that did not change are printed once. */
static size_t part_text(const void *row, char *buf, size_t size)
{
	const struct diff_part *p = row;
	const struct diff_side *one = p->has_old ? &p->old : &p->new;
	STR text = { 0 };

	str_fmt(&text, "%c %s: %s", marks[p->change], p->name, one->text);
	if (p->change == DIFF_CHANGED && strcmp(p->old.text, p->new.text))
		str_fmt(&text, " -> %s", p->new.text);
	if (one->is_value)
		return str_copy(&text, buf, size);
	str_puts(&text, ", offset ");
	offset_add(&text, one);
	if (p->change == DIFF_CHANGED && p->old.offset != p->new.offset) {
		str_puts(&text, " -> ");
		offset_add(&text, &p->new);
	}
	str_fmt(&text, ", %llu bits", llu(one->bits));
	if (p->change == DIFF_CHANGED && p->old.bits != p->new.bits)
		str_fmt(&text, " -> %llu", llu(p->new.bits));
	return str_copy(&text, buf, size);
}
static const struct schema part_schema = SCHEMA("part", diff_part, part_fields, .text = part_text);

static size_t type_mark_text(const void *rec, char *buf, size_t size)
{
	const struct diff_type *d = rec;

	return str_snprintf(buf, size, "%c", marks[d->change]);
}

static bool has_text(const struct diff_type *d)
{
	return d->old_text || d->new_text;
}

static size_t size_text(const void *rec, char *buf, size_t size)
{
	const struct diff_type *d = rec;

	if (has_text(d))
		return 0;
	if (d->change != DIFF_CHANGED || d->old_size == d->new_size)
		return str_snprintf(buf, size, "size %llu", llu(d->has_old ? d->old_size : d->new_size));
	return str_snprintf(buf, size, "size %llu -> %llu", llu(d->old_size), llu(d->new_size));
}

static size_t type_text(const void *rec, char *buf, size_t size)
{
	const struct diff_type *d = rec;

	if (!has_text(d))
		return 0;
	if (!d->old_text || !d->new_text || !strcmp(d->old_text, d->new_text))
		return str_snprintf(buf, size, "%s", d->old_text ? d->old_text : d->new_text);
	return str_snprintf(buf, size, "%s -> %s", d->old_text, d->new_text);
}

#define QUIET .flags = FIELD_NOPLAIN
static const struct field type_fields[] = {
	FIELD_AS(diff_type, change, FT_ENUM, "change", "kind of change", .role = ROLE_CHANGED, .names = &change_names,
		 .plain = "%", .text = type_mark_text),
	FIELD(diff_type, kind, "kind", "kind: struct, union, enum, typedef, int, float or func", .role = ROLE_KIND,
	      .plain = " %"),
	FIELD(diff_type, name, "name", "name of the type", .role = ROLE_NAME, .plain = " %"),
	FIELD_IF(diff_type, old_id, has_old, "old_id", "id in the first source", QUIET),
	FIELD_IF(diff_type, new_id, has_new, "new_id", "id in the second source", QUIET),
	FIELD_IF(diff_type, old_size, has_old, "old_size", "size in the first source in bytes, 0 for functions",
		 .plain = ": %", .text = size_text),
	FIELD_IF(diff_type, new_size, has_new, "new_size", "size in the second source in bytes, 0 for functions",
		 QUIET),
	FIELD(diff_type, old_text, "old_type", "type in the first source (of a typedef or function)", .plain = ": %",
	      .text = type_text, .flags = FIELD_NONZERO),
	FIELD(diff_type, new_text, "new_type", "type in the second source (of a typedef or function)",
	      .flags = FIELD_NONZERO | FIELD_NOPLAIN),
	FIELD_ROWS(diff_type, parts, nparts, &part_schema, "members", "members that differ (or enumerators)",
		   .plain = "%", .line = 1, .flags = FIELD_EACH),
};
static const struct schema diff_schema = SCHEMA("diff", diff_type, type_fields);

struct btf_diff_opts {
	struct types_ref a, b;
};
static const struct arg diff_args[] = {
	OPERAND("A", ARG_TYPES, struct btf_diff_opts, a, "the first source"),
	OPERAND("B", ARG_TYPES, struct btf_diff_opts, b, "the second source"),
};

static int btf_diff_run(struct env *env, const void *opts, struct err *e)
{
	const struct btf_diff_opts *o = opts;
	const struct btf_types *a, *b;
	struct diff_type d;
	struct diff *diff;
	struct doc doc;
	int err = btf_types_get(env, &o->a, &a, e);

	if (!err)
		err = btf_types_get(env, &o->b, &b, e);
	if (err)
		return err;
	btf_types_whole(env, a);
	btf_types_whole(env, b);
	diff = diff_begin(a, b, env->keep);
	env_doc(env, &doc);
	doc_stream(&doc, NULL);
	while (!doc_dead(&doc) && diff_next(diff, &d)) {
		env->report->differs = true;
		doc_record(&doc, &diff_schema, &d);
	}
	doc_end(&doc);
	env_doc_end(env, &doc);
	return 0;
}

const struct command btf_cmd_diff = {
	.name = "diff",
	.summary = "compare the types of two sources",
	.help = "Types are matched by kind and name, several with the same name in their order; members by name, "
		"including those of anonymous types. Lines begin with + for a type or member of the second source "
		"only, - for one of the first only, and ! for one that changed. The exit status is that of diff(1): "
		"0 no differences, 1 differences, 2 failure.",
	.example = "btf diff prog name count_exits map name counters",
	.schema = &diff_schema,
	ARGS(diff_args, struct btf_diff_opts),
	.flags = CMD_READ | CMD_OURS | CMD_DIFF,
	.run = btf_diff_run,
};
