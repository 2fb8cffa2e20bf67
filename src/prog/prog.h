/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in read.c. */

#include "cli/offload.h"
#include "cli/owner.h"
#include "kernel/abi.h"

struct command;
struct object_label;

/* A variable "bpf_metadata_NAME" of the program's read-only data. */
struct prog_metadata {
	const char *name;  /* without the prefix */
	const char *value; /* compact JSON; printed so in plain text too, as bpftool does */
};

/*
 * One program. Facts that are not derived are in the kernel's own struct, which is zero after the members that this
 * kernel set.
 */
struct prog_rec {
	struct abi_prog_info info;
	uint32_t info_len; /* bytes of it that this kernel set */
	const char *type;
	const char *name; /* full name if requested; NULL: no name */
	bool gpl_compatible, jited;
	bool orphaned;	    /* its device was removed: the kernel reports nothing else */
	uint64_t loaded_at; /* seconds since the epoch */
	uint64_t memlock;   /* bytes, from fdinfo */
	const uint32_t *map_ids;
	uint32_t nmap_ids;
	struct object_offload offload;
	const struct prog_metadata *metadata;
	uint32_t nmetadata;
	const char *attach_to; /* function or type that it was loaded for */
	const char *loader;    /* in a recording: command and process that loaded it */
	uint32_t loader_pid;
	uint64_t gone_at; /* seconds since the epoch */
	struct object_owners owners;
	const char *where; /* its attach points in the words of `ls`, separated by ", "; NULL: none known */
	uint8_t has_loader, has_loader_pid, has_gone, has_load, has_time, has_stats, has_jited, has_memlock,
		has_metadata, has_target, has_map_ids, has_where, has_code; /* enum avail */
};
/* Did a recording see it unloaded? */
static inline bool prog_is_gone(const struct prog_rec *r)
{
	return r->has_gone != AVAIL_NO;
}
extern const struct schema schema_prog;
/* What the kernel counts about runs while counting is enabled: since loading, in an interval, in a profile. */
#define FIELD_RUN_CNT(T, m, ...) \
	FIELD(T, m, "run_cnt", "runs while the kernel counted them", .unit = FU_COUNTER, ##__VA_ARGS__)
#define FIELD_RUN_TIME(T, m, ...) \
	FIELD(T, m, "run_time_ns", "run time while the kernel counted it", .unit = FU_NSEC, ##__VA_ARGS__)
#define FIELD_RECURSION_MISSES(T, m, ...) \
	FIELD(T, m, "recursion_misses", "runs skipped because the program was already running", .unit = FU_COUNTER, \
	      ##__VA_ARGS__)

/* kind.h; @rec is a struct prog_rec. */
int prog_read(struct env *env, struct arena *a, uint32_t id, unsigned need, void *rec, struct err *e);
int prog_label(struct env *env, struct arena *a, uint32_t id, struct object_label *ret, struct err *e);

/* Whether the run counts are valid, or runs were not counted. */
enum avail prog_counts_runs(struct env *env, const struct abi_prog_info *info, uint32_t info_len);

/*
 * metadata.c: reads the variables in the first .rodata map among @map_ids, the maps of a program. Each map is read only
 * once in a command. Returns 0, where *ret_n may be 0, or the error of a map that could not be read. Result lives in
 * env->keep.
 */
int prog_metadata_read(struct env *env, const uint32_t *map_ids, uint32_t n, const struct prog_metadata **ret,
		       uint32_t *ret_n);

/*
 * joins.c: sets the facts that come from other objects and attach points, as far as @need requests them; the common
 * part must have been read.
 */
void prog_join(struct env *env, struct arena *a, unsigned need, struct prog_rec *r);

extern const struct command prog_attach, prog_detach, prog_load, prog_loadall, prog_verify;
extern const struct schema report_schema;
extern const struct command prog_annotate, command_annotate, command_report; /* the last two read a file */
extern const struct command prog_dump, prog_run_command, prog_profile, prog_stats, prog_tracelog, prog_coverage;
