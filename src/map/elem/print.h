/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/bytes.h"
#include "types/value/aggregate.h"
#include "types/value/value.h"
#include "kernel/abi.h"

/*
 * An element of a map in each of the forms of `map dump`. An element is key_size bytes of key, followed by value_size
 * bytes of value; in a per-CPU map by cpus values, each rounded up to 8 bytes.
 */
struct elem_form {
	uint32_t id, type, key_size, value_size; /* of the map */
	uint32_t cpus;				 /* 0: one value, not per CPU */
	const uint32_t *cpu_numbers;		 /* of the CPU of each value; NULL: 0, 1, ... */
	const struct value_plan *key, *value;	 /* NULL: no such type */
	bool big;		       /* bytes without a type: the most significant one of a number comes first */
	enum value_view view;	       /* set before the types */
	unsigned flags;		       /* enum map_type_flags */
	enum aggregate aggregate;      /* the value is the result of a struct aggregator */
	bool keys;		       /* typed: print a key without a type as bytes instead of leaving it out */
	struct env *names;	       /* also print the objects that the bytes name (note.h), found there; or NULL */
	const struct sockets *sockets; /* socket.h; NULL: unknown */
	const struct xsk_slots *xsks;  /* xsk.h, the same */
	/* For a map of maps: prints the elements of map @id, in JSON as a single value; or NULL. */
	void (*inner)(void *ctx, uint32_t id);
	void *inner_ctx;
};

/* A number that the type of the map defines, not BTF: an id, a slot, the length of a prefix. */
static inline uint32_t elem_u32(const struct elem_form *f, const unsigned char *p)
{
	return (uint32_t)load_uint(p, sizeof(uint32_t), f->big);
}

/* The CPU of value @i. */
static inline uint32_t elem_cpu(const struct elem_form *f, uint32_t i)
{
	return f->cpu_numbers ? f->cpu_numbers[i] : i;
}

/* Is it shown as more than bytes: by type, or as an integer of its size? */
static inline bool elem_is_typed(const struct value_plan *plan, uint32_t size)
{
	return plan || size == 1 || size == 2 || size == 4 || size == 8;
}

/* @cpus: of the machine that the elements are from; 0: unknown. */
void elem_form_init(struct elem_form *ret, const struct abi_map_info *info, uint32_t cpus);
/* The same for elements of that machine: in its byte order; the number of CPUs is read if it matters. */
void elem_form_ask(struct elem_form *ret, const struct abi_map_info *info, struct machine *m);
void elem_form_types(struct elem_form *f, const struct btf_types *t, uint32_t key_type, uint32_t value_type,
		     enum value_form form, struct machine *machine, struct arena *a);
/* Print no two members of an object by the same name; bpftool does. */
void elem_form_unique(struct elem_form *f, struct arena *a);
/* -ENODATA: a per-CPU map, and the number of CPUs is unknown; the sizes below are wrong then. @id: of the map.
 */
int elem_form_check(const struct elem_form *f, uint32_t id, struct err *e);
/*
 * The form of elements with the value of one CPU only, whose number is @text; *ret_at: where it is in the values of
 * all. -EINVAL or -ENOENT with a sentence, and *f is not changed: not a per-CPU map, no number, no such CPU.
 */
int elem_form_cpu(struct elem_form *f, const char *text, size_t *ret_at, struct err *e);
uint64_t elem_value_step(const struct elem_form *f);  /* bytes from the value of a CPU to the next */
uint64_t elem_value_bytes(const struct elem_form *f); /* as transferred; may exceed 32 bits in a hostile archive */

/*
 * @err: 0, or -errno of the lookup of this key: there is no value. elem_skipped(): the element is not printed (an unset
 * slot of a map of maps or programs).
 */
int elem_skipped(const struct elem_form *f, int err);
void elem_hex(const struct elem_form *f, struct out *o, const unsigned char *key, int err);
/* A key or value as a compact JSON text, for a field of FT_JSON; @plan NULL: as bytes. */
const char *elem_value_json(const struct value_plan *plan, const void *p, size_t n, struct arena *a);
/* The whole value of an element; a per-CPU value as a list. */
const char *elem_values_json(const struct elem_form *f, const unsigned char *value, struct arena *a);
/* Only the key: by type as JSON, else as bytes. */
void elem_key_text(const struct elem_form *f, struct out *o, const unsigned char *key);
/*
 * The function below that prints elements. elem_look() returns ELEM_JSON or ELEM_TYPED; ELEM_HEX is the caller's
 * choice.
 */
enum elem_look { ELEM_HEX, ELEM_TYPED, ELEM_JSON };
enum elem_look elem_look(const struct env *env);
/* {"key":..,"value":..} by type; no hex. */
void elem_put_typed(const struct elem_form *f, struct jsonw *w, const unsigned char *key, int err);
/* With arrays of hex bytes, and if there are types the object of elem_put_typed() as "formatted". */
void elem_json(const struct elem_form *f, struct jsonw *w, const unsigned char *key, int err);
