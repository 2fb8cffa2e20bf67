/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in cache.c, check.c and signature.c. */

#include <linux/btf.h>
#include "kernel/abi.h"

struct machine;
/*
 * BTF (Documentation/bpf/btf.rst, include/uapi/linux/btf.h), checked as a whole before anything reads it: header,
 * section bounds, the length of each type, every name offset, every type id, the terminated string section. Kinds newer
 * than BTF_KIND_ENUM64 are BTF_KIND_UNKN for btf_kind_of() if the BTF has their length in its layout section; without
 * one, types from the first of them on cannot be used; those before it can.
 * Types are in the byte order of this machine even if the bytes were in the other one; values of them are not:
 * btf_is_big().
 *
 * Types of a split BTF continue the ids and strings of its base. Id 0 is void.
 */
struct btf_types;

/* Parses a copy of the bytes. @base may be NULL and must outlive the result. -EBADMSG with a message. */
int btf_parse(struct btf_types **ret, const void *p, size_t n, const struct btf_types *base, struct err *e);
/*
 * The same without a copy. The bytes must be in the arena *mem, or in memory that outlives it; on success the result
 * owns that arena.
 */
int btf_parse_in(struct btf_types **ret, struct arena **mem, const void *p, size_t n, const struct btf_types *base,
		 struct err *e);
void btf_release(struct btf_types **t);
/* True for split BTF: its strings do not begin with an empty one, because they are only those that its base lacks. */
bool btf_is_split(const void *p, size_t n);
/*
 * Returns its own types and strings (without its base's) as raw BTF in the arena, for libraries: only what was checked.
 */
const void *btf_bytes(const struct btf_types *t, struct arena *a, size_t *ret_n);

uint32_t btf_count(const struct btf_types *t); /* highest id + 1, including the base */
/* 0: all types were read; -EOPNOTSUPP: only those below btf_count(). */
int btf_whole(const struct btf_types *t, struct err *e);
/* 0: in addition, all types, also the base's, are of known kinds; else -EOPNOTSUPP. For libraries. */
int btf_check_known(const struct btf_types *t, struct err *e);
/* btf_whole() for a command that needs type @id only. */
static inline int btf_whole_for(const struct btf_types *t, uint32_t id, struct err *e)
{
	return id < btf_count(t) ? 0 : btf_whole(t, e);
}
/* The size of pointers, which BTF does not contain, is taken from the size of a long or the places of members. */
uint32_t btf_pointer_size(const struct btf_types *t);	    /* bytes: 8, or 4 */
void btf_pointers_set(struct btf_types *t, uint32_t bytes); /* for who knows it: 4 or 8 */
bool btf_guesses_pointers(const struct btf_types *t);	    /* 4, only because members would overlap with 8 */
bool btf_is_big(const struct btf_types *t);    /* byte order of values of these types, as in base/bytes.h */
uint32_t btf_start(const struct btf_types *t); /* its first own id: 1, or the count of its base */
const struct btf_type *btf_type(const struct btf_types *t, uint32_t id); /* NULL: void, or no such type */
const char *btf_str(const struct btf_types *t, uint32_t off);		 /* never NULL; "" for a bad offset */
const char *btf_name(const struct btf_types *t, uint32_t id);		 /* never NULL; "" for an unnamed type */

static inline unsigned btf_kind_of(const struct btf_type *t)
{
	return ABI_BTF_KIND(t->info) <= BTF_KIND_ENUM64 ? ABI_BTF_KIND(t->info) : BTF_KIND_UNKN;
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

/* Skips typedefs, const, volatile, restrict, type and decl tags. 0: void or a cycle. */
uint32_t btf_resolve(const struct btf_types *t, uint32_t id);
/* That type. */
static inline const struct btf_type *btf_resolved(const struct btf_types *t, uint32_t id)
{
	return btf_type(t, btf_resolve(t, id));
}
/* Size of a type in bytes (array products are checked for overflow); -EINVAL for void, functions, cycles. */
int btf_size(const struct btf_types *t, uint32_t id, uint64_t *ret);
uint32_t btf_find(const struct btf_types *t, const char *name, unsigned kind); /* 0: none */
/* Name of the enumerator with this value in enum type @id, or NULL. */
const char *btf_enum_name(const struct btf_types *t, uint32_t id, int64_t value);

/*
 * Appends the signature of a function to @ret, as bpftool prints it before a program's code: "int specsame(struct
 * __sk_buff * s)". @func is a BTF_KIND_FUNC or FUNC_PROTO; -EINVAL for another kind.
 */
int btf_signature(const struct btf_types *t, uint32_t func, struct str *ret);

/*
 * BTF objects of the machine, parsed at most once. They stay valid until more than BTF_CACHE other ids were requested;
 * vmlinux always stays valid.
 */
#define BTF_CACHE 32
/* By object id. The base of a module's BTF is found automatically. -ENOENT, -EPERM, -EBADMSG, -ENODATA. */
int btf_get(struct machine *m, uint32_t id, const struct btf_types **ret, struct err *e);
/* The kernel's own types (the kernel object named "vmlinux"); *ret_id may be NULL. */
int btf_get_vmlinux(struct machine *m, const struct btf_types **ret, uint32_t *ret_id, struct err *e);
/*
 * The same if the user names no source. Listing BTF objects requires CAP_SYS_ADMIN, but the kernel's own BTF is also in
 * a file that every user may read: if the list is refused, it is read from that file, has no id, and *ret_file is set.
 */
int btf_get_default(struct machine *m, const struct btf_types **ret, bool *ret_file, struct err *e);
/*
 * The kernel's word for an enum value that is newer than name table @t ("BPF_MAP_TYPE_RHASH" -> "rhash"), live or
 * saved. Lives as long as the machine; NULL: unknown.
 */
struct name_table;
const char *btf_kernel_word(struct machine *m, const struct name_table *t, uint64_t value);
/* Is it the kernel's word for a value that is newer than the table? */
bool btf_has_word(struct machine *m, const struct name_table *t, const char *word);
/* names_of(), or else the kernel's own word, or else "unknown(N)"; never NULL. */
const char *btf_word(struct machine *m, const struct name_table *t, uint64_t value);
