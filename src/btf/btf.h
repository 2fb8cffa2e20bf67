/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_BTF_H
#define BTF_BTF_H

#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/abi.h"

struct machine;
struct err;
struct arena;
struct str;
/*
 * BTF (Documentation/bpf/btf.rst, include/uapi/linux/btf.h), checked once as a whole before anything reads it: header,
 * section bounds, each type's length, every name offset, every type id, string section terminated. Kinds newer than
 * BTF_KIND_ENUM64 end the usable types (their length is unknown); the types before them stay usable. Types are in our
 * byte order also where the bytes are in the other one; values of them are not: btf_is_big().
 *
 * Types of a split BTF continue the ids and strings of its base. Id 0 is void.
 */
struct btf_types;

/* Parse; the bytes are copied. @base may be NULL and must outlive the result. -EBADMSG with a sentence. */
int btf_parse(struct btf_types **ret, const void *p, size_t n, const struct btf_types *base, struct err *e);
/* The same without the copy: on success it owns the arena *mem, in which (or in memory that outlives it) the bytes are.
 */
int btf_parse_in(struct btf_types **ret, struct arena **mem, const void *p, size_t n, const struct btf_types *base,
		 struct err *e);
void btf_release(struct btf_types **t);
/* Split BTF has no empty string of its own: it begins with the strings that its base lacks. */
bool btf_is_split(const void *p, size_t n);
/* Its own types and strings (without its base's) as raw BTF in the arena, for libraries: what was checked and nothing
 * else. */
const void *btf_bytes(const struct btf_types *t, struct arena *a, size_t *ret_n);

uint32_t btf_count(const struct btf_types *t); /* highest id + 1, base included */
int btf_whole(const struct btf_types *t,
	      struct err *e);		       /* 0: all types are usable; -EOPNOTSUPP: those before btf_count() only */
bool btf_is_big(const struct btf_types *t);    /* of values of these types, as base/bytes.h */
uint32_t btf_start(const struct btf_types *t); /* first id of its own: 1, or the base's count */
const struct btf_type *btf_type(const struct btf_types *t, uint32_t id); /* NULL: void, or no such type */
const char *btf_str(const struct btf_types *t, uint32_t off);		 /* never NULL; "" for a bad offset */
const char *btf_name(const struct btf_types *t, uint32_t id);		 /* never NULL; "" for an unnamed type */

static inline unsigned btf_kind_of(const struct btf_type *t)
{
	return ABI_BTF_KIND(t->info);
}
static inline unsigned btf_vlen_of(const struct btf_type *t)
{
	return ABI_BTF_VLEN(t->info);
}
static inline const struct btf_member *btf_members_of(const struct btf_type *t)
{
	return (const struct btf_member *)(t + 1);
}
static inline const struct btf_enum *btf_enums_of(const struct btf_type *t)
{
	return (const struct btf_enum *)(t + 1);
}
static inline const struct btf_enum64 *btf_enums64_of(const struct btf_type *t)
{
	return (const struct btf_enum64 *)(t + 1);
}
static inline const struct btf_array *btf_array_of(const struct btf_type *t)
{
	return (const struct btf_array *)(t + 1);
}
static inline const struct btf_param *btf_params_of(const struct btf_type *t)
{
	return (const struct btf_param *)(t + 1);
}
static inline const struct btf_var_secinfo *btf_vars_of(const struct btf_type *t)
{
	return (const struct btf_var_secinfo *)(t + 1);
}

/* Past typedefs, const, volatile, restrict, type and decl tags. 0: void or a cycle. */
uint32_t btf_resolve(const struct btf_types *t, uint32_t id);
/* Bytes of a type (array products checked for overflow); -EINVAL for void, functions, cycles. */
int btf_size(const struct btf_types *t, uint32_t id, uint64_t *ret);
uint32_t btf_find(const struct btf_types *t, const char *name, unsigned kind); /* 0: none */
/* The word for an enumerator's value in enum type @id, or NULL. */
const char *btf_enum_name(const struct btf_types *t, uint32_t id, int64_t value);

/*
 * A function's signature as bpftool prints it before a program's code: "int specsame(struct __sk_buff * s)". @func is a
 * BTF_KIND_FUNC or FUNC_PROTO. Appends to @ret; -EINVAL for another kind.
 */
int btf_signature(const struct btf_types *t, uint32_t func, struct str *ret);

/* BTF objects of the machine, parsed at most once; they stay valid as long as at most BTF_CACHE other ids are asked
 * for, vmlinux always. */
#define BTF_CACHE 32
/* By object id. A module's BTF finds its base by itself. -ENOENT, -EPERM, -EBADMSG, -ENODATA. */
int btf_get(struct machine *m, uint32_t id, const struct btf_types **ret, struct err *e);
/* The kernel's own (the kernel object named "vmlinux"); *ret_id may be NULL. */
int btf_get_vmlinux(struct machine *m, const struct btf_types **ret, uint32_t *ret_id, struct err *e);
/*
 * The same where the user names no source. Listing BTF objects takes CAP_SYS_ADMIN, the kernel's own is in a file that
 * everybody may read: where the list is refused, it is read from there, has no id, and *ret_file is set.
 */
int btf_get_default(struct machine *m, const struct btf_types **ret, bool *ret_file, struct err *e);
/* Live or saved: enum value -> word, for a value newer than a name table ("BPF_MAP_TYPE_RHASH" -> "rhash"); in the
 * machine; NULL: unknown. */
struct name_table;
const char *btf_kernel_word(struct machine *m, const struct name_table *t, uint64_t value);
/* names_of(), else the kernel's own word, else "unknown(N)"; never NULL. */
const char *btf_word(struct machine *m, const struct name_table *t, uint64_t value);

#endif
