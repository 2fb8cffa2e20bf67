/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/xlated.h"

#include "code/rec.h"
#include "code/labels.h"
#include "render/doc.h"

void xlated_write(const struct xlated *x, const struct xlated_style *style, struct doc *d, const char *name)
{
	XLATED_WALK k = { .x = x, .labels = style->labels };
	struct code_margin b = { .margin.labels = style->labels };
	struct xlated_rec rec;

	doc_margin(d, code_margin_put, &b);
	doc_list(d, name);
	while (!doc_dead(d) && xlated_next(&k)) {
		b.at = k.i;
		xlated_rec(&k, style, true, &rec);
		doc_record(d, &schema_xlated, &rec);
	}
	doc_end(d);
	doc_margin(d, NULL, NULL);
}
