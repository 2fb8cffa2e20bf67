/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "kernel/object.h"

struct catalog;
struct env;
/*
 * Writes to the file of a recording which maps, links and BTF objects come and go (source/lives.h), and what readers
 * of lists need of each: not its elements, and of BTF objects not the types. Zeroed, it does nothing.
 */
struct list_log {
	struct env *env;
	struct catalog *cat; /* its file */
	struct list_log_kind {
		struct list_log_object {
			uint32_t id;
			bool asked; /* about it, for this file */
		} * v;		    /* at the last look, ascending by id */
		size_t n, cap;
		uint32_t newest; /* highest id that has been seen */
	} of[OBJECT_KINDS];
	uint64_t pieces;    /* in the file */
	uint64_t looked;    /* ns since boot: the last look; 0: none for this file */
	uint64_t soon, due; /* ns since boot: when to look again if an object came, or in any case */
};
void list_log_init(struct list_log *log, struct env *env, struct catalog *cat);
void list_log_release(struct list_log *log);
/*
 * Called every second: look at the kernel's lists, and write what has changed. If no object came, or the lists are
 * long, not each time, so that looks take less than 1/100 of the CPU time, and 1/2000 of it while nothing comes. @all:
 * look in any case. The machine is asked about objects that came, if not @all about a thousand; about the others at the
 * next look, and of one that goes before that, only its id is in the file.
 */
void list_log_write(struct list_log *log, bool all);
/* The catalog continues in another file: all that is there is written to it again. */
void list_log_next(struct list_log *log);
