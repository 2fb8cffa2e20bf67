/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "../sample.h"

#include "render/jsonw.h"
#include "render/render.h"

/* One renderer over a memory output. */
struct rendering {
	struct out out;
	struct jsonw jw;
	struct render r;
};

static inline void rendering_start(struct rendering *t, const struct render_ops *ops, const struct view *view)
{
	*t = (struct rendering){ .r = { .ops = ops, .headings = true, .out = &t->out, .jw = &t->jw } };
	out_init(&t->out, -1);
	jsonw_init(&t->jw, &t->out, false);
	t->r.arena = arena_new();
	render_begin(&t->r);
	render_section(&t->r, &sample_schema, view);
}

/* The text, which rendering_free() frees. */
static inline const char *rendering_end(struct rendering *t)
{
	render_end(&t->r);
	return out_cstr(&t->out);
}

static inline void rendering_free(struct rendering *t)
{
	out_close(&t->out, NULL);
	arena_free(t->r.arena);
}
