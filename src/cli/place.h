/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/records.h"

struct hook;
/*
 * Where programs run. An attach point has two words without blanks: WHERE, the place (a device, a cgroup, a tracepoint,
 * a slot of a map), and WHAT, the hook there. `ls` prints them, `attach PROG to WHERE WHAT` and `detach WHERE WHAT`
 * accept them. Devices and hooks of other network namespaces begin with the namespace: its name in /run/netns,
 * "blue:eth0", or its inode number, "4026532177:eth0".
 *
 * WHAT is a word of kernel/hooks.h, or the kernel's name of a newer attach type. By kind of hook, WHERE is
 *
 *   device      eth0 or blue:eth0             trace       sched:sched_switch, sys_enter, software:cpu-clock,
 *   netns       netns or blue:netns                       FUNC+0x10, /bin/bash:readline+0x4
 *   netfilter   ip/input/-128                 struct_ops  tcp_congestion_ops:NAME
 *   cgroup      /sys/fs/cgroup/x              iter        task
 *   map         map:12[3], sockets map:12
 */
struct attachment {
	const char *where, *what;
	uint32_t prog_id;	  /* 0: a struct_ops map, which has its own programs */
	uint32_t link_id, map_id; /* 0: without a link; without a map */
	uint32_t order;		  /* position in the run order of its attach point, from 1; 0: does not apply */
	uint32_t target_prog;	  /* program whose function it replaces or traces; 0: none */
	uint32_t pid, fd;	  /* process and descriptor that hold it, if nothing else does; pid 0: none */
	const char *comm;	  /* of that process; NULL: unknown */
	bool silent;	  /* the kernel does not report its program: prog_id is the only one that it can be, or 0 */
	uint32_t ifindex; /* 0: none */
	uint64_t netns_ino, cgroup_id, cookie; /* 0: none */
	/* Instructions of a classic filter, which has no id, as text; nclassic 0: it is not one. */
	const char *const *classic;
	uint32_t nclassic;
	uint8_t has_classic; /* enum avail */
	const char *detail;  /* "multi", "prio 1 handle 0x1 direct-action", ...; NULL */
	/*
	 * All functions of a link that has several; where is the first of them, and how many others: "vfs_read,+2999".
	 * funcs: "vfs_read", "/bin/bash:readline", or the address if the name is unknown; func_places: as where of a
	 * link that has only this one, "vfs_read", "/bin/bash:0x1240".
	 */
	const char *const *funcs, *const *func_places;
	uint32_t nfuncs; /* 0: where is the only one */
};
/* Is it an attachment at @where: its place, or one of its functions? */
bool attachment_is_at(const struct attachment *a, const char *where);

/* Records of attachments, for @ret of list(). attachment_add() returns a zeroed one, valid until the next call. */
extern const struct schema attachment_schema;
static inline struct attachment *attachment_add(struct records *ret, struct env *env)
{
	return records_add(ret, env);
}
static inline struct attachment *attachment_at(const struct records *r, size_t i)
{
	return (struct attachment *)r->rec + i;
}

/* When a perf event runs its program; all zero: the default of the event. */
struct attach_event {
	uint64_t period, frequency; /* every @period events, or @frequency times per second; 0: not given */
	uint32_t pid, cpu;	    /* pid 0: any */
	bool has_cpu;
};
/* What to attach and how. A place refuses what it does not support, with @e set; nothing is ignored. */
enum attach_position { POSITION_DEFAULT, POSITION_FIRST, POSITION_LAST, POSITION_BEFORE, POSITION_AFTER };
struct attach_request {
	const char *where, *what;
	int prog_fd;
	uint32_t prog_id;
	const char *link; /* path for a pin of the link; NULL: attach without a link if the place can */
	bool hold;	  /* with a link that ends when this process is interrupted */
	bool overwrite, multi, override;
	bool preorder; /* run before the programs of cgroups below */
	enum attach_position position;
	uint32_t anchor_prog, anchor_link; /* for BEFORE and AFTER: one of them; with overwrite: the one to replace */
	uint64_t revision;		   /* expected; 0: any */
	uint64_t cookie;
	bool has_cookie;
	struct attach_event event; /* for perf events; uprobes use pid */
	bool dry_run;		   /* check what can be checked, and report what would be done */
};
/* The result of an attachment. */
struct attach_result {
	uint32_t replaced_prog; /* 0: none */
	uint32_t link_id;	/* 0: no link */
	int hold_fd;		/* with q->hold a descriptor of the link, for place_report_attached(); else -1 */
};

/* One type of places. */
struct place {
	const char *name, *help;
	unsigned hooks; /* hooks that attach() accepts: HOOK_BIT() of kernel/hooks.h */
	/* Hooks that WHERE may have, by its form; 0: not a place of this type. NULL: all hooks, for any WHERE that no
	 * earlier type accepts. */
	unsigned (*hooks_at)(struct env *env, const char *where);
	/* WHERE as list() has it, for another name of the place that attach() accepts; NULL: there is none. @what: NULL
	 * if it is not given. In env->keep. */
	const char *(*named)(struct env *env, const char *where, const char *what);
	/*
	 * Completion: offer each WHERE that a program of this type could run at. If there are many, only those that
	 * begin with @typed, if that is long enough. NULL: they cannot be listed.
	 */
	void (*offer)(struct env *env, uint32_t prog_type, const char *typed, arg_offer *offer, void *ctx);
	/* Add all current attachments, in all namespaces. Asks only env->machine. Calls report_unread() for those that
	 * cannot be read. */
	int (*list)(struct env *env, struct records *ret, struct err *e);
	/* NULL: nothing can be attached or detached there. -ENOENT without @e set: WHERE WHAT is not of this type. */
	int (*attach)(struct env *env, const struct attach_request *q, struct attach_result *ret, struct err *e);
	int (*detach)(struct env *env, const struct attachment *a, bool dry_run, struct err *e);
};
extern const struct place *const places[]; /* kinds.c: NULL-terminated */

/* The text of a place as one word, without blanks, in env->keep. */
const char *place_one_word(struct env *env, const char *text);

/* Report what detach() did, or with @dry_run would do, as change_tell(): for bpftool's verbs. */
void place_report_detached(struct env *env, const struct attachment *a, bool dry_run);

/* For attach(), if the kernel only returned EINVAL: set a hint if the kernel is older than the hook. Call it before
 * setting other hints. */
void place_explain(struct env *env, const struct hook *h, struct err *e);
/* For attach(), after it created a link: set the id in @ret, and pin the link, or with q->hold put a descriptor into
 * @ret. The caller still owns @fd. */
int place_finish_link(struct env *env, const struct attach_request *q, int fd, struct attach_result *ret,
		      struct err *e);
/* Hold the link until the process is interrupted, and close it, if there is one in @r; without @quiet, say so. */
int place_hold(struct env *env, struct attach_result *r, bool quiet, struct err *e);
/*
 * For attach(), where @now runs: is that the program that the request replaces? 0 if it may replace any; -ENOENT with
 * @e set.
 */
int place_check_replaced(const struct attach_request *q, uint32_t now, struct err *e);
/*
 * Call it after attach(): report what was done, or would be done; @quiet, for bpftool's verbs: only report what was
 * replaced. Then place_hold().
 */
int place_report_attached(struct env *env, const struct attach_request *q, struct attach_result *r, bool quiet,
			  struct err *e);
