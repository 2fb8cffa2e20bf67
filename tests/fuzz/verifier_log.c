/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "load/rejection.h"
#include "load/verdict.h"
#include "record/field.h"
#include "render/doc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Any text as the verifier's log; what is read from it is printed in either form. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *log = malloc(size + 1);
	struct rejection r = { .prog = "prog", .section = "xdp" };
	struct verifier_stats stats;
	static const struct verified_func funcs[] = { { 0, "first" }, { 4, "second" } };
	struct verified_lines v;
	uint64_t sum;
	ARENA a = arena_new();
	struct jsonw jw;
	struct out out;
	struct doc d;

	if (!log)
		return 0;
	memcpy(log, data, size);
	log[size] = '\0';
	rejection_read(&r, log, a);
	verifier_stats_read(&stats, log, a);
	sum = 2 * verified_lines_read(log, &(struct verified_funcs){ funcs, 2 }, a, &v);
	for (uint32_t i = 0; i < v.nlines; i++)
		sum -= v.lines[i].insns;
	for (uint32_t i = 0; i < v.nfuncs; i++)
		sum -= v.funcs[i].insns;
	if (sum)
		abort();
	free(log); /* it keeps nothing of it */
	for (unsigned json = 0; json < 2; json++) {
		out_init(&out, -1);
		jsonw_init(&jw, &out, false);
		doc_init(&d, &out, json ? &jw : NULL, a);
		doc_object(&d, NULL);
		doc_fields(&d, &rejection_schema, &r);
		doc_end(&d);
		if (json && (jw.depth || jw.named))
			abort();
		out_close(&out, NULL);
	}
	if (r.nbranches && !r.has_insn)
		abort();
	return 0;
}
