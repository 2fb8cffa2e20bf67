/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in find.c. */

#include "base/base.h"

struct env;
struct schema;

/* A cgroup of the machine. */
struct cgroup_dir {
	uint64_t id;
	const char *path; /* absolute, or below its mount if the mounts are not in the archive */
	bool root;	  /* of a mount */
};
/* All of them, each once, parents before children; in env->keep. -ENOENT: cgroup v2 is not mounted. */
int cgroup_all(struct env *env, const struct cgroup_dir **ret, size_t *n, struct err *e);
/* @root and its descendants: *ret points to the first; returns their number. */
size_t cgroup_below(const struct cgroup_dir *all, size_t n, uint64_t root, const struct cgroup_dir **ret);

#define CGROUP_NUMBER "cgroup:" /* before a number that is used in place of a path */
/*
 * A cgroup by path, number, or name below a mount. @word NULL: the root. *ret_path: @word without slashes at its end if
 * it is a path, else an absolute path; in env->keep. -ENOENT with a message.
 */
int cgroup_find(struct env *env, const char *word, uint64_t *ret_id, const char **ret_path, struct err *e);

/* A program at a hook of a cgroup. */
struct cgroup_prog {
	uint32_t id;
	uint32_t attach_type;
	const char *hook;	     /* the word for it */
	const char *attach_flags;    /* "multi", "override", "", "unknown(8)" */
	const char *name;	     /* "": none */
	const char *attach_btf_name; /* function of an LSM program; "": another type */
	uint32_t attach_btf_obj_id, attach_btf_id;
	const char *type;
	uint32_t link_id;  /* 0: attached without a link */
	uint32_t order;	   /* run order at this hook, from 1 */
	uint32_t flags;	   /* BPF_F_ALLOW_* */
	uint64_t revision; /* of the hook; 0: the kernel does not have revisions */
	uint64_t cgroup_id;
	const char *cgroup;
	uint8_t has_own, has_link, has_prog; /* enum avail; has_own: flags, order and link are of this cgroup */
};
/* A cgroup with all its programs; the schema of these does not have the cgroup again. */
struct cgroup_tree {
	const char *path;
	uint64_t id;
	struct cgroup_prog *progs;
	uint32_t nprogs;
	bool root; /* it is the root of the tree */
};
extern const struct schema cgroup_tree_schema, cgroup_nested_schema; /* a cgroup, and each of its programs */

/* Facts that are read once for many cgroups. The caller sets the first members, and zeroes the others. */
struct cgroup_reader {
	struct env *env;
	bool effective;		  /* also programs of ancestors that run here */
	bool links;		  /* also find the links */
	bool bare;		  /* do not read facts of programs */
	struct hash progs, sites; /* struct prog_facts, struct site */
	int links_error;
	bool has_links;
};
/* The programs of a cgroup; in env->keep; *n may be 0. Read each cgroup once only. -ENOENT: the cgroup is gone. */
int cgroup_read(struct cgroup_reader *r, uint64_t id, const char *path, struct cgroup_prog **ret, uint32_t *n,
		struct err *e);
