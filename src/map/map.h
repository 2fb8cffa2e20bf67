/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in read.c, dead.c and decode.c. */

#include "cli/offload.h"
#include "cli/owner.h"
#include "kernel/abi.h"

struct command;
struct object_label;
struct place;

/*
 * A map. Facts that are not derived are in the kernel's struct, which is zero after the bytes that the kernel filled
 * in.
 */
struct map_rec {
	struct abi_map_info info;
	uint32_t info_len; /* bytes of it that the kernel filled in */
	const char *type;
	const char *name;      /* at most 15 characters; NULL: nameless */
	const char *full_name; /* of the variable that defines it, if longer; NULL: none or unknown */
	struct object_offload offload;
	uint64_t memlock; /* bytes, from fdinfo */
	uint8_t frozen;	  /* 0 or 1, from fdinfo */
	uint64_t entries; /* present elements */
	uint64_t fill;	  /* percent of max_entries, rounded down */
	bool owner_jited;
	const char *owner_prog_type;	   /* prog_array: type of the programs that it accepts */
	const char *key_type, *value_type; /* C names from BTF; NULL: no BTF type */
	struct object_owners owners;
	const uint32_t *prog_ids, *inner; /* ascending, each once */
	uint32_t nprog_ids, ninner;
	uint64_t consumer_pos, producer_pos, pending; /* bytes, of ring buffers */
	uint8_t has_memlock, has_frozen, has_owner, has_entries, has_fill, has_ring, has_prog_ids,
		has_inner; /* enum avail */
};
extern const struct schema schema_map;

/* Row of a command's table of arguments: the map that it is about. @T has the struct object_ref as member map. */
#define ONE_MAP_ARG(T, hlp) OPERAND("MAP", ARG_OBJECT, T, map, hlp)

/* kind.h; @rec is a struct map_rec. */
int map_read(struct env *env, struct arena *a, uint32_t id, unsigned need, void *rec, struct err *e);
int map_label(struct env *env, struct arena *a, uint32_t id, struct object_label *ret, struct err *e);

/* joins.c: the programs that use it and the maps in it, as far as @need asks. */
void map_join(struct env *env, struct arena *a, unsigned need, struct map_rec *r);
/*
 * Programs that use map @id, ascending; *ret lives as long as the machine. AVAIL_YES if *ret_n is not 0; AVAIL_NO: no
 * program; AVAIL_UNKNOWN: the maps of a program could not be read.
 */
enum avail map_progs(struct env *env, uint32_t id, const uint32_t **ret, uint32_t *ret_n);

/* -ENODATA, with a sentence: the archive does not have the contents of the map. */
int map_unsaved_error(uint32_t id, struct err *e);
/* The sentence for what elems_get() returned (source/elems.h). Returns @err. */
int map_elems_error(uint32_t id, int err, struct err *e);

/*
 * Counts the elements whose keys name what is gone (map/elem/dead.h), by reading all of them. AVAIL_NO: its keys are
 * not known to name anything; AVAIL_UNKNOWN: something could not be read, which was reported.
 */
enum avail map_dead_count(struct env *env, const struct abi_map_info *info, uint64_t *ret);

/*
 * The keys and values of a map as JSON, for readers of copies of their bytes: by the map's types, else as bytes. Types
 * that cannot be read are reported. Lives in env->keep. A failure has a sentence.
 */
struct map_decode {
	const struct elem_form *form;
	uint32_t id, key_size, value_size;
	uint64_t value_bytes; /* as the kernel copies a value: for all CPUs */
	bool holds_fds;	  /* values are maps or programs: descriptors when they are written, ids when they are read */
	bool asks_values; /* a bloom filter: values are looked up */
};
int map_decode_init(struct env *env, uint32_t id, struct map_decode *ret, struct err *e);
const char *map_decode_key(const struct map_decode *d, const void *key, struct arena *a);
/* @n: value_bytes, or value_size: the value of one CPU. */
const char *map_decode_value(const struct map_decode *d, const void *value, size_t n, struct arena *a);

extern const struct place place_map;

extern const struct command map_dump, map_update, map_lookup, map_getnext, map_delete, map_create_command, map_peek,
	map_push, map_enqueue, map_pop, map_dequeue, map_freeze_command, map_export, map_import, map_histogram,
	map_watch, map_event_pipe, map_tap, map_stacks, map_storage;
