/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORD_FIELD_H
#define RECORD_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/paint.h"

/*
 * What a record looks like, as data. The one description of every field: its row is the JSON key and type, the column
 * name and header, the sort and filter key, the graph edge, the label in plain text, the line in --list-columns and in
 * the manual.
 *
 * Invariants, checked for every table by tests/unit/tables.c:
 *  - name is [a-z][a-z0-9_]*, unique in a schema, and has the same type and unit wherever it occurs;
 *  - help is one sentence without a full stop; off + size lies inside the record;
 *  - a row is never renamed or retyped once released.
 * Rows stand in the order of the JSON keys (bpftool's first, ours behind them, never behind the whole object's last
 * bpftool key if that is id, type, name or tag).
 */
enum field_type {
	FT_BOOL,
	FT_UINT,
	FT_INT,	  /* of field.size bytes: 1, 2, 4 or 8 */
	FT_REAL,  /* double; one that is not finite is AVAIL_UNKNOWN */
	FT_STR,	  /* const char * in the record, NULL: absent; or a char array if FIELD_INLINE (AVAIL_UNKNOWN
		     where it has no NUL) */
	FT_ENUM,  /* FT_UINT with names; printed as a word, unknown(N) where there is none */
	FT_BYTES, /* field.size bytes, printed as hex digits without blanks (a tag) */
	FT_TIME,  /* uint64_t seconds since the epoch */
	FT_LIST,  /* pointer to elements of type elem and elem_size bytes; number at field.count */
	FT_ROWS,  /* pointer to records of schema rows; number at field.count */
	FT_JSON,  /* const char *: a compact JSON text */
};

enum field_unit {
	FU_NONE,
	FU_ADDR,
	FU_HEX,
	FU_SIZE,
	FU_NSEC,
	FU_COUNTER, /* grows: watch, top and diff may show a rate */
	FU_PROG,
	FU_MAP,
	FU_BTF,
	FU_LINK, /* id of another object, 0: none: record/edge.h */
	FU_PIN,	 /* path in bpffs */
	FU_PID,
	FU_IFINDEX,
	FU_CGROUP,
	FU_NETNS,
	FU_CODE,    /* place in code, or a number in an instruction: "1f", in JSON the string "0x1f" */
	FU_PERCENT, /* of what the help says */
	FU_BYTE,    /* FT_LIST of bytes: "b7 00", in JSON ["0xb7","0x00"] */
};

enum avail { AVAIL_NO, AVAIL_YES, AVAIL_UNKNOWN }; /* does not apply; here; we could not find out */

struct names { /* enum value -> word; NULL in it is a hole */
	const char *const *word;
	unsigned n;
};
#define NAMES(arr) \
	{ \
		(arr), sizeof(arr) / sizeof((arr)[0]) \
	}

/* The extra question that a field costs. */
enum need {
	NEED_FDINFO = 1 << 0,
	NEED_PINS = 1 << 1, /* walks every bpffs; `show` asks for it only with -f */
	NEED_HOLDERS = 1 << 2,
	NEED_SYMBOLS = 1 << 3, /* kallsyms */
	NEED_BTF = 1 << 4,     /* BTF of the object: full names, metadata */
	NEED_MAPS = 1 << 5,    /* infos and contents of a program's maps: metadata */
	NEED_TARGET = 1 << 6,  /* what it is attached to, by name */
	NEED_USERS = 1 << 7,   /* all programs and maps: who uses a BTF object */
	NEED_PROG = 1 << 8,    /* a link's program: its name and type */
	NEED_COUNT = 1 << 9,   /* a map's elements */
	NEED_RING = 1 << 10,   /* how full a ring buffer is */
	NEED_DISASM = 1 << 11, /* a disassembler */
	NEED_STATS = 1 << 12,  /* whether the kernel counts how long programs run */
	NEED_UNITS = 1 << 13,  /* cgroups of the processes that hold it */
	NEED_OWNER = 1 << 14,  /* holders and pins, of a program those of its links, too */
	NEED_JOIN = 1 << 15,   /* what only a look at all others tells: all places, all programs */
	NEED_INNER = 1 << 16,  /* what a map of maps holds */
	NEED_NOW = 1 << 17,    /* a filter: what time it is there (record/view.h) */
	/* What is read only where a column, filter or order names it. */
	NEED_NAMED = NEED_COUNT | NEED_UNITS | NEED_OWNER | NEED_JOIN | NEED_INNER,
};

