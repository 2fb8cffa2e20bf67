/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in plan.c, unique.c, value_exact.c and value_read.c. */

#include "base/base.h"

struct btf_types;
struct jsonw;
struct jsonr;
struct machine;
struct env;
/*
 * Prints bytes of a BTF type as JSON values (bpftool-compatible: ints, chars, bools, enums by name, 128-bit integers
 * and bit fields as hex, pointers, char arrays, nested structs, DATASECs). The type is compiled once to a plan, a flat
 * array of steps with prepared member names, so that printing an element needs no BTF walk.
 *
 * VALUE_FORMATTED is the JSON form. VALUE_TYPED is the form of plain `map dump`: pointers as "0x4d2"/"(nil)" strings,
 * bit fields and 128-bit integers as bare hex, as in bpftool.
 */
enum value_form { VALUE_FORMATTED, VALUE_TYPED };
/* The form for the output format: VALUE_TYPED for text. */
enum value_form value_form_of(const struct env *env);

/*
 * What differs from bpftool's values: bit fields are numbers with their sign, and names of enumerators, in views of our
 * own; there, values can also have the formats that names of types imply (named.h).
 */
enum value_view { VIEW_BPFTOOL, VIEW_OWN, VIEW_NAMED };

struct value_plan;
/*
 * Compiles a type, in the arena; the plan does not refer to @t. Never fails: values that cannot be printed (void,
 * functions, forward declarations, members outside of their struct, more than 32 levels) become null; after 65536 steps
 * the rest is omitted.
 */
struct value_plan *value_plan(const struct btf_types *t, uint32_t type, enum value_form form, struct arena *a);
/*
 * Only for printing: members of anonymous members are on the level of the others; bpftool prints objects that are all
 * named "".
 */
struct value_plan *value_plan_flat(const struct btf_types *t, uint32_t type, enum value_form form, struct arena *a);
/*
 * A copy of a plan that prints no two members of an object by the same name: "" and "" become "" and "#2", which
 * value_read() reads with either plan. bpftool prints both as "".
 */
struct value_plan *value_plan_unique(const struct value_plan *p, struct arena *a);
/*
 * With the formats (format.h) that the program defines by tags, and in that view; names in values are those of
 * @machine, which may be NULL.
 */
struct value_plan *value_plan_tagged(const struct btf_types *t, uint32_t type, enum value_form form,
				     enum value_view view, struct machine *machine, struct arena *a);
/*
 * For a struct_ops table, where pointers to functions contain the ids of programs: "u32 (struct sock *)
 * NAME/prog_id:N", with 0 after the prototype if there is no program. name(): name of the program, or NULL. Only for
 * printing.
 */
struct value_funcs {
	const char *(*name)(void *ctx, uint32_t prog_id);
	void *ctx;
};
struct value_plan *value_plan_funcs(const struct btf_types *t, uint32_t type, enum value_form form,
				    const struct value_funcs *funcs, struct arena *a);
/*
 * Without a type: an unsigned integer of 1, 2, 4 or 8 bytes, else an array of bytes. NULL for 0 bytes. @big: as in
 * base/bytes.h.
 */
struct value_plan *value_plan_untyped(uint32_t size, bool big, struct arena *a);
/* Prints one value. Nothing beyond @n bytes is read: a member that does not fit is null. */
void value_print(const struct value_plan *p, struct jsonw *w, const void *bytes, size_t n);
/* The same as one line of text, in the arena. */
char *value_line(const struct value_plan *p, const void *bytes, size_t n, struct arena *a);

/*
 * The reverse: reads one value as printed by value_print() in either form (plain typed text needs JSONR_HEX) or as
 * typed by users: numbers also as "0x2a", names of enums, text for arrays of char, the text of a format or the value
 * without it, members in any order, those of anonymous members directly, of a union all or any. Every member and
 * element is required, except locks and timers, which user space cannot write; nulls, where a value cannot be printed,
 * leave zeros. Padding is zero.
 *
 * -EINVAL with a message that names the member by its path after r->what ("value.in.x: 300 does not fit in 8 bits (0 to
 * 255)"); the bytes are undefined then.
 */
int value_read(const struct value_plan *p, struct jsonr *r, void *bytes, size_t n, struct err *e);
/*
 * The same for one word of the command line, which messages call @what: for an array of char, a word that is not JSON
 * is text.
 */
int value_read_word(const struct value_plan *p, const char *what, const char *word, void *bytes, size_t n,
		    struct err *e);
/* Is the whole value text by --format, also where the word is a number? */
bool value_is_str(const struct value_plan *p);
/*
 * Changes a part of a value: "in.x=5", "in.x+=5" and "-=" (integers; a result that does not fit is refused),
 * "comm=init", "a[2]=7", "in={\"x\":1,\"y\":2}"; variables of a DATASEC by their names. Fails as above; then the bytes
 * do not change.
 */
int value_set(const struct value_plan *p, const char *assignment, void *bytes, size_t n, struct err *e);
/*
 * True if every value of @n bytes can be printed and read back to the same bytes: no padding, text, union, bool, float.
 */
bool value_exact(const struct value_plan *p, size_t n);
