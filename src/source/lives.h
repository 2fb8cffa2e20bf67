/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in at.c. */

#include "base/base.h"
#include "kernel/object.h"

struct machine;
struct blob;
struct source;
/* The life of a program in a recording: its times, and its loader. */
enum life_how { LIFE_BEFORE, LIFE_COPIED, LIFE_ASKED, LIFE_MISSED, LIFE_HOWS };
struct life {
	uint32_t id;
	uint64_t loaded;  /* ns since boot; 0: unknown */
	bool gone;	  /* before the recording ended */
	bool open;	  /* still loaded when the recorder was killed: what happened then is unknown */
	uint64_t gone_at; /* ns since boot; 0: unknown, or not gone */
	bool has_loader;  /* the next three members are known */
	uint32_t pid;	  /* in the recorder's process namespace; 0: not in it */
	uint32_t uid;	  /* in the initial namespace */
	const char *comm; /* of the thread that loaded it */
	/* Its answers: read when the recording began; copied while it was loaded; read afterwards; missing. */
	enum life_how how;
	const char *missing; /* words separated by commas: parts missing from its answers; NULL: none */
};
struct lives {
	uint64_t from, to; /* of the recording, ns since boot; to 0: the recorder was killed */
	struct life *life; /* ascending by id */
	size_t n;
};

/*
 * The answer to sys/lives: a line for the recording, and a line for each program, appended by lives_put() and read by
 * lives_parse().
 */
void lives_put_head(struct str *ret, uint64_t from, uint64_t to);
void lives_put(struct str *ret, const struct life *l);
/* 0; -EBADMSG: a line that cannot be parsed. In the arena. */
int lives_parse(struct lives *ret, const struct blob *b, struct arena *a);
const struct life *lives_find(const struct lives *l, uint32_t id); /* NULL: no such program */
/* Was it loaded at that time? True if unknown. */
bool life_was_at(const struct life *l, uint64_t time);
/* The end of the recording, or the last known time before the recorder was killed, in nanoseconds since boot. */
uint64_t lives_end(const struct lives *l);

/* NULL: the machine is not a recording. */
const struct lives *facts_lives(struct machine *m);
const struct life *facts_life(struct machine *m, uint32_t prog);

/*
 * Which maps, links and BTF objects there were in a recording, by id: Q_LISTED 0, 1, ... are the looks at the kernel's
 * lists, a second apart, at which something had changed. What came and went between two looks is not in them.
 */
struct presence {
	uint32_t id;
	uint64_t from;	  /* ns since boot: the first look that saw it; 0: it was there when the file began */
	uint64_t gone_at; /* the first look that did not see it any more; 0: it was there at the end */
};
struct list_look {
	uint64_t since,
		time; /* ns since boot: between the look before and this one, the lists are not known; 0: first */
};
struct listed {
	struct hash of[OBJECT_KINDS]; /* of struct presence, by id; if an id was used again, only the last object */
	struct list_look *look;	      /* those that saw a change, ascending */
	size_t n, cap;
	uint64_t to; /* the last of them that could be read */
	int why;     /* -errno: what is after @to cannot be read, or contradicts itself; else 0 */
};
/* All pieces of a source, in the arena. 0; -ENODATA: it has none; another -errno: not even the first. */
int listed_read(struct source *s, struct arena *a, struct listed *ret);
static inline bool presence_was_at(const struct presence *p, uint64_t time)
{
	return p->from <= time && (!p->gone_at || p->gone_at > time);
}
/* NULL: there is none that can be read, or the file is not a recording. */
const struct listed *facts_listed(struct machine *m);
/* @time, or the first look after it, if the lists are not known at @time. */
uint64_t listed_known_at(const struct listed *l, uint64_t time);

/* Append to a piece: a look, before ids; an id that came, or has gone. */
void listed_put_look(struct str *ret, struct list_look look);
void listed_put(struct str *ret, enum object_kind kind, bool came, uint32_t id);

/*
 * A recording at a moment: lists have only the objects that were there then. @when: "1.5" or "1m30s" from its
 * beginning, or a time (base/when.h); the present is its end. Takes @inner on success; -EINVAL with a sentence: not a
 * recording, or not a moment of it.
 */
int source_at(struct source **ret, struct source *inner, const char *when, struct err *e);
/*
 * The moment that @when is in a recording, or several, from @from to @to, which are nanoseconds since 1970, or if not
 * @dated, since boot, and so is *ret, which may be outside. 0, or -errno with a message.
 */
int at_parse(const char *when, uint64_t from, uint64_t to, bool dated, uint64_t *ret, struct err *e);
uint64_t source_at_ns(const struct source *at); /* that moment, in nanoseconds since boot */
