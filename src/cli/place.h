/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/records.h"

struct env;
struct err;
struct hook;
/*
 * Where programs run. A place is told in two words, without blanks in them: WHERE (a device, a cgroup, a tracepoint, a
 * slot of a map) and WHAT (the hook there). `ls` prints them, `attach PROG to WHERE WHAT` and `detach WHERE WHAT` take
 * them. Devices and hooks of other network namespaces have the namespace before them: "blue:eth0", the name of its
 * mount in /run/netns, or its inode number "4026532177:eth0".
 *
 * WHAT is a word of kernel/hooks.h, or what the kernel calls an attach type that is newer. By kind of hook, WHERE is
 *
 *   device      eth0 or blue:eth0             trace       sched:sched_switch, sys_enter, software:cpu-clock,
 *   netns       netns or blue:netns                       FUNC+0x10, /bin/bash:readline+0x4
 *   netfilter   ip/input/-128                 struct_ops  tcp_congestion_ops:NAME
 *   cgroup      /sys/fs/cgroup/x              iter        task
 *   map         map:12[3], sockets map:12
 */
struct attachment {
	const char *where, *what;
	uint32_t prog_id;	  /* 0: a struct_ops map, which has programs of its own */
	uint32_t link_id, map_id; /* 0: not by a link; no map */
	uint32_t order;		  /* which one to run of those at its place, from 1; 0: does not apply */
	uint32_t target_prog;	  /* whose function it replaces or traces; 0: none */
	uint32_t pid, fd;	  /* of the task whose descriptor keeps it, if nothing else does; pid 0: none */
	uint32_t ifindex;	  /* 0: none */
	uint64_t netns_ino, cgroup_id, cookie; /* 0: none */
	const char *detail;		       /* "multi", "prio 1 handle 0x1 direct-action", ...; NULL */
};

/* Records of them, for @ret of list(): attachment_add() is valid until the next one. */
extern const struct schema attachment_schema;
static inline struct attachment *attachment_add(struct records *ret, struct env *env)
{
	return records_add(ret, env);
}
static inline struct attachment *attachment_at(const struct records *r, size_t i)
{
	return (struct attachment *)r->rec + i;
}

/* When a perf event runs its program; all zero: as suits the event. */
struct attach_event {
	uint64_t period, frequency; /* each so many events; so many times a second; 0: not given, one of them */
	uint32_t pid, cpu;	    /* pid 0: any */
	bool has_cpu;
};
/* What to attach and how. What a place cannot do it refuses with a sentence; nothing is ignored. */
enum attach_position { POSITION_DEFAULT, POSITION_FIRST, POSITION_LAST, POSITION_BEFORE, POSITION_AFTER };
struct attach_request {
	const char *where, *what;
	int prog_fd;
	uint32_t prog_id;
	const char *link; /* pin a link there; NULL: attach without a link where the place can */
	bool hold;	  /* a link that ends with this process, when it is interrupted */
	bool overwrite, multi, override;
	bool preorder; /* before those of the cgroups below */
	enum attach_position position;
	uint32_t anchor_prog,
		anchor_link; /* for BEFORE and AFTER: one of them; with overwrite: the program that is to go */
	uint64_t revision;   /* expected; 0: any */
	uint64_t cookie;
	bool has_cookie;
	struct attach_event event; /* for perf events; uprobes know a pid */
	bool dry_run;		   /* check as far as can be checked, and say what would be done */
};
/* What came of it. */
struct attach_result {
	uint32_t replaced_prog; /* 0: none */
	uint32_t link_id;	/* 0: no link */
	int hold_fd;		/* with q->hold the link, for place_attached(); else -1 */
};

/* One sort of places. */
struct place {
	const char *name, *help;
	unsigned hooks; /* those that attach() takes: HOOK_BIT() of kernel/hooks.h */
	/* Those that WHERE may have, by its form; 0: it is no place of this sort. NULL: all, of a WHERE that no place
	 * before it knows. */
	unsigned (*hooks_at)(struct env *env, const char *where);
	/*
	 * Completion: each WHERE that a program of this type could run at. Where they are many, those that begin with
	 * @typed, once it says enough. NULL: nobody can list them.
	 */
	void (*offer)(struct env *env, uint32_t prog_type, const char *typed, arg_offer *offer, void *ctx);
	/* Adds each attachment that there is now, in all namespaces. Asks only env->machine. One that cannot be read:
	 * report_unread(). */
	int (*list)(struct env *env, struct records *ret, struct err *e);
	/* NULL: nothing can be attached (detached) there. -ENOENT without a sentence: WHERE WHAT is no place of this
	 * sort. */
	int (*attach)(struct env *env, const struct attach_request *q, struct attach_result *ret, struct err *e);
	int (*detach)(struct env *env, const struct attachment *a, bool dry_run, struct err *e);
};
extern const struct place *const places[]; /* kinds.c: NULL-terminated */

/* What detach() did, or with @dry_run would do: for bpftool's verbs, see change_tell(). */
void place_detached(struct env *env, const struct attachment *a, bool dry_run);

/* For attach(), where the kernel calls something invalid and no more: says so if it is older than the hook. First of
 * all hints. */
void place_explain(struct env *env, const struct hook *h, struct err *e);
/* For attach(), behind the making of a link: its id, and its pin, or with q->hold a descriptor for @ret. Does not take
 * @fd. */
int place_linked(struct env *env, const struct attach_request *q, int fd, struct attach_result *ret, struct err *e);
/*
 * Behind attach(): what was done, or would be; of a @quiet verb of bpftool's only what was replaced. Then, with
 * q->hold, the link is held until somebody interrupts, and closed.
 */
int place_attached(struct env *env, const struct attach_request *q, struct attach_result *r, bool quiet, struct err *e);

#endif
