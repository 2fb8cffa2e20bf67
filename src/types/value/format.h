/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in member.c. */

#include "base/base.h"

struct machine;
struct value_plan;
/*
 * The meaning of a member's bytes, if its type does not define it. Chosen by --format, or in the program by
 * __attribute__((btf_decl_tag("bpflens:ip"))) after a member. Printed as text, except the be and le formats, which are
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
	FORMAT_CGROUP,	/* an id, printed as the path */
	FORMAT_IFINDEX, /* an index, printed as the name of the device */
	/* Numbers; the words say what they name (map/elem/dead.h). */
	FORMAT_PID,   /* of a thread; of 8 bytes: the lower 4 of bpf_get_current_pid_tgid(), or a small number */
	FORMAT_TGID,  /* of a process; of 8 bytes: the upper 4 */
	FORMAT_NETNS, /* inode number of a network namespace */
	FORMAT_STR, /* bytes up to the first zero; bytes that are not UTF-8 as \xNN, also a backslash that would be read
		       as the beginning of such an escape */
	FORMAT_HEX, /* up to 8 bytes as a number, more as bytes */
	FORMATS,
};
#define FORMAT_TAG "bpflens:"
#define FORMAT_TEXT 512 /* enough for the text of any format, terminated; longer text is truncated */

enum format format_parse(const char *word, size_t n); /* FORMAT_NONE: no such word */
const char *format_word(enum format f);
const char *format_words(void);				      /* "ip, mac, ..." */
const char *format_words_for(uint64_t size, struct arena *a); /* those for values of this size; "none" */
int format_hint(enum format f, uint64_t size, struct err *e); /* the format of a value, with an example */
bool format_fits(enum format f, uint64_t size);
static inline bool format_is_number(enum format f)
{
	return f >= FORMAT_BE16 && f <= FORMAT_LE64;
}
/* Only for formats that are numbers. */
static inline bool format_is_be(enum format f)
{
	return f <= FORMAT_BE64;
}
/* True if the text always defines all bytes, on every machine. */
bool format_is_exact(enum format f, uint64_t size);
/*
 * Names are those on the machine; what has no name there is printed as its number. @big: as in base/bytes.h. Returns
 * the length.
 */
size_t format_text(enum format f, struct machine *machine, const unsigned char *p, uint64_t size, bool big,
		   char ret[FORMAT_TEXT]);

/* The number, for a format that is a number. */
uint64_t format_number(enum format f, const unsigned char *p, uint64_t size);

/*
 * The reverse: reads the text of format_text(), for formats that print numbers also 0x50. Names are those on the
 * machine (NULL: it has none); an unknown or ambiguous name is not accepted. Returns how many of the @size bytes the
 * text defines, from the first: bytes after the NUL of a str are undefined. 0: the text is not accepted.
 */
uint64_t format_read(enum format f, struct machine *machine, const char *text, unsigned char *p, uint64_t size,
		     bool big);

/*
 * Gives the member at @path of the value (member.h; through arrays without an index) a format. *p becomes another plan.
 */
int format_apply(const struct value_plan **p, const char *root, const char *path, enum format f,
		 struct machine *machine, struct arena *a, struct err *e);
/* Gives all members the formats that names imply or suggest (named.h). *p becomes another plan; NULL: no effect. */
#define FORMAT_AUTO "auto"
void format_apply_auto(const struct value_plan **p, struct machine *machine, struct arena *a);
/* Appends the names of members to which that would give another format, the first of them: "saddr, daddr". @p may be
 * NULL. */
void format_auto_names(const struct value_plan *p, struct str *names);
