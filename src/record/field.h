/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in value.c. */

#include "base/base.h"
#include "base/paint.h"

/*
 * What a record looks like, as data. A row is the only description of a field: its JSON key and type, the name and
 * header of its column, the key for sorting and filtering, the graph edge, the label in plain text, the line in
 * --list-columns and in the manual.
 *
 * Invariants, checked for every table by tests/unit/tables.c:
 *  - name is [a-z][a-z0-9_]*, unique in a schema, and has the same type and unit wherever it occurs;
 *  - help is one sentence without a full stop; off + size is within the record;
 *  - a row is never renamed or retyped once released.
 * Rows are in the order of the JSON keys: bpftool's first, then ours, but never after the whole object's last bpftool
 * key if that is id, type, name or tag.
 */
enum field_type {
	FT_BOOL,
	FT_UINT,
	FT_INT,	 /* of field.size bytes: 1, 2, 4 or 8 */
	FT_REAL, /* double; a value that is not finite is AVAIL_UNKNOWN */
	/* const char * in the record, NULL: absent; or a char array if FIELD_INLINE (AVAIL_UNKNOWN if it has no NUL) */
	FT_STR,
	FT_ENUM,  /* FT_UINT with names; a value without a name is printed as unknown(N) */
	FT_BYTES, /* field.size bytes, printed as hex digits without blanks (a tag) */
	FT_TIME,  /* uint64_t seconds since the epoch */
	FT_LIST,  /* pointer to elements of type elem and size elem_size; their number is at field.count */
	FT_ROWS,  /* pointer to records of schema rows; their number is at field.count */
	FT_JSON,  /* const char *: a compact JSON text */
};

enum field_unit {
	FU_NONE,
	FU_ADDR,
	FU_HEX,
	FU_SIZE,
	FU_NSEC,
	FU_COUNTER, /* only increases: watch, top and diff may show a rate */
	FU_PROG,
	FU_MAP,
	FU_BTF,
	FU_LINK, /* PROG to LINK: id of another object, 0: none: record/edge.h */
	FU_PIN,	 /* path in bpffs */
	FU_PID,
	FU_IFINDEX,
	FU_CGROUP,
	FU_NETNS,
	FU_CODE,    /* offset in code, or a number in an instruction: "1f", in JSON the string "0x1f" */
	FU_PERCENT, /* the field's help explains of what */
	FU_BYTE,    /* FT_LIST of bytes: "b7 00", in JSON ["0xb7","0x00"] */
};

/*
 * NO: does not apply; YES: known; UNKNOWN: could not be read; UNSEEN, only in records: unknown because of a process
 * that could not be read, which the machine has noted (source/machine.h).
 */
enum avail { AVAIL_NO, AVAIL_YES, AVAIL_UNKNOWN, AVAIL_UNSEEN };

struct names { /* name of each enum value; NULL is a hole */
	const char *const *word;
	unsigned n;
};
#define NAMES(arr) \
	{ \
		(arr), sizeof(arr) / sizeof((arr)[0]) \
	}

/* The additional question that a field requires. */
enum need {
	NEED_FDINFO = 1 << 0,
	NEED_PINS = 1 << 1, /* walks every bpffs; `show` requests it only with -f */
	NEED_HOLDERS = 1 << 2,
	NEED_SYMBOLS = 1 << 3, /* kallsyms */
	NEED_BTF = 1 << 4,     /* BTF of the object: full names, metadata */
	NEED_MAPS = 1 << 5,    /* infos and contents of a program's maps, for its metadata */
	NEED_TARGET = 1 << 6,  /* the name of what it is attached to */
	NEED_USERS = 1 << 7,   /* all programs and maps: which of them use a BTF object */
	NEED_PROG = 1 << 8,    /* a link's program: its name and type */
	NEED_COUNT = 1 << 9,   /* number of elements of a map */
	NEED_RING = 1 << 10,   /* fill level of a ring buffer */
	NEED_DISASM = 1 << 11, /* a disassembler */
	NEED_STATS = 1 << 12,  /* whether the kernel measures the run time of programs */
	NEED_UNITS = 1 << 13,  /* cgroups of the processes that hold it */
	NEED_OWNER = 1 << 14,  /* holders and pins; for a program also those of its links */
	NEED_JOIN = 1 << 15,   /* facts that need all other objects: all places, all programs */
	NEED_INNER = 1 << 16,  /* contents of a map of maps */
	NEED_NOW = 1 << 17,    /* a filter: the machine's current time (record/view.h) */
	NEED_DEAD = 1 << 18,   /* elements of a map whose keys name what is gone */
	NEED_USED = 1 << 19,   /* ids of the maps that a program uses */
	/* Needs that are read only if a column, filter or sort key names their field. */
	NEED_NAMED = NEED_COUNT | NEED_UNITS | NEED_OWNER | NEED_JOIN | NEED_INNER | NEED_DEAD,
};

