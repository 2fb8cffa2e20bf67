/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/xlated.h"

#include "base/out.h"
#include "prog/code_rec.h"
#include "prog/labels.h"
#include "render/doc.h"

/* The arrows between labels: an arm beside the instruction, only the lanes beside what stands above and below it. */
struct beside { struct margin margin; size_t at; };

static void margin_put(void *ctx, unsigned line, struct out *o)
{
	struct beside *b = ctx;

	if (line == LINE_INSN)
		margin_row(&b->margin, b->at, o);
	else
		margin_gap(&b->margin, o);
}

void xlated_write(const struct xlated *x, const struct xlated_style *style, struct doc *d, const char *name)
{
	XLATED_WALK k = { .x = x, .labels = style->labels };
	struct beside b = { .margin.labels = style->labels };
	struct xlated_rec rec;

	doc_margin(d, margin_put, &b);
	doc_list(d, name);
	while (!doc_dead(d) && xlated_next(&k)) {
		b.at = k.i;
		xlated_rec(&k, style, true, &rec);
		doc_record(d, &schema_xlated, &rec);
	}
	doc_end(d);
	doc_margin(d, NULL, NULL);
}
