/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/verify.h"

const char *const verdict_words[VERDICTS] = {
	[VERDICT_ACCEPTED] = "accepted",
	[VERDICT_REJECTED] = "rejected",
	[VERDICT_FAILED] = "failed",
};
static const struct names verdict_names = NAMES(verdict_words);

#define SPENT_FIELDS \
	FIELD(verified_line, insns, "insns", "number of instructions, processed by the verifier with repetitions", \
	      .plain = "%", .width = 10), \
		FIELD(verified_line, share, "share", "share of all, in percent", .unit = FU_PERCENT, .plain = " %", \
		      .width = 6)
static const struct field func_fields[] = {
	SPENT_FIELDS,
	FIELD(verified_line, func, "func", "the function", .role = ROLE_NAME, .plain = "  %"),
};
static const struct schema func_schema = SCHEMA("verified_func", verified_line, func_fields);
static const struct field line_fields[] = {
	SPENT_FIELDS,
	FIELD(verified_line, func, "func", "the function that it is in", .role = ROLE_NAME, .plain = "  %", .width = 16,
	      .flags = FIELD_NONZERO),
	FIELD(verified_line, at, "at", "file and line of the source", .plain = "  %", .flags = FIELD_NONZERO),
	FIELD(verified_line, source, "source", "line of source, or the instruction if there is none", .plain = "  %",
	      .role = ROLE_SOURCE),
};
static const struct schema line_schema = SCHEMA("verified_line", verified_line, line_fields);

static size_t over_text(const void *row, char *buf, size_t size)
{
	const struct verify_over *o = row;
	int n = snprintf(buf, size, "%s %llu of %llu", o->what, llu(o->value), llu(o->limit));

	return n < 0 ? 0 : (size_t)n;
}
static const struct field over_fields[] = {
	FIELD(verify_over, what, "figure", "the figure"),
	FIELD(verify_over, value, "value", "value (of the figure)"),
	FIELD(verify_over, limit, "limit", "its limit"),
};
static const struct schema over_schema = SCHEMA("verify_over", verify_over, over_fields, .text = over_text);

static size_t change_text(const void *row, char *buf, size_t size)
{
	const struct verify_change *c = row;
	int n = snprintf(buf, size, "%s %llu -> %llu%s", c->what, llu(c->was), llu(c->now), c->worse ? " (worse)" : "");

	return n < 0 ? 0 : (size_t)n;
}
static const struct field change_fields[] = {
	FIELD(verify_change, what, "figure", "the figure"),
	FIELD(verify_change, was, "was", "its value before"),
	FIELD(verify_change, now, "now", "its value now"),
	FIELD(verify_change, worse, "worse", "it is larger by more than the tolerance"),
};
static const struct schema change_schema_of_verify =
	SCHEMA("verify_change", verify_change, change_fields, .text = change_text);

#define VERIFY_FIELD(f, name, help, ...) FIELD_IF(verify_rec, figure[f], has[f], name, help, .line = 1, ##__VA_ARGS__)
static const struct field fields[] = {
	FIELD(verify_rec, file, "file", "the file", .plain = "%", .flags = FIELD_DEFAULT | FIELD_KEY, .drop = 3),
	FIELD(verify_rec, name, "prog_name", "name of the program, if the file could be read", .title = "PROGRAM",
	      .role = ROLE_NAME, .plain = " %:", .flags = FIELD_DEFAULT | FIELD_KEY | FIELD_ANSWER),
	FIELD_AS(verify_rec, verdict, FT_ENUM, "verification",
		 "accepted; rejected: by the verifier; failed: refused before the program was verified",
		 .names = &verdict_names, .title = "VERDICT", .plain = " %", .flags = FIELD_DEFAULT | FIELD_ANSWER),
	FIELD(verify_rec, type, "type", "type, of the program", .role = ROLE_KIND,
	      .flags = FIELD_NONZERO | FIELD_NOPLAIN),
	VERIFY_FIELD(FIGURE_INSNS, "insns", "number of instructions, processed by the verifier with repetitions",
		     .flags = FIELD_DEFAULT),
	FIELD_IF(verify_rec, stats.insns_most, stats.has, "insns_limit", "the kernel's limit of them",
		 .flags = FIELD_NOPLAIN),
	VERIFY_FIELD(FIGURE_STATES, "states", "states of the verifier", .flags = FIELD_DEFAULT),
	VERIFY_FIELD(FIGURE_PEAK_STATES, "peak_states", "states that it had at once, at most", .flags = FIELD_DEFAULT,
		     .drop = 5),
	FIELD_IF(verify_rec, stats.per_insn, stats.has, "max_states_per_insn", "states at one instruction, at most",
		 .flags = FIELD_NOPLAIN),
	FIELD_IF(verify_rec, stats.nsec, stats.has_nsec, "duration_ns", "duration (of the verification)",
		 .unit = FU_NSEC, .title = "TIME", .line = 1, .flags = FIELD_DEFAULT, .drop = 6),
	VERIFY_FIELD(FIGURE_STACK, "stack", "bytes of stack of the deepest chain of calls, not rounded",
		     .flags = FIELD_DEFAULT),
	FIELD_LIST(verify_rec, stats.stacks, stats.nstacks, FT_UINT, "stacks",
		   "bytes of stack of each function, in the order of the code", .flags = FIELD_NOPLAIN),
	VERIFY_FIELD(FIGURE_XLATED, "bytes_xlated", "size of the instructions, translated", .unit = FU_SIZE,
		     .title = "XLATED", .flags = FIELD_DEFAULT, .drop = 4),
	VERIFY_FIELD(FIGURE_JITED, "bytes_jited", "size of the program's machine code", .unit = FU_SIZE,
		     .title = "JITED", .flags = FIELD_DEFAULT, .drop = 2),
	FIELD_IF(verify_rec, maps, has_maps, "maps_created", "number of maps that were created for it", .line = 1),
	FIELD(verify_rec, was, "verification_before", "verdict of the result that it is compared with", .line = 2,
	      .flags = FIELD_NONZERO),
	FIELD_ROWS(verify_rec, changes, nchanges, &change_schema_of_verify, "changes",
		   "figures that differ from the result that it is compared with", .flags = FIELD_NONZERO, .line = 2),
	FIELD_ROWS(verify_rec, overs, novers, &over_schema, "over", "figures beyond their limit",
		   .flags = FIELD_NONZERO, .line = 3),
	FIELD(verify_rec, cause, "cause", "name of the cause, if it is a common one",
	      .flags = FIELD_NONZERO | FIELD_NOPLAIN),
	FIELD(verify_rec, why, "why", "reason: why it was refused", .line = 4, .plain = "%",
	      .flags = FIELD_DEFAULT | FIELD_NONZERO | FIELD_PROSE),
	FIELD_ROWS(verify_rec, spent.funcs, spent.nfuncs, &func_schema, "by_function",
		   "functions by the instructions that the verifier processed, with --lines",
		   .flags = FIELD_NONZERO | FIELD_EACH, .line = 5),
	FIELD_ROWS(verify_rec, spent.lines, spent.nlines, &line_schema, "lines",
		   "lines of source by the instructions that the verifier processed, with --lines",
		   .flags = FIELD_NONZERO | FIELD_EACH, .line = 6),
};
const struct schema verify_schema = SCHEMA("verify", verify_rec, fields);
