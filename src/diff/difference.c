/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/difference.h"

#include "cli/columns.h"
#include "record/field.h"

static const char *const change_kinds[] = { "new", "gone", "changed", "reloaded", "unknown", "rate" };
static const struct names change_names = NAMES(change_kinds);
static const char marks[] = "+-!!?~";

static size_t object_mark_text(const void *rec, char *buf, size_t size)
{
	return str_snprintf(buf, size, "%c", marks[((const struct diff_record *)rec)->change]);
}

static size_t rate_text(const void *rec, char *buf, size_t size)
{
	const struct diff_record *d = rec;

	return d->has_rate == AVAIL_NO ? 0 : str_snprintf(buf, size, "%.10g", d->rate);
}

static size_t increase_text(const void *rec, char *buf, size_t size)
{
	const struct diff_record *d = rec;

	return d->has_increase == AVAIL_YES ? str_snprintf(buf, size, "%+lld", (long long)d->increase) : 0;
}

#define DIFF_FIELD_NZ(m, name, help, ...) FIELD(diff_record, m, name, help, .flags = FIELD_NONZERO, ##__VA_ARGS__)
static const struct field fields[] = {
	FIELD_AS(
		diff_record, change, FT_ENUM, "change",
		"kind of change: new, gone, changed, reloaded (other code), unknown on one side, or rate (no difference)",
		.role = ROLE_CHANGED, .names = &change_names, .plain = "%", .text = object_mark_text),
	FIELD(diff_record, kind, "kind",
	      "kind: prog, map, link or btf; of object files also object, func, variable, extern, section, need or verifier",
	      .role = ROLE_KIND, .plain = " %", .col = 1),
	DIFF_FIELD_NZ(type, "type", "its type", .role = ROLE_KIND, .plain = " %", .col = 2),
	DIFF_FIELD_NZ(name, "name", "name of the object; for a link, that of its program", .role = ROLE_NAME,
		      .plain = " %", .col = 3),
	FIELD(diff_record, old_id, "old_id", "id in the first source", .flags = FIELD_NONZERO | FIELD_NOPLAIN),
	FIELD(diff_record, new_id, "new_id", "id in the second source", .flags = FIELD_NONZERO | FIELD_NOPLAIN),
	FIELD_AS(diff_record, key, FT_JSON, "key", "key of the element (in a map)", .plain = "[%]", .col = 5,
		 FIELD_WHEN(diff_record, has_element)),
	DIFF_FIELD_NZ(member, "member", "member (of the value of an element)", .role = ROLE_NAME, .plain = "%",
		      .col = 6),
	DIFF_FIELD_NZ(field, "field", "field that differs, as `list -o` names it; where: attach points of the object",
		      .plain = ": %", .col = 7),
	FIELD_AS(diff_record, before, FT_JSON, "before",
		 "previous value (on the first machine); null: it does not apply, or is not known", .plain = ": %",
		 .col = 8, FIELD_WHEN(diff_record, has_before)),
	FIELD_AS(diff_record, after, FT_JSON, "after", "new value (on the second machine)", .plain = " -> %", .col = 9,
		 FIELD_WHEN(diff_record, has_after)),
	FIELD_IF(diff_record, increase, has_increase, "increase", "increase (of a figure of the verifier)",
		 .plain = " (%)", .text = increase_text, .col = 10),
	FIELD_IF(diff_record, rate, has_rate, "per_second", "increase of a counter per second; null: not known",
		 .plain = " (%/s)", .text = rate_text, .col = 11),
	FIELD_LIST(diff_record, code, ncode, FT_STR, "code_diff",
		   "differences of the instructions, in the format of diff -u", .plain = "%", .line = 1,
		   .flags = FIELD_EACH, FIELD_WHEN(diff_record, has_code)),
};
const struct schema diff_schema = SCHEMA("difference", diff_record, fields);

