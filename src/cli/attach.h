/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"
#include "cli/place.h"

/* How to attach a program: the options of our own verbs. A place refuses options that it does not support. */
struct attach_opts {
	bool first, last, overwrite, multi, override, preorder, hold, dry_run;
	struct object_ref before, after, before_link, after_link;
	const char *link, *cookie;
	uint64_t revision;
};
/* Rows of the command's table of arguments; @T has the struct attach_opts as member @m. bpftool's words come first. */
#define ATTACH_ARGS(T, m) \
	{ .name = "multi", \
	  .type = ARG_FLAG, \
	  .off = offsetof(T, m.multi), \
	  .help = "for a cgroup: together with other programs and those of descendants" }, \
		{ .name = "override", \
		  .type = ARG_FLAG, \
		  .off = offsetof(T, m.override), \
		  .help = "for a cgroup: descendants may have another program instead" }, \
		{ .name = "first", \
		  .type = ARG_FLAG, \
		  .off = offsetof(T, m.first), \
		  .help = "run before all other programs there" }, \
		{ .name = "last", \
		  .type = ARG_FLAG, \
		  .off = offsetof(T, m.last), \
		  .help = "run after all other programs there" }, \
		{ .name = "before", \
		  .type = ARG_OBJECT, \
		  .kind = &kind_prog, \
		  .off = offsetof(T, m.before), \
		  .help = "run directly before this program" }, \
		{ .name = "after", \
		  .type = ARG_OBJECT, \
		  .kind = &kind_prog, \
		  .off = offsetof(T, m.after), \
		  .help = "run directly after this program" }, \
		{ .name = "before_link", \
		  .type = ARG_OBJECT, \
		  .kind = &kind_link, \
		  .off = offsetof(T, m.before_link), \
		  .help = "run directly before the program of this link" }, \
		{ .name = "after_link", \
		  .type = ARG_OBJECT, \
		  .kind = &kind_link, \
		  .off = offsetof(T, m.after_link), \
		  .help = "run directly after the program of this link" }, \
		{ .name = "overwrite", \
		  .type = ARG_FLAG, \
		  .off = offsetof(T, m.overwrite), \
		  .help = "replace the program that is attached there" }, \
		{ .name = "preorder", \
		  .type = ARG_FLAG, \
		  .off = offsetof(T, m.preorder), \
		  .help = "for a cgroup: run before the programs of descendants" }, \
		{ .name = "revision", \
		  .type = ARG_U64, \
		  .flags = ARG_NONZERO, \
		  .off = offsetof(T, m.revision), \
		  .help = "only if the programs there have not changed since this revision" }, \
		{ .name = "cookie", \
		  .metavar = "N", \
		  .type = ARG_STR, \
		  .off = offsetof(T, m.cookie), \
		  .help = "value that the program reads with bpf_get_attach_cookie" }, \
		{ .name = "hold", \
		  .type = ARG_FLAG, \
		  .off = offsetof(T, m.hold), \
		  .help = "by a link that is held until this command is interrupted" }, \
		{ .name = "--link", \
		  .metavar = "PATH", \
		  .type = ARG_PATH, \
		  .off = offsetof(T, m.link), \
		  .help = "by a link that is pinned at this path" }, \
	{ \
		.name = "--dry-run", .type = ARG_FLAG, .off = offsetof(T, m.dry_run), \
		.help = "print what would be done, and change nothing" \
	}

/* Set @ret from the options, except where and what, and open @prog. 0, or -errno with @e set, also for options that
 * exclude each other. */
int attach_request_of(struct env *env, const struct object_ref *prog, const struct attach_opts *o,
		      struct attach_request *ret, struct err *e);
void attach_request_close(struct attach_request *q);
#define ATTACH_REQUEST(q) __attribute__((cleanup(attach_request_close))) struct attach_request q = { .prog_fd = -1 }
