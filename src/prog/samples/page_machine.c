/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/page_machine.h"

#include "base/base.h"
#include "cli/select.h"
#include "code/jited.h"
#include "record/field.h"
#include "source/facts.h"

static const struct field page_fields[] = {
	FIELD(page_machine, host, "host", "name of the host", .plain = "%: ", .flags = FIELD_NONZERO),
	FIELD_IF(page_machine, kernel, has_kernel, "release", "release of the kernel", .plain = "Linux %", .col = 1),
	FIELD_IF(page_machine, machine, has_kernel, "machine", "hardware name from uname(2)", .plain = " %", .col = 2),
	FIELD_AS(page_machine, saved, FT_TIME, "saved_at", "time when the file was written", .plain = ", saved at %",
		 .col = 3, FIELD_WHEN(page_machine, has_saved)),
	FIELD_AS(page_machine, from, FT_TIME, "recorded_from", "start of the recording", .plain = "recorded from %",
		 .line = 1, FIELD_WHEN(page_machine, has_time)),
	FIELD_AS(page_machine, to, FT_TIME, "recorded_to", "end of the recording; ? if it was killed", .plain = " to %",
		 .line = 1, .col = 1, FIELD_WHEN(page_machine, has_end)),
	FIELD_IF(page_machine, programs, has_programs, "programs_all",
		 "programs that were loaded before or during the recording", .plain = "% program(s)", .line = 2),
	FIELD_IF(page_machine, gone, has_lives, "programs_gone", "programs that were unloaded before the end",
		 .plain = ", % of them unloaded before the end", .line = 2, .col = 1),
	FIELD_IF(page_machine, missing, has_lives, "programs_missing", "programs with missing answers",
		 .plain = ", % incomplete", .line = 2, .col = 2),
};
const struct schema page_schema = SCHEMA("page", page_machine, page_fields, .indent = "");

void page_machine_read(struct env *env, struct page_machine *ret)
{
	struct recording_facts f;
	struct err why = { 0 };
	const uint32_t *ids;
	size_t n;

	*ret = (struct page_machine){ 0 };
	ret->kernel = facts_release(env->machine);
	ret->has_kernel = ret->kernel ? AVAIL_YES : AVAIL_UNKNOWN;
	ret->machine = jited_machine(env);
	ret->has_programs = select_all(env, &kind_prog, &ids, &n, &why) ? AVAIL_UNKNOWN : AVAIL_YES;
	ret->programs = ret->has_programs == AVAIL_YES ? (uint32_t)n : 0;
	ret->host = facts_host(env->machine);
	ret->saved = facts_asked_at(env->machine);
	ret->has_saved = ret->saved ? AVAIL_YES : AVAIL_NO;
	if (!facts_recording(env->machine, &f))
		return;
	ret->has_saved = AVAIL_NO;
	ret->has_lives = AVAIL_YES;
	ret->gone = f.gone;
	ret->missing = f.missing;
	ret->has_time = f.dated ? AVAIL_YES : AVAIL_UNKNOWN;
	ret->has_end = f.dated && !f.killed ? AVAIL_YES : AVAIL_UNKNOWN;
	ret->from = f.from;
	ret->to = f.to;
}
