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
	ARG("multi", ARG_FLAG, T, m.multi, "for a cgroup: together with other programs and those of descendants"), \
		ARG("override", ARG_FLAG, T, m.override, \
		    "for a cgroup: descendants may have another program instead"), \
		ARG("first", ARG_FLAG, T, m.first, "run before all other programs there"), \
		ARG("last", ARG_FLAG, T, m.last, "run after all other programs there"), \
		ARG("before", ARG_OBJECT, T, m.before, "run directly before this program", .kind = &kind_prog), \
		ARG("after", ARG_OBJECT, T, m.after, "run directly after this program", .kind = &kind_prog), \
		ARG("before_link", ARG_OBJECT, T, m.before_link, "run directly before the program of this link", \
		    .kind = &kind_link), \
		ARG("after_link", ARG_OBJECT, T, m.after_link, "run directly after the program of this link", \
		    .kind = &kind_link), \
		ARG("overwrite", ARG_FLAG, T, m.overwrite, "replace the program that is attached there"), \
		ARG("preorder", ARG_FLAG, T, m.preorder, "for a cgroup: run before the programs of descendants"), \
		ARG("revision", ARG_U64, T, m.revision, \
		    "only if the programs there have not changed since this revision", .flags = ARG_NONZERO), \
		ARG("cookie", ARG_STR, T, m.cookie, "value that the program reads with bpf_get_attach_cookie", \
		    .metavar = "N"), \
		ARG("hold", ARG_FLAG, T, m.hold, "by a link that is held until this command is interrupted"), \
		ARG("--link", ARG_PATH, T, m.link, "by a link that is pinned at this path", .metavar = "PATH"), \
		ARG("--dry-run", ARG_FLAG, T, m.dry_run, "print what would be done, and change nothing")

/* Set @ret from the options, except where and what, and open @prog. 0, or -errno with @e set, also for options that
 * exclude each other. */
int attach_request_of(struct env *env, const struct object_ref *prog, const struct attach_opts *o,
		      struct attach_request *ret, struct err *e);
void attach_request_close(struct attach_request *q);
#define ATTACH_REQUEST(q) __attribute__((cleanup(attach_request_close))) struct attach_request q = { .prog_fd = -1 }
