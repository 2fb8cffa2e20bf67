/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "code/info.h"
#include "record/field.h"

struct doc;
/* What was sampled. */
#define FIELD_PERF_EVENT(T, ...) FIELD(T, event, "perf_event", "perf event that was counted", ##__VA_ARGS__)
#define FIELD_HZ(T, m, ...) FIELD(T, m, "hz", "samples per second of a CPU", ##__VA_ARGS__)
#define FIELD_SAMPLING_NS(T, ...) FIELD(T, ns, "duration_ns", "duration (of sampling)", .unit = FU_NSEC, ##__VA_ARGS__)
#define FIELD_SAMPLES_ALL(T, m, ...) \
	FIELD(T, m, "samples_all", "samples of the whole machine, without its idle CPUs; with perf all samples", \
	      ##__VA_ARGS__)
#define FIELD_SAMPLES_LOST(T, ...) \
	FIELD(T, lost, "samples_lost", "samples lost because the buffer was full", .plain = ", % lost", \
	      .flags = FIELD_PLAIN_NZ, ##__VA_ARGS__)
#define FIELD_SAMPLES(T, ...) FIELD(T, samples, "samples", "samples in it", ##__VA_ARGS__)
#define FIELD_PERCENT(T, help, ...) FIELD(T, percent, "percent", help, .unit = FU_PERCENT, ##__VA_ARGS__)

/* Instructions and source lines of a program that have samples. */
struct hot_spot {
	uint64_t samples;
	double percent;		   /* of the samples of the program */
	const char *func, *disasm; /* of an instruction; disasm NULL: unknown */
	uint64_t pc, at;	   /* pc: bytes from the start of its function; at: from the start of the image; for BPF
				      instructions their number */
	struct source_line line;   /* text NULL: none */
};
struct hot {
	struct hot_spot *v;
	size_t n, cap;
};
void hot_add(struct hot *h, struct hot_spot spot);
void hot_release(struct hot *h);
void hot_shorten(struct hot *h); /* functions by their names instead of their symbols, for text */
void hot_sort(struct hot *h);	 /* most samples first, equal ones by position */
/* Makes one spot of each source line, at its first spot; removes spots without a line. @all: samples of the program. */
void hot_fold(struct hot *h, uint64_t all);
size_t hot_count_shown(const struct hot *h); /* how many of them are listed before the code */
/* Sorts and writes these as a list; @head: text before them, omitted if there are none. */
void hot_write(struct hot *h, const struct schema *schema, const char *name, const char *head, struct doc *d);
extern const struct schema hot_line_schema, hot_insn_schema;
double hot_percent(uint64_t part, uint64_t whole); /* 0 if @whole is 0 */
