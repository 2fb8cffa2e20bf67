/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/heat_xlated.h"

#include "code/rec.h"
#include "code/heat.h"
#include "code/hot.h"
#include "code/insn_heat.h"
#include "code/xlated.h"
#include "render/doc.h"

/* Samples that are shown beside the first instruction of a run. */
struct run_count {
	uint64_t samples;
	double percent;
	uint8_t has; /* enum avail */
};
#define RUN_COUNT_FIELD(m, name, help, ...) \
	FIELD_IF(run_count, m, has, name, help, .flags = FIELD_NOPLAIN, ##__VA_ARGS__)
static const struct field run_count_fields[] = {
	RUN_COUNT_FIELD(samples, "run_samples",
			"in BPF instructions: samples from here to the next instruction with this key"),
	RUN_COUNT_FIELD(percent, "run_percent", "share of the program's samples", .unit = FU_PERCENT),
};
const struct schema run_count_schema = SCHEMA("run_count", run_count, run_count_fields);

void heat_xlated_hot(const struct heat *h, const struct insn_heat *runs, const struct xlated *x, struct hot *ret)
{
	XLATED_WALK k = { .x = x };
	struct source_line line = { 0 };

	while (xlated_next(&k)) {
		const struct insn_run *r = insn_heat_at(runs, k.i);

		line = k.source.text ? k.source : line;
		if (r && r->line && r->samples)
			hot_add(ret, (struct hot_spot){ .samples = r->samples, .at = k.i, .line = line });
	}
	hot_fold(ret, h->samples);
}

/* The samples of a run are beside its source line, or beside its first instruction if it has none. */
static void insn_write(const struct xlated_walk *k, const struct xlated_style *style, const struct insn_run *r,
		       struct heat_margin *m, struct doc *d)
{
	struct run_count count = { .has = r ? AVAIL_UNKNOWN : AVAIL_NO };
	struct xlated_rec rec;

	xlated_rec(k, style, true, &rec);
	if (r && m->heat->nfuncs)
		count = (struct run_count){ r->samples, hot_percent(r->samples, m->heat->samples), AVAIL_YES };
	m->line = k->source.text ? count.samples : 0;
	m->insn = k->source.text ? 0 : count.samples;
	doc_object(d, NULL);
	doc_fields(d, &run_count_schema, &count);
	doc_fields(d, &schema_xlated, &rec);
	doc_end(d);
}

void heat_xlated_write(const struct heat *h, const struct insn_heat *runs, const struct xlated *x,
		       const struct xlated_style *style, struct doc *d)
{
	struct heat_margin m = { .heat = h, .most = h->samples };
	XLATED_WALK k = { .x = x, .labels = style->labels };
	struct hot hot = { 0 };

	heat_write_sum(h, d);
	heat_xlated_hot(h, runs, x, &hot);
	hot_write(&hot, &hot_line_schema, "hottest_lines", "\nhottest lines:\n", d);
	hot_release(&hot);
	doc_text(d, "\n");
	doc_margin(d, heat_margin_put, &m);
	doc_list(d, "xlated");
	while (!doc_dead(d) && xlated_next(&k))
		insn_write(&k, style, insn_heat_at(runs, k.i), &m, d);
	doc_end(d);
	doc_margin(d, NULL, NULL);
}
