/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_VALUE_H
#define BTF_VALUE_H

#include <stddef.h>
#include <stdint.h>

struct btf_types; struct jsonw; struct arena;
/*
 * Bytes of a BTF type to JSON values (bpftool-compatible: ints, chars, bools, enums by name, 128-bit and bit fields as hex,
 * pointers, char arrays, nested structs, DATASECs). The type is compiled once into a plan, a flat array of steps with
 * prepared member names, so that printing an element costs no BTF walk.
 *
 * VALUE_FORMATTED is the JSON form. VALUE_TYPED is what plain `map dump` prints: pointers as "0x4d2"/"(nil)" strings, bit
 * fields and 128-bit integers as bare hex, as bpftool does.
 */
enum value_form { VALUE_FORMATTED, VALUE_TYPED };

struct value_plan;
/*
 * In the arena; does not refer to @t afterwards. Never fails: what cannot be printed (void, functions, forward
 * declarations, members outside of their struct, more than 32 levels) becomes a null; after 65536 steps the rest is
 * left out.
 */
struct value_plan *value_plan(const struct btf_types *t, uint32_t type, enum value_form form, struct arena *a);
/* One value. Nothing beyond n bytes is read: a member that does not fit is null. */
void value_print(const struct value_plan *p, struct jsonw *w, const void *bytes, size_t n);

#endif