enum field_flags {
	FIELD_DEFAULT = 1 << 0,	  /* a default column of `list` */
	FIELD_NONZERO = 1 << 1,	  /* zero, NULL or empty: does not apply */
	FIELD_PLAIN_NZ = 1 << 2,  /* plain text leaves out zero and empty values; JSON does not */
	FIELD_NOPLAIN = 1 << 3,	  /* not in plain text */
	FIELD_EACH = 1 << 4,	  /* FT_LIST, FT_ROWS in plain: each element on a line of its own */
	FIELD_SINGLE = 1 << 5,	  /* FT_ROWS of exactly one: JSON prints an object, not an array */
	FIELD_KEYED = 1 << 6,	  /* FT_ROWS in JSON: an object; a row's first field is the key, its second the value */
	FIELD_INLINE = 1 << 7,	  /* FT_STR: the characters are in the record (char[size]) */
	FIELD_CODE = 1 << 8,	  /* depends only on the instructions of a program */
	FIELD_OTHERWISE = 1 << 9, /* a number whose meaning depends on the machine (such as a type id) */
	/*
	 * FT_TIME in tables: to the minute, without the zone; FT_STR with a time in UTC: the time of day; FU_SIZE in
	 * plain text: 613K
	 */
	FIELD_SHORT = 1 << 10,
	FIELD_JSON_NZ = 1 << 11, /* JSON leaves out zero; plain text does not */
	FIELD_ELSE = 1 << 12,	 /* plain text prints it only if the field before it on its line does not apply */
	FIELD_HOLDER =
		1 << 13, /* the named object holds this one, not the reverse; on FT_ROWS: for all fields in them */
	FIELD_PROSE = 1 << 14, /* a sentence: the last default column; on a terminal it is continued below itself */
	/* not in bpftool's plain text: left out under its name, where scripts search lines for names */
	FIELD_OURS = 1 << 15,
	/* what a table is read for: never left out or truncated; so are default columns with names, and sentences */
	FIELD_ANSWER = 1 << 16,
	FIELD_KEY = 1 << 17, /* the fields with it identify the record in its list, from one reading to the next */
};

struct schema;
/*
 * A row has a key, a column and text: there are no rows only for text. For wording that differs, use text() and struct
 * wording. What is not set is 0 or NULL.
 *
 * member    meaning, and what 0 or NULL means
 *
 *   the fact
 * name      key in JSON, name of the column and in filters; always set
 * help      one sentence for --list-columns and the manual; always set
 * also      the key of this fact in all documents, if name is bpftool's name for it in this document: JSON has both,
 *           columns, filters and sorting accept both; NULL: name is that key
 * was       its former key, deprecated: for one version JSON has both, columns, filters and sorting accept both;
 *           NULL: none
 * since     version of the schema (cli/doc/schema.h) that added it; 0: the first
 *   where it is in the record
 * type      enum field_type
 * off, size offset and size of the member
 * count     FT_LIST, FT_ROWS: offset of the uint32_t number of elements
 * elem      FT_LIST: type of the elements
 * elem_size FT_LIST: size of an element
 * names     FT_ENUM: the words; FT_STR: all texts that it may have, which filters check; NULL: any
 * among     FT_STR: its texts are the names of a kernel's enumeration, or of a newer kernel's; filters check them
 * rows      FT_ROWS: schema of the elements
 * also_is   FT_STR that stands for several: offset of a const char *const * with all of them, which == and =~ find too,
 *           and nalso_is that of their uint32_t number; 0: it is the only one
 * when      offset of an enum avail in a uint8_t, shared by fields that are known together; 0: always known
 * need      enum need: what must be read for it; 0: no more than the record itself
 * unit      enum field_unit; 0: none
 * flags     enum field_flags; 0: in JSON and plain text, and a column only if it is asked for
 *   plain text
 * line, col line of the block (0 is the headline), and order on that line
 * plain     printed verbatim, with the value in place of % (" name %"); blanks at its start are left out at the start
 *           of a line. Without a %: printed only if the value is not zero. For FT_BOOL "yes|no"; either may be empty.
 *           "(s)" after the value becomes "s" unless the value is 1. NULL: "name VALUE", after two blanks unless at
 *           the start of a line
 * text      replaces the value by a text made from it and from other members of the record, like snprintf(); also
 *           called if the value does not apply; it returns 0: nothing is printed. NULL: the value itself
 *   tables and colours
 * title     header of the column; NULL: name in capitals (plain FT_ROWS tables: the name)
 * width     plain FT_ROWS tables: width of the column (a title that ends in a blank keeps its own). In a block: an
 *           FT_UINT is padded on the left, others on the right. In a table whose rows are printed at once
 *           (render_rows): the minimum. 0: as wide as the value
 * drop      order in which default columns are left out of a table that is too wide, the highest first; 0: after these,
 *           the last column first. The first column, answers, and columns that the user names stay.
 * role      enum role: its colour; 0 (ROLE_NONE): derived from unit and type by field_role()
 * painted   selects the part of the plain text that is coloured; NULL: all of it
 */