enum field_flags {
	FIELD_DEFAULT = 1 << 0,	  /* a default column of `list` */
	FIELD_NONZERO = 1 << 1,	  /* zero, NULL or empty means: does not apply */
	FIELD_PLAIN_NZ = 1 << 2,  /* plain text leaves it out when it is zero or empty; JSON does not */
	FIELD_NOPLAIN = 1 << 3,	  /* not in plain text */
	FIELD_EACH = 1 << 4,	  /* FT_LIST, FT_ROWS in plain: a line of its own for each element */
	FIELD_SINGLE = 1 << 5,	  /* FT_ROWS of exactly one: JSON prints an object, not an array */
	FIELD_KEYED = 1 << 6,	  /* FT_ROWS in JSON: an object; a row's first field is the key, its second the value */
	FIELD_INLINE = 1 << 7,	  /* FT_STR: the characters stand in the record (char[size]) */
	FIELD_CODE = 1 << 8,	  /* follows from the instructions of a program alone */
	FIELD_OTHERWISE = 1 << 9, /* a number that means something else on another machine (of a type) */
	FIELD_SHORT = 1 << 10,	 /* FT_TIME in tables: to the minute, without the zone; FT_STR with a moment in UTC: the
				    time of day; FU_SIZE in plain text: 613K */
	FIELD_JSON_NZ = 1 << 11, /* JSON leaves it out when it is zero; plain text does not */
	FIELD_ELSE = 1 << 12,	 /* plain text has it only where the field before it on its line does not apply */
	FIELD_HOLDER =
		1 << 13, /* what is named there holds this object, not the other way round; of FT_ROWS all in them */
};

struct schema;
/* A row is a key, a column and text: there is no row for text alone. What text words otherwise is said by text() and
 * struct wording. */
struct field {
	const char *name, *help;
	const char *title; /* column header; NULL: name in capitals (plain FT_ROWS tables: the name) */
	/*
	 * The key that every document has for this fact, where name is the word that bpftool has for it in this one:
	 * JSON has both, and columns, filters and sorting know both. NULL: name is that key.
	 */
	const char *also;
	/*
	 * Plain text: what is printed, verbatim, with % where the value goes ("  name %"); blanks before it are left
	 * out where it begins its line. Without a %: printed only when the value is not zero. For FT_BOOL "yes|no",
	 * either may be empty. NULL: "name VALUE", two blanks before it where it does not begin its line. "(s)" behind
	 * the value is an s unless it is 1.
	 */
	const char *plain;
	/*
	 * Plain text: what stands in place of the value, made of it and of what is beside it in the record, like
	 * snprintf; asked where the value does not apply, too. 0: nothing is printed.
	 */
	size_t (*text)(const void *rec, char *buf, size_t size);
	enum field_type type, elem; /* elem: FT_LIST */
	enum field_unit unit;
	uint32_t flags;
	uint32_t need;	    /* enum need */
	uint16_t off, size; /* member of the record */
	uint16_t count;	    /* FT_LIST, FT_ROWS: offset of the uint32_t number of elements */
	uint16_t elem_size; /* FT_LIST */
	uint16_t when;	    /* offset of an enum avail in a uint8_t, shared by fields that come together; 0: always */
	uint8_t line, col;  /* plain text: line of the block (0 is the headline), order on that line */
	uint8_t width;	    /* plain FT_ROWS tables: width of the column; a title that ends in a blank keeps its own.
			       In a block: of an FT_UINT, with blanks left of it; of others, behind it.
			       In a table whose rows come one by one (render_rows): at least */
	uint8_t drop;	    /* a default column of a table that is too wide: those with the highest are left out
			       first; 0: it stays, narrower */
	uint8_t role;	    /* enum role: what it is painted as; ROLE_NONE: as its unit and type say, field_role() */
	bool (*painted)(const char *text, size_t *ret_at,
			size_t *ret_n); /* which part of the plain text is painted; NULL: all of it */
	uint8_t since;			/* version of the schema (cli/schema.h) that it came with; 0: the first */
	const struct names *names;	/* FT_ENUM */
	const struct schema *rows;	/* FT_ROWS */
};

/* Plain text that shows a FIELD_NOPLAIN field: for sentences, which differ with the record while its keys do not. */
struct wording {
	const char *field, *plain;
	uint8_t line, col;
};

struct schema {
	const char *name;
	const struct field *fields;
	size_t n, rec_size;
	uint16_t info_off,
		info_len; /* the kernel's struct in the record, and the offset of the uint32_t "how much it gave us": */
	uint16_t info_size; /* a field inside [info_off, info_off + info_size) past that length is AVAIL_NO: the kernel
			       is older than it; 0: none */
	const struct schema *(*more)(const void *rec); /* the part that depends on the record's own type, or NULL */
	/* Rows of an FT_ROWS field in plain text and tables: one row as text. NULL: a small table, or "key = value" if
	 * keyed. */
	size_t (*text)(const void *row, char *buf, size_t size); /* like snprintf */
	const char *head;					 /* a line above such rows, where each has its own */
	const struct wording *words; /* of this and the fixed part; before the fields of their line and column */
	size_t nwords;
	const char *indent; /* plain text: what the lines of a block after its first begin with; NULL: a tab */
};

