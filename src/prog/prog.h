/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_PROG_H
#define PROG_PROG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/offload.h"
#include "cli/owner.h"
#include "kernel/abi.h"

struct env;
struct err;
struct schema;
struct command;
struct btf_types;

/* A variable "bpf_metadata_NAME" of the program's read-only data. */
struct prog_metadata {
	const char *name;  /* without the prefix */
	const char *value; /* compact JSON; in plain text as bpftool prints it there */
};

/* One program. What is not derived stands in the kernel's own struct, which is zero behind what this kernel filled in.
 */
struct prog_rec {
	struct abi_prog_info info;
	uint32_t info_len; /* bytes of it that this kernel knows */
	const char *type;
	const char *name; /* full where asked for; NULL: nameless */
	bool gpl_compatible, jited;
	bool orphaned;	    /* its device is gone: the kernel tells nothing else */
	uint64_t loaded_at; /* seconds since the epoch */
	uint64_t memlock;   /* bytes, from fdinfo */
	const uint32_t *map_ids;
	uint32_t nmap_ids;
	struct object_offload offload;
	const struct prog_metadata *metadata;
	uint32_t nmetadata;
	const char *attach_to; /* function or type that it was loaded for */
	const char *loader;    /* of a recording: command, process and end */
	uint32_t loader_pid;
	uint64_t gone_at; /* seconds since the epoch */
	struct object_owners owners;
	const char *where; /* its places in the words of ls, ", " between them; NULL: none known */
	uint8_t has_loader, has_gone, has_load, has_time, has_stats, has_jited, has_memlock, has_metadata, has_target,
		has_map_ids, has_where; /* enum avail */
};
extern const struct schema schema_prog;
/* What the kernel counts of runs, while it does: of all time, of an interval, of a profile. */
#define FIELD_RUN_CNT(T, m, ...) \
	FIELD(T, m, "run_cnt", "how often it ran while the kernel counted runs", .unit = FU_COUNTER, ##__VA_ARGS__)
#define FIELD_RUN_TIME(T, m, ...) \
	FIELD(T, m, "run_time_ns", "time that it ran while the kernel counted runs", .unit = FU_NSEC, ##__VA_ARGS__)
#define FIELD_RECURSION_MISSES(T, m, ...) \
	FIELD(T, m, "recursion_misses", "runs left out because it was running already", .unit = FU_COUNTER, \
	      ##__VA_ARGS__)

/* kind.h; @rec is a struct prog_rec. */
int prog_read(struct env *env, struct arena *a, uint32_t id, unsigned need, void *rec, struct err *e);
int prog_label(struct env *env, struct arena *a, uint32_t id, const char **ret_type, const char **ret_name,
	       const char **ret_tag, struct err *e);

/* Are its numbers of runs what there is to say, or did nobody count? */
enum avail prog_counts_runs(struct env *env, const struct abi_prog_info *info, uint32_t info_len);

/* The kernel's struct alone. -ENOENT: no such program; a sentence for this and every other failure. */
int prog_info(struct env *env, struct arena *a, uint32_t id, struct abi_prog_info *ret, struct err *e);

/*
 * metadata.c: the variables in the first .rodata map of the program whose maps these are. Maps are looked at only once
 * in a command. 0 with *ret_n perhaps 0, or why a map could not be read. Lives in env->keep.
 */
int prog_metadata_read(struct env *env, const uint32_t *map_ids, uint32_t n, const struct prog_metadata **ret,
		       uint32_t *ret_n);

/* joins.c: what other objects and the places say of it, as far as @need asks; common was read. */
void prog_join(struct env *env, struct arena *a, unsigned need, struct prog_rec *r);

extern const struct command prog_attach, prog_detach, prog_load, prog_loadall;
extern const struct schema report_schema;
extern const struct command prog_annotate, command_annotate, command_report; /* the last two: of a file */
extern const struct command prog_dump, prog_run_command, prog_profile, prog_stats, prog_tracelog;

#endif
