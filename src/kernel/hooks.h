/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Hooks: where the kernel runs programs. This is the only list: names of attach types, the words for WHAT that `ls`
 * prints and `attach` takes, bpftool's words, program types and section names of object files come from it.
 */
enum hook_kind {
	HOOK_NONE, /* bpflens neither attaches programs there nor lists them */
	HOOK_CGROUP,
	HOOK_XDP,
	HOOK_MPROG, /* tcx and netkit, on network devices */
	HOOK_TC,    /* filters of ingress and clsact qdiscs */
	HOOK_FILTER,
	HOOK_ACTION, /* FILTER: filters of other qdiscs and classes; ACTION: actions of filters */
	HOOK_NETNS,
	HOOK_NETFILTER,
	HOOK_SLOT,
	HOOK_SOCKETS, /* SLOT: an element of a map; SOCKETS: all sockets in a map */
	HOOK_SOCKET,  /* one socket, by setsockopt(2) */
	HOOK_EVENT,   /* perf events, including probes, and raw tracepoints */
	HOOK_FUNC,    /* functions of the kernel or of files, one or many, by a tracing link */
	HOOK_EXT,     /* functions of other programs */
	HOOK_ITER,
	HOOK_STRUCT_OPS,
};
#define HOOK_BIT(kind) (1u << (kind))

#define HOOK_RAW_TRACEPOINT UINT32_MAX
#define HOOK_USDT (UINT32_MAX - 1)

#define HOOK_PROGS 2
#define HOOK_SECTIONS 5
struct hook {
	const char *name;  /* of its attach type: "trace_fentry"; NULL: it has no attach type of its own */
	const char *word;  /* WHAT: "fentry"; unique, never NULL */
	const char *alias; /* bpftool's other word for it: "ingress", "tcx/ingress"; NULL: none */
	int type;	   /* BPF_* of enum bpf_attach_type; -1: attaching needs none */
	enum hook_kind kind;
	/*
	 * Distinguishes hooks of the same kind or attach type. XDP: XDP_FLAGS_*_MODE; TC: the parent; SLOT: the map's
	 * type; SOCKET: 1 if it selects a socket of a group; EVENT: ABI_PERF_*, HOOK_RAW_TRACEPOINT or HOOK_USDT; FUNC:
	 * ABI_PROBE_MULTI_RETURN if it is at the return of functions.
	 */
	uint32_t arg;
	/* BPF_PROG_TYPE_* that can run there, the most frequent first; 0: no more; first 0: any */
	uint8_t progs[HOOK_PROGS];
	bool link_only;	     /* programs can be attached only by a link */
	bool loaded_without; /* programs in its sections are loaded with attach type 0 */
	/*
	 * Section names as in libbpf: "kprobe+" is the name alone or followed by a slash and a target; without the
	 * plus, the name alone. Programs in sections that end in ".s" may sleep. NULL: no more.
	 */
	const char *sections[HOOK_SECTIONS];
	const char *since; /* Linux version that added the hook, "4.10" (not that of its attach type) */
};

/* For t < HOOK_TYPES, hooks[t] is the hook of attach type t. Hooks without an attach type of their own follow. */
#define HOOK_TYPES 62
extern const struct hook hooks[];
extern const size_t nhooks;

/* The next hook of these kinds (HOOK_BIT() of each), in the order of the table; @h NULL: the first. NULL: no more. */
const struct hook *hook_next(const struct hook *h, unsigned kinds);
const struct hook *hook_find(const char *word, unsigned kinds); /* by its word; NULL: none of these kinds */
/*
 * By any of its names, the first of: its word, bpftool's word, its attach type, the section of object files with or
 * without what precedes the slash ("cgroup/connect4", "connect4"). NULL: none; or several of these kinds.
 */
const struct hook *hook_named(const char *name, unsigned kinds);
bool hook_is_named(const char *word, const char *name); /* is it another name of the hook with this word, or that? */
bool hook_exists(const char *name);			/* has a hook of any kind this name? */
const struct hook *hook_of(enum hook_kind kind, uint32_t arg);	/* the first of this kind with @arg; NULL: none */
const struct hook *hook_at(uint32_t attach_type, uint32_t arg); /* the same by attach type */
bool hook_takes(const struct hook *h, uint32_t prog_type);
bool hook_any_takes(unsigned kinds, uint32_t prog_type); /* does a hook of these kinds take it? */
/* Is the hook newer than a kernel of this release, "5.10.0-8-amd64"? */
bool hook_is_newer(const struct hook *h, const char *release);

/* The words of hooks of devices, for an argument table: xdp first, as in bpftool. NULL-terminated. */
extern const char *const hook_device_words[];
#define HOOK_DEVICE_WORDS 8

/* Netfilter: what the number of a hook means depends on the protocol family. */
#define NF_HOOKS 5
struct nf_family {
	uint32_t pf;			    /* NFPROTO_* */
	const char *name, *hooks[NF_HOOKS]; /* NULL: the family has no hook of this number */
	bool takes_bpf;
};
const struct nf_family *nf_family(uint32_t pf);		       /* NULL: unknown */
const char *nf_hook(const struct nf_family *f, uint32_t hook); /* NULL: unknown, or @f is NULL */
/* Parse "ip/input/-128", for families that run programs. False: it is not such a text. */
bool nf_hook_parse(const char *text, uint32_t *ret_pf, uint32_t *ret_hook, int32_t *ret_priority);
