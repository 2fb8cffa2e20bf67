/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_HOOKS_H
#define KERNEL_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Hooks: where the kernel runs programs. The one list of them: names of attach types, the words for WHAT that `ls`
 * prints and `attach` takes, bpftool's words, program types and section names of object files are read from it.
 */
enum hook_kind {
	HOOK_NONE, /* nothing here attaches programs there or lists them */
	HOOK_CGROUP,
	HOOK_XDP,
	HOOK_MPROG, /* of network devices; MPROG: tcx and netkit */
	HOOK_TC,    /* filters of ingress and clsact qdiscs */
	HOOK_FILTER,
	HOOK_ACTION, /* filters of other qdiscs and classes; actions of filters */
	HOOK_NETNS,
	HOOK_NETFILTER,
	HOOK_SLOT,
	HOOK_SOCKETS, /* an element of a map; all sockets in a map */
	HOOK_EVENT,   /* perf events, probes among them, and raw tracepoints */
	HOOK_FUNC,    /* functions of the kernel or of files by a tracing link, one or many */
	HOOK_EXT,     /* functions of other programs */
	HOOK_ITER,
	HOOK_STRUCT_OPS,
};
#define HOOK_BIT(kind) (1u << (kind))

#define HOOK_RAW_TRACEPOINT UINT32_MAX

#define HOOK_PROGS 2
#define HOOK_SECTIONS 5
struct hook {
	const char *name;  /* of its attach type: "trace_fentry"; NULL: it has none of its own */
	const char *word;  /* WHAT: "fentry"; unique, never NULL */
	const char *alias; /* bpftool's other word for it: "ingress", "tcx/ingress"; NULL: none */
	int type;	   /* BPF_* of enum bpf_attach_type; -1: it is attached without one */
	enum hook_kind kind;
	/*
	 * What tells hooks with the same kind or the same attach type apart. XDP: XDP_FLAGS_*_MODE; TC: the parent;
	 * SLOT: the map's type; EVENT: ABI_PERF_*, or HOOK_RAW_TRACEPOINT; FUNC: ABI_PROBE_MULTI_RETURN where functions
	 * return.
	 */
	uint32_t arg;
	uint8_t progs[HOOK_PROGS]; /* BPF_PROG_TYPE_* that can run there, the usual one first; 0: no more, or first: any
				    */
	bool link_only;		   /* without a link nothing can be attached */
	bool loaded_without;	   /* programs of its sections are loaded with attach type 0 */
	/*
	 * As libbpf knows them: "kprobe+" stands alone or before a slash and a target, without the plus it stands
	 * alone. Programs in sections that end in ".s" may sleep. NULL: no more.
	 */
	const char *sections[HOOK_SECTIONS];
	const char *since; /* Linux 4.10 or what it is; the hook's, not that of its attach type */
};

/* hooks[t] is that of attach type t, for t < HOOK_TYPES. Behind them stand those without an attach type of their own.
 */
#define HOOK_TYPES 62
extern const struct hook hooks[];
extern const size_t nhooks;

/* The next one of these kinds (HOOK_BIT() of each), in the order of the table; @h NULL: the first. NULL: no more. */
const struct hook *hook_next(const struct hook *h, unsigned kinds);
const struct hook *hook_find(const char *word, unsigned kinds); /* by its word; NULL: none of these kinds */
const struct hook *hook_of(enum hook_kind kind, uint32_t arg);	/* NULL: none */
const struct hook *hook_at(uint32_t attach_type, uint32_t arg); /* the same by attach type */
bool hook_takes(const struct hook *h, uint32_t prog_type);
bool hook_any_takes(unsigned kinds, uint32_t prog_type); /* one of these kinds */
/* Is the hook newer than a kernel of this release, "5.10.0-8-amd64"? */
bool hook_is_newer(const struct hook *h, const char *release);

/* The words of the hooks of devices as an argument table needs them: xdp first, as in bpftool. NULL-terminated. */
extern const char *const hook_device_words[];
#define HOOK_DEVICE_WORDS 8

/* Netfilter: what the number of a hook means depends on the protocol family. */
#define NF_HOOKS 5
struct nf_family {
	uint32_t pf;			    /* NFPROTO_* */
	const char *name, *hooks[NF_HOOKS]; /* NULL: there is none of this number */
	bool takes_bpf;
};
const struct nf_family *nf_family(uint32_t pf);		       /* NULL: unknown */
const char *nf_hook(const struct nf_family *f, uint32_t hook); /* NULL: unknown, as it is for @f NULL */
/* "ip/input/-128", of the families that run programs. False: it is none. */
bool nf_hook_parse(const char *text, uint32_t *ret_pf, uint32_t *ret_hook, int32_t *ret_priority);

#endif
