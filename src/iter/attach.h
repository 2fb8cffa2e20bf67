/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"
#include "load/load.h"

/* What to walk, as given by the user. */
struct iter_opts {
	struct object_ref map;
	uint32_t tid, pid;  /* 0: all */
	const char *cgroup; /* a directory in cgroup2; NULL: the root */
	int order;	    /* index of iter_orders; 0: not given */
};
extern const struct names iter_orders;

/* Rows of a command's table of arguments, whose options @T have the struct iter_opts as member @m. */
#define ITER_ARGS(T, m) \
	ARG("map", ARG_OBJECT, T, m.map, "map to walk, for iterators over the elements of a map", .kind = &kind_map, \
	    .rejects = "tid pid cgroup order"), \
		ARG("tid", ARG_U32, T, m.tid, "only this thread, for iterators over tasks", .metavar = "TID", \
		    .flags = ARG_NONZERO, .rejects = "map pid cgroup order"), \
		ARG("pid", ARG_U32, T, m.pid, "only the threads of this process, for iterators over tasks", \
		    .metavar = "PID", .flags = ARG_NONZERO, .rejects = "map tid cgroup order"), \
		ARG("cgroup", ARG_PATH, T, m.cgroup, \
		    "cgroup to begin at, for iterators over cgroups; default: the root", .metavar = "PATH", \
		    .rejects = "map tid pid"), \
		ARG("order", ARG_WORD, T, m.order, "which cgroups, and in what order; default: descendants_pre", \
		    .words = &iter_orders, .rejects = "map tid pid")
#define ITER_NARGS 5

/*
 * Load one iterator of an object file, which is then the only program of *ret; call load_close() in any case. @name:
 * its name; NULL: the first iterator, with env->report->note set if there are more. @pin: path for its link, which is
 * checked before anything is loaded; NULL: none.
 */
int iter_load(struct load *ret, struct env *env, const char *path, const char *name, const char *pin, struct err *e);

/* Create a link for it, as iter_attach(). */
int iter_attach_loaded(const struct load *l, const struct iter_opts *o, struct err *e);
/*
 * Create a link for the program @fd, which messages call @what. Returns a descriptor or -errno; -EOPNOTSUPP for
 * arguments that this kernel's iterator would ignore.
 */
int iter_attach(struct env *env, int fd, const char *what, const struct iter_opts *o, struct err *e);
int iter_no_opts(const struct iter_opts *o, struct err *e); /* for a link: -EINVAL if any option is given */

extern const struct command iter_list, iter_pin, iter_run_command;
