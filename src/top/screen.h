/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in keys.c. */

#include "top/rows.h"
#include "render/terminal.h"

/*
 * The screen of `top` as text, from what was read and what the user chose with keys. Nothing here reads from a machine
 * or writes to a terminal.
 */
enum screen_mode { SCREEN_PROGS, SCREEN_MAPS, SCREEN_EVENTS, SCREEN_PROG, SCREEN_CODE, SCREEN_HELP };
enum screen_ask { ASK_NOTHING, ASK_FILTER, ASK_SORT, ASK_COLUMNS, ASK_FILE };
struct screen {
	enum screen_mode mode;
	enum screen_ask ask; /* what is being typed in the last line */
	char typed[256];     /* UTF-8, terminated */
	bool frozen;
	bool counts;	   /* the maps have their updates */
	size_t first;	   /* row at the top of the list */
	size_t at;	   /* row that is selected */
	bool follows;	   /* the selection follows its program, */
	uint32_t id;	   /* which is this; 0: not known yet */
	uint32_t shown;	   /* program of the selected row, as it was drawn last */
	size_t page;	   /* rows of the list that fit, as it was drawn last */
	size_t rows;	   /* that there are */
	char message[256]; /* shown in place of the keys, until the next key */
};
/* What the caller has to do after a key. */
enum screen_act {
	ACT_NOTHING,
	ACT_DRAW,
	ACT_READ,      /* what is shown was not read yet: mode or selection are new */
	ACT_TYPED,     /* s->typed is the answer to the question @ret_ask */
	ACT_BACK,      /* in a recording: to the moment before, */
	ACT_FORTH,     /* after, */
	ACT_FAR_BACK,  /* a minute before, */
	ACT_FAR_FORTH, /* a minute after */
	ACT_QUIT,
};
enum screen_act screen_key(struct screen *s, int key, enum screen_ask *ret_ask);

/* What is above the rows. */
struct screen_head {
	const char *time;    /* as in struct stats_rec */
	uint64_t lapse_ns;   /* 0: nothing was read yet */
	uint32_t cpus;	     /* 0: unknown */
	double busy_percent; /* of all CPUs; < 0: unknown */
	size_t nr_maps;
	bool has_maps;
	uint64_t bytes;	    /* of programs and maps */
	uint8_t has_bytes;  /* enum avail */
	const char *from;   /* recording; NULL: the running kernel */
	uint64_t moment_ns; /* in a recording: the end of the interval, since boot */
};
struct picture {
	struct env *env;
	const struct history *history;
	struct rows *rows;
	struct screen_head head;
	const struct out *detail; /* text of the modes other than SCREEN_PROGS and SCREEN_HELP; NULL: none yet */
};
/* The lines of the head: of a screen (@history), or of other text. */
void screen_head(const struct picture *p, unsigned columns, bool history, struct out *o);
/* Draws all @lines of @columns, at least 1. The rows must be chosen. */
void screen_draw(struct screen *s, const struct picture *p, unsigned columns, unsigned lines, struct out *o);
/* A sentence that is not a record, on as many lines as it needs; @more follows it unless it is "". */
void screen_say(const char *text, const char *more, struct out *o);
/* A table of records within the screen: columns that do not fit are missing without a note. */
void screen_table(const struct schema *schema, const struct view *v, const void *const *rec, size_t n, struct arena *a,
		  struct out *o);