struct field {
	const char *name, *help, *title, *also, *was, *plain;
	size_t (*text)(const void *rec, char *buf, size_t size);
	enum field_type type, elem;
	enum field_unit unit;
	uint32_t flags, need;
	uint16_t off, size, count, elem_size, when, also_is, nalso_is;
	uint8_t line, col, width, drop, role;
	bool (*painted)(const char *text, size_t *ret_at, size_t *ret_n);
	uint8_t since;
	const struct names *names;
	const struct name_table *among; /* kernel/names.h */
	const struct schema *rows;
};

/* Plain text for a FIELD_NOPLAIN field: for sentences, which differ with the record while its keys do not. */
struct wording {
	const char *field, *plain;
	uint8_t line, col;
};

struct schema {
	const char *name;
	const struct field *fields;
	size_t n, rec_size;
	/* offsets of the kernel's struct in the record, and of the uint32_t with the bytes that the kernel filled */
	uint16_t info_off, info_len;
	/*
	 * size of that struct; a field in it beyond the filled bytes is AVAIL_NO, because the kernel is older than it;
	 * 0: none
	 */
	uint16_t info_size;
	/* returns the part that depends on the record's own type, or NULL */
	const struct schema *(*more)(const void *rec);
	/*
	 * Plain text and tables, for rows of an FT_ROWS field: one row as text. NULL: a small table, or "key = value"
	 * if keyed.
	 */
	size_t (*text)(const void *row, char *buf, size_t size); /* like snprintf */
	const char *head;					 /* a line printed above such rows */
	/* of this and the fixed part; they precede the fields of the same line and column */
	const struct wording *words;
	size_t nwords;
	const char *indent; /* plain text: start of the lines of a block after the first; NULL: a tab */
};

/*
 * The rows of a struct T: FIELD(prog_rec, name, "name", "name of the program", .role = ROLE_NAME). The member's C type
 * decides about the type of the field; FIELD_AS() gives another one. FIELD_IF() is known only if @has says so. More
 * arguments set members of struct field. A macro that makes the same row in several tables has FIELD in its name: first
 * if the record is an argument (FIELD_PINNED), after the record otherwise (LINK_FIELD).
 */
#define FT_OF(x) \
	_Generic((x), bool: FT_BOOL, signed char: FT_INT, short: FT_INT, int: FT_INT, long: FT_INT, long long: FT_INT, \
	char *: FT_STR, const char *: FT_STR, unsigned char: FT_UINT, unsigned short: FT_UINT, unsigned: FT_UINT, \
	unsigned long: FT_UINT, unsigned long long: FT_UINT, double: FT_REAL)
#define FIELD_OFF(T, m) .off = offsetof(struct T, m), .size = sizeof(((struct T *)0)->m)
#define FIELD_WHEN(T, has) .when = offsetof(struct T, has)
#define FIELD_ALSO_IS(T, m, cnt) .also_is = offsetof(struct T, m), .nalso_is = offsetof(struct T, cnt)
#define FIELD(T, m, nm, hlp, ...) \
	{ \
		.name = nm, .help = hlp, .type = FT_OF(((struct T *)0)->m), FIELD_OFF(T, m), ##__VA_ARGS__ \
	}
#define FIELD_IF(T, m, has, nm, hlp, ...) FIELD(T, m, nm, hlp, FIELD_WHEN(T, has), ##__VA_ARGS__)
#define FIELD_AS(T, m, ft, nm, hlp, ...) \
	{ \
		.name = nm, .help = hlp, .type = ft, FIELD_OFF(T, m), ##__VA_ARGS__ \
	}
#define FIELD_LIST(T, m, cnt, et, nm, hlp, ...) \
	{ \
		.name = nm, .help = hlp, .type = FT_LIST, .elem = et, .elem_size = sizeof(*((struct T *)0)->m), \
		FIELD_OFF(T, m), .count = offsetof(struct T, cnt), ##__VA_ARGS__ \
	}
#define FIELD_ROWS(T, m, cnt, sch, nm, hlp, ...) \
	{ \
		.name = nm, .help = hlp, .type = FT_ROWS, .rows = sch, FIELD_OFF(T, m), \
		.count = offsetof(struct T, cnt), ##__VA_ARGS__ \
	}
