/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CGROUP_READ_H
#define CGROUP_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/hash.h"

struct env;
struct err;
struct schema;

/* Which cgroups there are. */
struct cgroup_dir {
	uint64_t id;
	const char *path; /* absolute, or below its mount where an archive does not tell of mounts */
	bool root;	  /* of a mount */
};
/* All of them, each once, parents before children; in env->keep. -ENOENT: cgroup v2 is not mounted. */
int cgroup_all(struct env *env, const struct cgroup_dir **ret, size_t *n, struct err *e);
/* Those from *@ret on that are @root or below it. */
size_t cgroup_below(const struct cgroup_dir *all, size_t n, uint64_t root, const struct cgroup_dir **ret);

#define CGROUP_NUMBER "cgroup:" /* before a number, where it stands alone */
/*
 * A cgroup by path, number, or name below a mount. NULL: the root. *ret_path: as typed if that is a path, without
 * slashes at its end; else absolute. In env->keep. -ENOENT with a sentence.
 */
int cgroup_find(struct env *env, const char *word, uint64_t *ret_id, const char **ret_path, struct err *e);

/* A program at one of its hooks. */
struct cgroup_prog {
	uint32_t id;
	uint32_t attach_type;
	const char *hook;	     /* the word for it */
	const char *attach_flags;    /* "multi", "override", "", "unknown(8)" */
	const char *name;	     /* "": none */
	const char *attach_btf_name; /* function of an LSM program; "": it is none */
	uint32_t attach_btf_obj_id, attach_btf_id;
	const char *type;
	uint32_t link_id;  /* 0: attached without a link */
	uint32_t order;	   /* of those at this hook, from 1 */
	uint32_t flags;	   /* as the kernel gave them */
	uint64_t revision; /* of the hook; 0: the kernel does not count */
	uint64_t cgroup_id;
	const char *cgroup;
	uint8_t has_own, has_link, has_prog; /* enum avail: flags, order and link are those of this cgroup; known */
};
/* A cgroup with all its programs, which tell of it no more. */
struct cgroup_tree {
	const char *path;
	uint64_t id;
	struct cgroup_prog *progs;
	uint32_t nprogs;
	bool root; /* where the tree begins */
};
extern const struct schema cgroup_tree_schema, cgroup_nested_schema; /* a cgroup, and each of its programs */

/* What is asked once for many cgroups. The first members are the caller's, the others zeroed. */
struct cgroup_reader {
	struct env *env;
	bool effective;		  /* also what comes from the cgroups above */
	bool links;		  /* find the links, too */
	bool bare;		  /* no facts of programs */
	struct hash progs, sites; /* struct prog_facts, struct site */
	int links_error;
	bool has_links;
};
/* In env->keep; *n may be 0. Each cgroup once only. -ENOENT: gone. */
int cgroup_read(struct cgroup_reader *r, uint64_t id, const char *path, struct cgroup_prog **ret, uint32_t *n,
		struct err *e);

#endif
