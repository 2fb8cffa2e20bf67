/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_VALUE_FORMAT_H
#define BTF_VALUE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;
struct err;
struct arena;
struct value_plan;
/*
 * What the bytes of a member mean to people, where its type does not say it. Chosen by --format, or in the program
 * itself:
 * __attribute__((btf_decl_tag("bpflens:ip"))) behind a member. Printed as text, except the be and le ones, which are
 * numbers.
 */
enum format {
	FORMAT_NONE,
	FORMAT_IP, /* 4 or 16 bytes in network order */
	FORMAT_MAC,
	FORMAT_BE16,
	FORMAT_BE32,
	FORMAT_BE64,
	FORMAT_LE16,
	FORMAT_LE32,
	FORMAT_LE64,
	FORMAT_KTIME,	/* ns since boot (bpf_ktime_get_boot_ns()): a time of day; without a boot time: ns */
	FORMAT_KSYM,	/* an address in the kernel: "schedule+0x1a" */
	FORMAT_CGROUP,	/* an id: the path */
	FORMAT_IFINDEX, /* a number: the device's name */
	FORMAT_STR, /* bytes up to the first zero; those that are not UTF-8 as \xNN, and so a backslash that would be
		       read as the begin of one */
	FORMAT_HEX, /* up to 8 bytes as a number, more as bytes */
	FORMATS,
};
#define FORMAT_TAG "bpflens:"
#define FORMAT_TEXT 512 /* enough for the text of any format, terminated; longer ones are cut */

enum format format_parse(const char *word, size_t n); /* FORMAT_NONE: there is no such word */
const char *format_word(enum format f);
const char *format_words(void);				      /* "ip, mac, ..." */
const char *format_words_for(uint64_t size, struct arena *a); /* of those that fit so many bytes; "none" */
bool format_fits(enum format f, uint64_t size);
static inline bool format_is_number(enum format f)
{
	return f >= FORMAT_BE16 && f <= FORMAT_LE64;
}
static inline bool format_is_be(enum format f)
{
	return f <= FORMAT_BE64;
} /* of those */
/* Does the text always tell all of the bytes, on any machine? */
bool format_is_exact(enum format f, uint64_t size);
/* Names are those of the machine that the facts are of; what has none there is its number. @big: as base/bytes.h.
 * Returns the length. */
size_t format_text(enum format f, struct machine *machine, const unsigned char *p, uint64_t size, bool big,
		   char ret[FORMAT_TEXT]);

/* Of a format that is a number. */
uint64_t format_number(enum format f, const unsigned char *p, uint64_t size);

/*
 * The other way: what format_text() makes, of the be and le ones also 0x50. Names are those of the machine, NULL: it
 * has none; one that is not there, or that several things have, is no text. Returns how many of the @size bytes the
 * text tells, from the first on: behind the NUL of a str there may be anything. 0: it is no such text.
 */
uint64_t format_read(enum format f, struct machine *machine, const char *text, unsigned char *p, uint64_t size,
		     bool big);

/* Give the member at @path of the value (member.h; through lists without an index) a format. *p becomes another plan.
 */
int format_apply(const struct value_plan **p, const char *root, const char *path, enum format f,
		 struct machine *machine, struct arena *a, struct err *e);

#endif
