/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in verify.c, verify_fields.c, verify_judge.c, verify_log.c and verify_object.c. */

#include "load/verdict.h"
#include "record/field.h"

struct records;
/* What the verifier says about a program of an object file that is loaded alone and unloaded. */
enum verify_verdict {
	VERDICT_ACCEPTED,
	VERDICT_REJECTED, /* by the verifier */
	VERDICT_FAILED,	  /* refused by libbpf or the kernel before it was verified */
	VERDICTS,
};
/* Figures that limits and comparisons are about. */
enum verify_figure {
	FIGURE_INSNS,
	FIGURE_STATES,
	FIGURE_PEAK_STATES,
	FIGURE_STACK,  /* bytes of the deepest chain of calls */
	FIGURE_XLATED, /* bytes */
	FIGURE_JITED,
	FIGURES,
};
struct verify_over { /* a figure beyond its limit */
	const char *what;
	uint64_t value, limit;
};
struct verify_change { /* a figure that differs from another result's */
	const char *what;
	uint64_t was, now;
	bool worse; /* by more than the tolerance */
};
struct verify_rec {
	const char *file, *name, *type;
	enum verify_verdict verdict;
	const char *why, *cause; /* why it was refused; NULL: accepted, or not a known cause */
	struct verifier_stats stats;
	uint64_t figure[FIGURES];
	uint32_t maps;		     /* created for it */
	struct verified_lines spent; /* on which lines and functions it spent its instructions */
	struct verify_over over[FIGURES];
	struct verify_change change[FIGURES];
	const struct verify_over *overs; /* = over */
	const struct verify_change *changes;
	uint32_t novers, nchanges;
	const char *was;		/* the verdict of the other result */
	uint8_t has[FIGURES], has_maps; /* enum avail */
};
extern const struct schema verify_schema;
extern const char *const verdict_words[VERDICTS];

/*
 * Add a record for each program of an object file, in the order of the file; q->only: for this one. @lines: also count
 * instructions by line of source. -errno with @e set if the file cannot be opened, or the request does not fit it;
 * that a program cannot be loaded is no error.
 */
int verify_file(struct env *env, const struct load_request *q, bool lines, struct records *ret, struct err *e);

/* With q->coverage: set q->uncounted to the programs that the verifier refuses with counters. 0 or -errno. */
int verify_uncounted(struct env *env, struct load_request *q, struct err *e);

/* What figures may be at most, and another result to compare with. */
struct verify_limits {
	uint64_t most[FIGURES]; /* UINT64_MAX: no limit */
	const struct verify_rec *before;
	size_t nbefore;
	double tolerance; /* percent */
};
/* "insns=80%,stack=400,jited=64K" */
int verify_limits_parse(struct env *env, struct verify_limits *ret, const char *text, struct err *e);
/* The records that `prog verify -j` printed to a file. */
int verify_results_read(struct env *env, const char *path, struct records *ret, struct err *e);
/* Fill in what is beyond the limits or differs. True: it is refused, beyond a limit, or worse than before. */
bool verify_judge(struct verify_rec *r, const struct verify_limits *l);
/* Print why the programs are rejected whose logs are in a file: the verifier's text, or what libbpf printed. @object:
 * the object file that has them, for what the logs lack; NULL: unknown. */
int verify_log_explain(struct env *env, const char *path, const char *object, struct err *e);
struct object;
struct rejection;
/*
 * Find the program of a log in an object file, by r->prog or else by its instructions, and fill in from there what the
 * log lacks: names, source lines, the instruction. Returns how many programs it may be; nothing is filled in unless it
 * is one.
 */
uint32_t verify_log_complete(const struct object *o, const char *log, struct rejection *r);
void verify_figure_set(struct verify_rec *r, enum verify_figure f, uint64_t value);
