/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/coverage/coverage.h"

#define FIELD_HITS(T, ...) FIELD(T, runs, "hits", "times that it ran", ##__VA_ARGS__)
/* Of a function with counters. */
#define FIELD_COUNTED(m, nm, hlp, ...) FIELD_IF(cover_rec, m, has_counters, nm, hlp, ##__VA_ARGS__)

static const struct field line_fields[] = {
	FIELD_HITS(cover_line),
	FIELD(cover_line, num, "line_num", "number of the source line"),
	FIELD(cover_line, src, "src", "source line", .role = ROLE_SOURCE),
	FIELD(cover_line, file, "file", "the file that has the source line"),
};
static size_t line_text(const void *row, char *buf, size_t size)
{
	const struct cover_line *l = row;

	return str_snprintf(buf, size, "%10llu %5u  %s%s%s", llu(l->runs), l->num, l->src, l->elsewhere ? "  // " : "",
			    l->elsewhere ? l->file : "");
}
const struct schema coverage_line_schema = SCHEMA("coverage_line", cover_line, line_fields, .text = line_text);

static const struct field fields[] = {
	FIELD(cover_rec, func, "func", "the function", .plain = "%:", .role = ROLE_NAME,
	      .flags = FIELD_DEFAULT | FIELD_KEY | FIELD_ANSWER),
	FIELD_HITS(cover_rec, FIELD_WHEN(cover_rec, has_counters), .plain = "  hits %", .col = 3,
		   .flags = FIELD_DEFAULT),
	FIELD_COUNTED(lines_hit, "lines_hit", "number of its source lines that ran", .plain = " lines %", .col = 1,
		      .flags = FIELD_DEFAULT | FIELD_ANSWER),
	FIELD_COUNTED(lines_total, "lines_total", "number of its source lines", .plain = " of %", .col = 1,
		      .flags = FIELD_DEFAULT | FIELD_ANSWER),
	FIELD_IF(cover_rec, percent, has_lines, "lines_percent", "share of its source lines that ran",
		 .unit = FU_PERCENT, .flags = FIELD_DEFAULT | FIELD_NOPLAIN, .drop = 2),
	FIELD_COUNTED(blocks_hit, "blocks_hit", "number of its basic blocks that ran", .plain = "  blocks %", .col = 2,
		      .flags = FIELD_DEFAULT, .drop = 1),
	FIELD_COUNTED(blocks_total, "blocks_total", "number of its basic blocks, without those that cannot run",
		      .plain = " of %", .col = 2, .flags = FIELD_DEFAULT, .drop = 1),
	FIELD(cover_rec, file, "file", "the file that has the function", .plain = "  %", .col = 4,
	      .flags = FIELD_DEFAULT | FIELD_KEY | FIELD_NONZERO, .drop = 3),
	FIELD(cover_rec, num, "line_num", "number of the source line, where it begins", .plain = ":%", .col = 5,
	      .flags = FIELD_NONZERO),
	FIELD_ROWS(cover_rec, lines, nlines, &coverage_line_schema, "source_lines", "its source lines, with --lines",
		   .plain = "%", .line = 1, .flags = FIELD_NONZERO | FIELD_EACH),
};
const struct schema coverage_schema = SCHEMA("coverage", cover_rec, fields);
