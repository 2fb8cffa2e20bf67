/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "types/btf.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "record/field.h"
#include "render/jsonw.h"
#include "render/render.h"
#include "source/facts.h"
#include "source/source.h"
#include "../tools/fake_source.h"

/* A machine of given answers. Add these, then read and print its objects. */
#define FAKE_MAX 64
struct fake_machine {
	struct fake_answer answers[FAKE_MAX + 1];
	unsigned n;
	struct arena *mem; /* of the answers */
	struct env env;
	struct globals globals;
	struct report report;
	struct out text;
	unsigned skip; /* needs that plain and JSON leave out */
};

static inline void fake_init(struct fake_machine *m)
{
	struct source *src = NULL;

	memset(m, 0, sizeof(*m));
	m->mem = arena_new();
	m->env.arena = arena_new();
	m->env.keep = arena_new();
	m->env.opts = &m->globals;
	assert_int_equal(source_fake(&src, m->answers), 0);
	m->env.machine = machine_new(src);
	m->env.report = &m->report;
	m->report.out = &m->text;
	out_init(&m->text, -1);
	m->skip = NEED_PINS;
}

static inline void fake_free(struct fake_machine *m)
{
	machine_free(&m->env.machine);
	report_release(&m->report);
	arena_free(m->env.keep);
	arena_free(m->env.arena);
	arena_free(m->mem);
	out_close(&m->text, NULL);
}

static inline void fake_set(struct fake_machine *m, const char *key, int err, const void *p, size_t n)
{
	unsigned i;

	for (i = 0; i < m->n && strcmp(m->answers[i].key, key); i++)
		;
	assert_true(i < FAKE_MAX);
	m->answers[i] =
		(struct fake_answer){ arena_str(m->mem, key, SIZE_MAX), err, n ? arena_dup(m->mem, p, n) : "", n };
	m->n += i == m->n;
}

static inline void fake_text(struct fake_machine *m, const char *key, const char *text)
{
	fake_set(m, key, 0, text, strlen(text));
}

/* Buffers behind pointers: lengths and bytes, one after the other. */
struct fake_buf {
	const void *p;
	uint32_t n;
};
static inline void fake_bufs(struct fake_machine *m, const char *key, const struct fake_buf *bufs, size_t n)
{
	char all[4096];
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		assert_true(len + sizeof(bufs[i].n) + bufs[i].n <= sizeof(all));
		memcpy(all + len, &bufs[i].n, sizeof(bufs[i].n));
		if (bufs[i].n)
			memcpy(all + len + sizeof(bufs[i].n), bufs[i].p, bufs[i].n);
		len += sizeof(bufs[i].n) + bufs[i].n;
	}
	fake_set(m, key, 0, all, len);
}

/* Read an object with all its fields; NULL and *ret_err if that fails. */
static inline void *fake_read(struct fake_machine *m, const struct kind *k, uint32_t id, unsigned need, int *ret_err)
{
	void *rec = arena_alloc(m->env.arena, k->schema->rec_size);
	struct err e = { 0 };
	int err = k->read(&m->env, m->env.arena, id, need, rec, &e);

	assert_int_equal(err, e.code);
	if (ret_err)
		*ret_err = err;
	else
		assert_int_equal(err, 0);
	return err ? NULL : rec;
}

static inline const char *fake_plain(struct fake_machine *m, const struct kind *k, const void *rec)
{
	struct render r = { .ops = &render_plain, .out = &m->text, .arena = m->env.arena, .skip_need = m->skip };

	m->text.n = 0;
	render_begin(&r);
	render_section(&r, k->schema, NULL);
	render_record(&r, rec);
	render_end(&r);
	return out_cstr(&m->text);
}

static inline const char *fake_json(struct fake_machine *m, const struct kind *k, const void *rec, size_t *unknown)
{
	struct jsonw w;

	m->text.n = 0;
	jsonw_init(&w, &m->text, false);
	jsonw_object(&w);
	render_json_fields(&w, k->schema, rec, m->skip, unknown);
	jsonw_end(&w);
	return out_cstr(&m->text);
}
