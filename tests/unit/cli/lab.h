/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "../test.h"
#include "../../tools/fake_source.h"

#include <errno.h>
#include <string.h>

#include "types/btf.h"
#include "cli/command.h"
#include "record/field.h"
#include "render/jsonw.h"
#include "source/facts.h"
#include "source/source.h"

/*
 * An environment on a fake source, and a kind of object that needs no kernel. Ids 1 to 7 are listed; 3 has vanished
 * since, 4 is refused, 5 could not be read completely.
 */
struct lab_rec {
	uint32_t id, type;
	const char *name;
	uint8_t has_name;
	const char *pin;
};
static const char *const lab_type_words[] = { "red", "green" };
static const struct names lab_types = NAMES(lab_type_words);
static const struct field lab_fields[] = {
	FIELD(lab_rec, id, "id", "its number", .plain = "%:", .flags = FIELD_DEFAULT),
	FIELD_AS(lab_rec, type, FT_ENUM, "type", "its colour", .plain = "%", .names = &lab_types, .col = 1,
		 .flags = FIELD_DEFAULT),
	FIELD_IF(lab_rec, name, has_name, "name", "name of the column", .col = 2),
	FIELD(lab_rec, pin, "pinned", "where", .need = NEED_PINS, .flags = FIELD_NONZERO, .line = 1),
};
static const struct schema lab_schema = SCHEMA("lab", lab_rec, lab_fields);
static const struct {
	const char *name, *tag;
} lab_objects[] = {
	{ "", "" },
	{ "one", "0000000000000001" },
	{ "same", "0000000000000002" },
	{ "gone", "" },
	{ "refused", "" },
	{ "a_very_long_name_of_it", "0000000000000005" },
	{ "same", "0000000000000006" },
	{ "a_very_long_na", "0000000000000007" },
};
static unsigned lab_asked; /* needs of the last read */

static inline int lab_missing(uint32_t id, struct err *e)
{
	if (id == 3 || !id || id >= ARRAY_SIZE(lab_objects))
		return -ENOENT;
	return id == 4 ? err_sys(e, -EPERM, "thing 4: cannot open") : 0;
}

static int lab_read(struct env *env, struct arena *a, uint32_t id, unsigned need, void *rec, struct err *e)
{
	struct lab_rec *r = rec;
	int err = lab_missing(id, e);

	if (err)
		return err;
	lab_asked = need;
	*r = (struct lab_rec){ id, id & 1, arena_fmt(a, "%s", lab_objects[id].name),
			       id == 5 ? AVAIL_UNKNOWN : AVAIL_YES, need & NEED_PINS ? "/pin" : NULL };
	return 0;
}

static int lab_label(struct env *env, struct arena *a, uint32_t id, struct object_label *ret, struct err *e)
{
	int err = lab_missing(id, e);

	(void)env;
	if (!err)
		*ret = (struct object_label){ lab_type_words[id & 1], lab_objects[id].name, lab_objects[id].tag };
	return err;
}

static const struct kind lab_kind = {
	.name = "prog",
	.noun = "thing",
	.help = "for tests",
	.object = OBJECT_PROG,
	.schema = &lab_schema,
	.selectors = SEL_ID | SEL_NAME | SEL_TAG | SEL_PINNED,
	.read = lab_read,
	.label = lab_label,
};

static const uint32_t lab_ids[] = { 1, 2, 3, 4, 5, 6, 7 };
static const char lab_pins[] = "prog 2 /p/two\nmap 9 /p/nine\n";
static const struct fake_answer lab_answers[] = {
	{ "prog/ids", 0, lab_ids, sizeof(lab_ids) },
	{ "sys/pins", 0, lab_pins, sizeof(lab_pins) - 1 },
	{ "map/ids", -EPERM, NULL, 0 },
	{ "link/ids", 0, "", 0 },
	{ "btf/ids", 0, "abc", 3 },
	{ "pin//p/two", 0, "prog 2\n", 7 },
	{ "pin//p/nine", 0, "map 9\n", 6 },
	{ "pin//p/none", -ENOENT, NULL, 0 },
	{ "pin//p/iter", -EMEDIUMTYPE, NULL, 0 },
	{ "pin//p/secret", -EPERM, NULL, 0 },
	{ 0 },
};

struct lab {
	struct globals opts;
	struct out out;
	struct jsonw jw;
	struct report report;
	struct env env;
	struct err e;
};

static inline void lab_start(struct lab *l, struct globals opts, const struct fake_answer *answers)
{
	struct source *src = NULL;

	*l = (struct lab){ .opts = opts };
	out_init(&l->out, -1);
	jsonw_init(&l->jw, &l->out, opts.pretty);
	l->report = (struct report){ .out = &l->out, .jw = opts.json ? &l->jw : NULL, .ndjson = opts.ndjson };
	env_init(&l->env, &l->opts, &l->report);
	assert_int_equal(source_fake(&src, answers), 0);
	l->env.machine = machine_new(src);
	l->env.kind = &lab_kind;
	l->env.group = &groups[0];
}

static inline void lab_end(struct lab *l)
{
	env_close(&l->env);
	report_release(&l->report);
	assert_int_equal(out_close(&l->out, &l->e), l->e.code);
}