#define FT_OF(x) \
	_Generic((x), bool: FT_BOOL, signed char: FT_INT, short: FT_INT, int: FT_INT, long: FT_INT, long long: FT_INT, \
	char *: FT_STR, const char *: FT_STR, unsigned char: FT_UINT, unsigned short: FT_UINT, unsigned: FT_UINT, \
	unsigned long: FT_UINT, unsigned long long: FT_UINT, double: FT_REAL)
#define FIELD_OFF(T, m) .off = offsetof(T, m), .size = sizeof(((T *)0)->m)
#define FIELD(T, m, nm, hlp, ...) \
	{ \
		.name = nm, .help = hlp, .type = FT_OF(((T *)0)->m), FIELD_OFF(T, m), ##__VA_ARGS__ \
	}
/* A member of another shape: give .type in the arguments. */
#define FIELD_AS(T, m, ft, nm, hlp, ...) \
	{ \
		.name = nm, .help = hlp, .type = ft, FIELD_OFF(T, m), ##__VA_ARGS__ \
	}
#define FIELD_LIST(T, m, cnt, et, nm, hlp, ...) \
	{ \
		.name = nm, .help = hlp, .type = FT_LIST, .elem = et, .elem_size = sizeof(*((T *)0)->m), \
		FIELD_OFF(T, m), .count = offsetof(T, cnt), ##__VA_ARGS__ \
	}
#define FIELD_ROWS(T, m, cnt, sch, nm, hlp, ...) \
	{ \
		.name = nm, .help = hlp, .type = FT_ROWS, .rows = sch, FIELD_OFF(T, m), .count = offsetof(T, cnt), \
		##__VA_ARGS__ \
	}
#define SCHEMA(nm, T, arr, ...) \
	{ \
		.name = nm, .fields = arr, .n = sizeof(arr) / sizeof((arr)[0]), .rec_size = sizeof(T), ##__VA_ARGS__ \
	}
/* A part that has words only. */
#define SCHEMA_WORDS(nm, T, arr) \
	{ \
		.name = nm, .rec_size = sizeof(T), .words = arr, .nwords = sizeof(arr) / sizeof((arr)[0]) \
	}

struct value { /* borrowed from the record; never owns */
	enum avail avail;
	enum field_type type;
	union {
		bool b;
		uint64_t u;
		int64_t i;
		double d;
		const char *s;
		struct {
			const void *p;
			uint32_t n, stride;
		} list; /* FT_LIST, FT_ROWS, FT_BYTES (n bytes) */
	};
};

struct value field_get(const struct schema *s, const struct field *f, const void *rec);
/* The same where it will stay, for loops over all fields: a value made in parts and copied whole makes a processor
 * wait. */
void field_read(const struct schema *s, const struct field *f, const void *rec, struct value *ret);
/* Element i of an FT_LIST value, as a value of type f->elem. */
struct value value_elem(const struct field *f, const struct value *v, uint32_t i);
bool value_is_zero(const struct value *v);
enum role field_role(const struct field *f, const struct value *v); /* of ROLE_UNKNOWN where it could not be read */
/* <0, 0, >0. AVAIL_NO sorts before AVAIL_UNKNOWN before every value; words compare as words, lists by length then
 * content. */
int value_cmp(const struct field *f, const struct value *a, const struct value *b);
enum value_style { VALUE_PLAIN, VALUE_TABLE }; /* exact, as bpftool's plain text; for people, with human units */
/* Like snprintf. AVAIL_NO is "-", AVAIL_UNKNOWN is "?". Text from outside is not escaped here. */
size_t value_text(const struct field *f, const struct value *v, enum value_style style, char *buf, size_t size);
const char *names_word(const struct names *n, uint64_t value); /* NULL: no such */

/* All fields of a record: the fixed part, then the part of its own type. rec NULL: the fixed part only. */
struct schema_iter {
	const struct schema *s, *base;
	size_t i;
	const void *rec;
};
const struct field *schema_next(struct schema_iter *it);
/* The value of a field that schema_next() returned. A part without an info_size of its own shares the fixed part's. */
struct value schema_value(const struct schema_iter *it, const struct field *f);
void schema_read(const struct schema_iter *it, const struct field *f, struct value *ret); /* as field_read() */
#define SCHEMA_ITER(sch, record) \
	{ \
		.s = (sch), .base = (sch), .rec = (record) \
	}
/* By name, or else by the key of all documents; looks into the fixed part, then, where rec is given, into its own part.
 * NULL: none. *ret_s (may be NULL): the schema to give to field_get(), as in schema_value(). */
const struct field *schema_find(const struct schema *s, const void *rec, const char *name, const struct schema **ret_s);
unsigned schema_need(const struct schema *s); /* OR of the needs of all its fixed fields */

#endif
