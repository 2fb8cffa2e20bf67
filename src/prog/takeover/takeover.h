/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in carry.c, find.c, maps.c, plan.c and report.c. */

#include "cli/place.h"
#include "load/load.h"

struct change_rec;
struct abi_prog_info;
/*
 * `load --replace`: an object file that is being loaded takes the place of one that was loaded before. The old programs
 * are those that the pins of the file's programs hold now, themselves or by a link. Where these run, and each of their
 * pins, gets the new program; each such change is atomic, and all are undone if one fails. Maps are kept if those of
 * the file are the same.
 *
 * Meanwhile PATH~ holds the new program, and what is at PATH changes last: if the command is killed, the next one finds
 * the programs of both, and completes the work.
 */

/* An object, and the one that takes its place: [0] and [1]. */
struct swap {
	const char *name; /* in the file */
	uint32_t id[2];
	int fd[2];
	/* of a program */
	size_t prog;	  /* index in the load */
	const char *path; /* absolute, of the pin of the load */
	uint32_t link_id; /* its path has a pin of this link; 0: of itself */
	bool interrupted; /* held by PATH~ */
	/* of a map */
	size_t map;
	const char *why; /* a new map takes its place; NULL: it is kept */
	bool constant;	 /* of no interest */
};

enum move_kind {
	MOVE_NEW_LINK, /* create a link; the old one ends with its pins */
	MOVE_LINK,     /* update a link */
	MOVE_PLACE,    /* replace a program without a link */
	MOVE_PIN,
	MOVE_MARK /* only PATH~, until all is done */
};
struct move {
	enum move_kind kind;
	struct swap *swap; /* MOVE_PIN of a link: of links */
	struct swap *link; /* MOVE_NEW_LINK: created for this one */
	struct attachment at;
	const struct place *place; /* MOVE_PLACE; MOVE_NEW_LINK: NULL: libbpf attaches it by its section */
	int link_fd;		   /* MOVE_LINK */
	const char *path;	   /* MOVE_PIN, MOVE_MARK */
	bool last;
	bool pinned_new, done;
};

struct takeover {
	struct env *env;
	struct load *load;
	const struct load_pins *pins;
	bool dry_run;
	struct swap *progs, *maps; /* of programs, several may have the same new one */
	size_t nprogs, progs_room, nmaps;
	struct move *moves;
	size_t nmoves, moves_room;
	int *fds; /* closed at the end */
	size_t nfds, fds_room;
};
void takeover_close(struct takeover *r);
#define TAKEOVER __attribute__((cleanup(takeover_close))) struct takeover

/*
 * After load_open(), before load_place(): find the old programs and maps, and have the load use the maps that are kept.
 * If there are none, nothing is replaced.
 */
int takeover_find(struct takeover *r, struct load *l, const struct load_pins *pins, struct err *e);
/* After load_load(): find what is to be changed. -EOPNOTSUPP with a hint: something cannot. */
int takeover_plan(struct takeover *r, struct err *e);
/* After load_pin(): change it, or nothing. */
int takeover_carry_out(struct takeover *r, struct err *e);
/* The program that the @i-th of the load replaces; 0: none. */
uint32_t takeover_old_prog(const struct takeover *r, size_t i);
/* Attachments, maps, and pins other than the paths of the load; in the keep. */
const struct change_rec *takeover_changes(const struct takeover *r, size_t *ret_n);

/* Inside the folder. */
struct swap *takeover_prog_find(const struct takeover *r, uint32_t old_id); /* NULL: none */
int takeover_maps_find(struct takeover *r, struct err *e);
/* Close @fd at the end, unless it is < 0. Returns @fd. */
int takeover_keep_fd(struct takeover *r, int fd);
/* Attach m->swap->fd[to] at the place of a MOVE_PLACE or MOVE_NEW_LINK; with @dry_run only check that. *ret_link: a
 * descriptor of the new link. */
int takeover_attach(struct takeover *r, const struct move *m, int to, bool dry_run, int *ret_link, struct err *e);
