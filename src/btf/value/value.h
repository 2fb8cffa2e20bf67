/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_VALUE_VALUE_H
#define BTF_VALUE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf_types;
struct jsonw;
struct jsonr;
struct arena;
struct err;
struct machine;
struct env;
/*
 * Bytes of a BTF type to JSON values (bpftool-compatible: ints, chars, bools, enums by name, 128-bit and bit fields as
 * hex, pointers, char arrays, nested structs, DATASECs). The type is compiled once into a plan, a flat array of steps
 * with prepared member names, so that printing an element costs no BTF walk.
 *
 * VALUE_FORMATTED is the JSON form. VALUE_TYPED is what plain `map dump` prints: pointers as "0x4d2"/"(nil)" strings,
 * bit fields and 128-bit integers as bare hex, as bpftool does.
 */
enum value_form { VALUE_FORMATTED, VALUE_TYPED };
/* The one that belongs to the format of the answer: typed in text. */
enum value_form value_form_asked(const struct env *env);

struct value_plan;
/*
 * In the arena; does not refer to @t afterwards. Never fails: what cannot be printed (void, functions, forward
 * declarations, members outside of their struct, more than 32 levels) becomes a null; after 65536 steps the rest is
 * left out.
 */
struct value_plan *value_plan(const struct btf_types *t, uint32_t type, enum value_form form, struct arena *a);
/* Printed only: members of anonymous members stand beside the others, where bpftool has objects that are all named "".
 */
struct value_plan *value_plan_flat(const struct btf_types *t, uint32_t type, enum value_form form, struct arena *a);
/*
 * With the formats (format.h) that the program chose by tags, and where @named is set those of its names (named.h);
 * names of what there is are those of @machine, which may be NULL.
 */
struct value_plan *value_plan_tagged(const struct btf_types *t, uint32_t type, enum value_form form, bool named,
				     struct machine *machine, struct arena *a);
/*
 * Of an operations table of the kernel (struct_ops), where pointers to functions hold the ids of programs: "u32 (struct
 * sock *) NAME/prog_id:N", with 0 behind the prototype where there is none. name(): the program's, or NULL. Printed
 * only, not read.
 */
struct value_funcs {
	const char *(*name)(void *ctx, uint32_t prog_id);
	void *ctx;
};
struct value_plan *value_plan_funcs(const struct btf_types *t, uint32_t type, enum value_form form,
				    const struct value_funcs *funcs, struct arena *a);
/* Without a type: an unsigned integer of 1, 2, 4 or 8 bytes, else a list of bytes. NULL for no bytes. */
struct value_plan *value_plan_untyped(uint32_t size, struct arena *a);
/* One value. Nothing beyond n bytes is read: a member that does not fit is null. */
void value_print(const struct value_plan *p, struct jsonw *w, const void *bytes, size_t n);
/* The same as one line of text, in the arena. */
char *value_line(const struct value_plan *p, const void *bytes, size_t n, struct arena *a);

/*
 * The other way: one value, from what value_print() writes in either form (in plain typed text JSONR_HEX is needed) or
 * from what people type: numbers also as "0x2a", words of enums, text for arrays of char, the text of a format or what
 * the member is without one, members in any order, those of anonymous members directly, of a union all or any. Every
 * member and element must be there, but locks and timers, which the kernel keeps to itself; nulls where a value cannot
 * be printed leave zeros. Bytes that no member covers are zero.
 *
 * -EINVAL with a sentence that names the member by its path behind r->what ("value.in.x: 300 does not fit in 8 bits (0
 * to 255)"); the bytes are of no use then.
 */
int value_read(const struct value_plan *p, struct jsonr *r, void *bytes, size_t n, struct err *e);
/* The same of one word of a command line, which @what names in sentences: what is not JSON is text where there is an
 * array of char. */
int value_read_word(const struct value_plan *p, const char *what, const char *word, void *bytes, size_t n,
		    struct err *e);
/*
 * Change a part of a value: "in.x=5", "in.x+=5" and "-=" (integers; a result that does not fit is refused),
 * "comm=init", "a[2]=7", "in={\"x\":1,\"y\":2}"; variables of a DATASEC by their names. On failure, which is as above,
 * the bytes stay as they were.
 */
int value_set(const struct value_plan *p, const char *assignment, void *bytes, size_t n, struct err *e);
/* Can every value of n bytes be printed and read back to the same bytes? No padding, text, union, bool, float. */
bool value_exact(const struct value_plan *p, size_t n);

#endif
