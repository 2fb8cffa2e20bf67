/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/records.h"
#include "diff/compared.h"
#include "load/load.h"
#include "prog/verify.h"

static const struct verify_rec *verified_at(const struct records *r, uint32_t i)
{
	return (const struct verify_rec *)r->rec + i;
}

/* What was not verified cannot be compared. */
static void unverified_note(struct env *env, const struct verify_rec *r)
{
	struct err why = { 0 };

	if (r->verdict != VERDICT_FAILED)
		return;
	err_set(&why, -ENODATA, "%s: program %s was not verified: %s", r->file, r->name, r->why ? r->why : "");
	report_unread(env->report, &why);
}

static void verified_compare(struct objects *c, const struct verify_rec *a, const struct verify_rec *b)
{
	static const char *const names[] = { "verification", "why",   "insns",	      "states",
					     "peak_states",  "stack", "bytes_xlated", "bytes_jited" };
	const struct verify_rec *r = b ? b : a;
	struct object_difference d = { "verifier", r->type, r->name, a, b };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct field *f = schema_find(&verify_schema, NULL, names[i], NULL);
		const struct value x = a ? field_get(&verify_schema, f, a) : (struct value){ 0 },
				   y = b ? field_get(&verify_schema, f, b) : (struct value){ 0 };

		d.field = f->name;
		d.before = object_value_json(c, f, &x);
		d.after = object_value_json(c, f, &y);
		d.has_increase =
			x.avail == AVAIL_YES && y.avail == AVAIL_YES && f->type == FT_UINT ? AVAIL_YES : AVAIL_NO;
		d.increase = d.has_increase == AVAIL_YES ? (int64_t)(y.u - x.u) : 0;
		if (strcmp(d.before, d.after))
			c->fn(c->ctx, &d);
	}
}

int objects_verified_compare(struct env *env, const char *const path[2], object_differs *fn, void *ctx, struct err *e)
{
	struct objects c = { .env = env, .fn = fn, .ctx = ctx };
	struct records r[2] = { { .s = &verify_schema }, { .s = &verify_schema } };
	uint64_t *key[2];
	struct pairs p;
	int err = 0;

	for (unsigned side = 0; side < 2 && !err; side++) {
		const struct load_request q = { .path = path[side] };

		err = verify_file(env, &q, false, &r[side], e);
		key[side] = arena_array(env->keep, r[side].n, sizeof(**key));
		for (uint32_t i = 0; i < r[side].n; i++) {
			key[side][i] = hash_text(HASH_TEXT, verified_at(&r[side], i)->name);
			unverified_note(env, verified_at(&r[side], i));
		}
	}
	if (err)
		return err;
	pairs_init(&p, env->keep, (uint32_t)r[0].n, (uint32_t)r[1].n);
	pairs_find(&p, (const uint64_t *const[]){ key[0], key[1] });
	for (unsigned side = 0; side < 2; side++)
		for (uint32_t i = 0; i < p.n[side]; i++) {
			const struct verify_rec *one = verified_at(&r[side], i);
			const uint32_t other = p.other[side][i];

			if (side)
				verified_compare(&c, other ? verified_at(&r[0], other - 1) : NULL, one);
			else if (!other)
				verified_compare(&c, one, NULL);
		}
	return 0;
}