#define SCHEMA(nm, T, arr, ...) \
	{ \
		.name = nm, .fields = arr, .n = sizeof(arr) / sizeof((arr)[0]), .rec_size = sizeof(struct T), \
		##__VA_ARGS__ \
	}
/* A part that consists only of wordings. */
#define SCHEMA_WORDS(nm, T, arr) \
	{ \
		.name = nm, .rec_size = sizeof(struct T), .words = arr, .nwords = sizeof(arr) / sizeof((arr)[0]) \
	}

struct value { /* borrowed from the record; owns nothing */
	enum avail avail;
	bool unseen; /* AVAIL_UNKNOWN was AVAIL_UNSEEN */
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

/* The keys of a field in JSON; NULL: it has none of this sort. */
enum field_keys { KEY_NAME, KEY_ALSO, KEY_WAS, KEYS };
static inline const char *field_key(const struct field *f, enum field_keys i)
{
	return i == KEY_NAME ? f->name : i == KEY_ALSO ? f->also : f->was;
}
/* The first of its keys that equals @typed, by strcmp() or strcasecmp(); NULL: none. */
const char *field_called(const struct field *f, const char *typed, int (*cmp)(const char *a, const char *b));
/* A time: FT_TIME, or FT_STR with a time in UTC. */
static inline bool field_is_time(const struct field *f)
{
	return f->type == FT_TIME || (f->type == FT_STR && f->flags & FIELD_SHORT);
}
struct value field_get(const struct schema *s, const struct field *f, const void *rec);
/*
 * The same, stored directly in *ret, for loops over all fields: copying a value just written in parts stalls the
 * processor.
 */
void field_read(const struct schema *s, const struct field *f, const void *rec, struct value *ret);
/* Element i of an FT_LIST value, as a value of type f->elem. */
struct value value_elem(const struct field *f, const struct value *v, uint32_t i);
/* Could it not be read, for another reason than an unseen process? Then the output lacks something. */
static inline bool value_is_missing(const struct value *v)
{
	return v->avail == AVAIL_UNKNOWN && !v->unseen;
}
bool value_is_zero(const struct value *v);
enum role field_role(const struct field *f, const struct value *v); /* ROLE_UNKNOWN if it could not be read */
/*
 * <0, 0, >0. AVAIL_NO sorts before AVAIL_UNKNOWN, which sorts before every value; names compare as strings, lists by
 * length and then by content.
 */
int value_cmp(const struct field *f, const struct value *a, const struct value *b);
enum value_style { VALUE_PLAIN, VALUE_TABLE }; /* exact, as bpftool's plain text; for people, with units */
/* Like snprintf. AVAIL_NO is "-", AVAIL_UNKNOWN is "?". Text from outside is not escaped here. */
size_t value_text(const struct field *f, const struct value *v, enum value_style style, char *buf, size_t size);
/*
 * Without its quotes, would this JSON string look like a missing value, or be taken for an option when it is typed?
 * False for other JSON.
 */
bool value_keeps_quotes(const char *json);
const char *names_word(const struct names *n, uint64_t value); /* NULL: no such value */

/*
 * Iterates over all fields of a record: those of the fixed part, then those of the part for its type. rec NULL: only
 * the fixed part.
 */
struct schema_iter {
	const struct schema *s, *base;
	size_t i;
	const void *rec;
};
const struct field *schema_next(struct schema_iter *it);
/* The value of the field that schema_next() returned. A part without its own info_size uses that of the fixed part. */
struct value schema_value(const struct schema_iter *it, const struct field *f);
void schema_read(const struct schema_iter *it, const struct field *f, struct value *ret); /* as field_read() */
#define SCHEMA_ITER(sch, record) \
	{ \
		.s = (sch), .base = (sch), .rec = (record) \
	}
/*
 * Find a field by name, or else by another of its keys, in the fixed part and, if rec is not NULL, in the part for
 * its type. NULL: none. *ret_s (may be NULL): the schema for field_get(), as in schema_value().
 */
const struct field *schema_find(const struct schema *s, const void *rec, const char *name, const struct schema **ret_s);
/* OR of the needs of the fields of the fixed part, except those with one of these field_flags. */
unsigned schema_need(const struct schema *s, uint32_t without);
/*
 * The schema of records of @s that are followed by one of @more, in the arena. The first @front fields of @more come
 * before those of @s, the others after them. @more has no also_is. schema_tail(): that record.
 */
struct schema *schema_append(struct arena *a, const struct schema *s, const struct schema *more, size_t front);
static inline void *schema_tail(const struct schema *s, void *rec, size_t size)
{
	return (char *)rec + s->rec_size - size;
}