/* `--stat`: a record for each kind. */
struct stat_row {
	const char *kind;
	uint64_t of[DIFFERENCE_UNKNOWN + 1]; /* enum difference_kind */
	uint64_t insns_new, insns_gone;
	uint8_t has_insns; /* enum avail */
};
#define STAT_FIELD(change, word, help) \
	FIELD(stat_row, of[change], "objects_" word, help, .plain = "  " word " %", .flags = FIELD_PLAIN_NZ)
static const struct field stat_fields[] = {
	FIELD(stat_row, kind, "kind", "kind, of the objects", .role = ROLE_KIND, .plain = "%", .width = 10),
	STAT_FIELD(DIFFERENCE_NEW, "new", "number of objects that only the second source has"),
	STAT_FIELD(DIFFERENCE_GONE, "gone", "number of objects that only the first source has"),
	STAT_FIELD(DIFFERENCE_FIELD, "changed", "number of objects that differ"),
	STAT_FIELD(DIFFERENCE_UNKNOWN, "unknown", "number of objects that could not be compared"),
	FIELD_IF(stat_row, insns_new, has_insns, "insns_new", "number of instructions that changed programs gained",
		 .plain = "  insns +%"),
	FIELD_IF(stat_row, insns_gone, has_insns, "insns_gone", "number of instructions that changed programs lost",
		 .plain = " -%"),
};
const struct schema diff_stat_schema = SCHEMA("difference_stat", stat_row, stat_fields);

static bool is_ignored(const struct differences_opts *o, const char *field)
{
	for (size_t i = 0; field && i < o->ignore.n; i++)
		if (!strcmp(o->ignore.word[i], field))
			return true;
	return false;
}

static struct stat_row *stat_of(struct differences *d, const char *kind)
{
	for (size_t i = 0; i < d->nrows; i++)
		if (!strcmp(d->row[i].kind, kind))
			return &d->row[i];
	ARENA_MORE(d->env->keep, d->row, d->nrows, d->cap);
	d->row[d->nrows].kind = kind;
	return &d->row[d->nrows++];
}

/* An object with several differences counts once. */
static void difference_count(struct differences *d, const struct diff_record *one)
{
	const bool whole = !one->field && !one->key;
	const unsigned of = one->key || one->change == DIFFERENCE_CODE ? DIFFERENCE_FIELD : one->change;
	struct stat_row *row = stat_of(d, one->kind);
	STR id = { 0 };
	void **slot;

	str_fmt(&id, "%u %s %s %s %u %u", of, one->kind, one->type ? one->type : "", one->name ? one->name : "",
		one->old_id, one->new_id);
	slot = hash_put(&d->seen, hash_text(HASH_TEXT, id.p));
	row->of[of] += whole || !*slot;
	*slot = d;
	if (one->has_code == AVAIL_YES)
		row->has_insns = AVAIL_YES;
	/* "+(b7) r1 = 6" */
	for (uint32_t i = 0; i < one->ncode; i++) {
		row->insns_new += str_starts(one->code[i], "+(");
		row->insns_gone += str_starts(one->code[i], "-(");
	}
}

int differences_init(struct differences *d, struct env *env, const struct differences_opts *o, struct err *e)
{
	*d = (struct differences){ .env = env, .o = o };
	hash_init(&d->seen, env->keep);
	return columns_view(env, &d->view, &diff_schema, NULL, NULL, o->filter, NULL, e);
}

void differences_begin(struct differences *d)
{
	env_doc(d->env, &d->d);
	doc_stream(&d->d, NULL);
}

void difference_put(struct differences *d, const struct diff_record *one)
{
	if (is_ignored(d->o, one->key ? "elements" : one->field) || !view_match(&d->view, &diff_schema, one))
		return;
	d->env->report->differs |= one->change != DIFFERENCE_RATE;
	if (!d->o->stat)
		doc_record(&d->d, &diff_schema, one);
	else if (one->change != DIFFERENCE_RATE)
		difference_count(d, one);
}

void differences_end(struct differences *d)
{
	for (size_t i = 0; i < d->nrows; i++)
		doc_record(&d->d, &diff_stat_schema, &d->row[i]);
	doc_end(&d->d);
	env_doc_end(d->env, &d->d);
}
