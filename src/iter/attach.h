/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ITER_ATTACH_H
#define ITER_ATTACH_H

#include <stddef.h>
#include <stdint.h>
#include "cli/command.h"

struct env; struct err; struct bpf_object; struct bpf_program;

/* What an iterator is to walk, as the user says it. */
struct iter_opts {
	struct object_ref map;
	uint32_t tid, pid;		/* 0: all */
	const char *cgroup;		/* a directory in cgroup2; NULL: the root */
	int order;			/* index of iter_orders; 0: not given */
};
extern const struct names iter_orders;

/* Rows of a command's table of arguments from number @n on; its options @T have the struct iter_opts as member @m. */
#define ITER_ARGS(T, m) \
	{ .name = "map", .type = ARG_OBJECT, .kind = &kind_map, .off = offsetof(T, m.map), .rejects = "tid pid cgroup order", \
	  .help = "whose elements, for iterators that walk one map" }, \
	{ .name = "tid", .metavar = "TID", .type = ARG_U32, .off = offsetof(T, m.tid), .rejects = "map pid cgroup order", \
	  .help = "only this thread, for iterators over tasks" }, \
	{ .name = "pid", .metavar = "PID", .type = ARG_U32, .off = offsetof(T, m.pid), .rejects = "map tid cgroup order", \
	  .help = "only the threads of this process, for iterators over tasks" }, \
	{ .name = "cgroup", .metavar = "PATH", .type = ARG_PATH, .off = offsetof(T, m.cgroup), .rejects = "map tid pid", \
	  .help = "where to begin, for iterators over cgroups; without it at the root" }, \
	{ .name = "order", .type = ARG_WORD, .words = &iter_orders, .off = offsetof(T, m.order), .rejects = "map tid pid", \
	  .help = "which cgroups and in what order, without it descendants_pre" }
#define ITER_NARGS 5

/* An object file with one of its iterators loaded. */
struct iter_object {
	struct bpf_object *obj;
	const struct bpf_program *prog;
};
/* @name: of the program, NULL: the first iterator; if there are more, env->report->note says so. */
int iter_object_load(struct env *env, const char *path, const char *name, struct iter_object *ret, struct err *e);
void iter_object_close(struct iter_object *o);
#define ITER_OBJECT __attribute__((cleanup(iter_object_close))) struct iter_object
int iter_object_fd(const struct iter_object *o);
const char *iter_object_name(const struct iter_object *o);

/*
 * A link for the program @fd, which is called @what in sentences; >= 0 or -errno. What the iterator of this kernel would not
 * take notice of is refused.
 */
int iter_attach(struct env *env, int fd, const char *what, const struct iter_opts *o, struct err *e);
int iter_no_opts(const struct iter_opts *o, struct err *e);	/* a link has been told already: -EINVAL if anything is given */

extern const struct command iter_list, iter_pin, iter_run_command;

#endif
