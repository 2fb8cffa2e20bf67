/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LINK_LINK_H
#define LINK_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/owner.h"
#include "cli/place.h"
#include "record/field.h"
#include "source/info.h"
#include "kernel/abi.h"

struct env;
struct err;
struct link_kind;
struct change_rec;
/*
 * BPF links: what ties a program to the place where it runs. Every link type is a struct link_kind: the fields of its
 * own part of struct abi_link_info, the buffers the kernel fills for it, and a function for what has to be worked out.
 */
struct link_func {     /* one place of a link that has many */
	uint64_t addr; /* kprobe_multi: address; uprobe_multi: offset in the file */
	uint64_t ref_ctr_offset, cookie;
	uint32_t btf_id; /* tracing_multi: function in the kernel's BTF */
	const char *func;
	const char *module;	 /* NULL: the kernel itself */
	const char *module_json; /* the same as JSON, or null */
	const char *symbol;	 /* uprobe_multi: function in the file */
	uint8_t has_func;	 /* enum avail */
};

struct link_rec {
	struct abi_link_info info;    /* as the kernel gave it; most rows point straight in here */
	uint32_t info_len;	      /* how much of it this kernel knows; at least type and id */
	const struct link_kind *kind; /* NULL: a type newer than this program */
	struct blob buf[INFO_BUFS];   /* the kind's buffers */
	uint8_t has_bufs;	      /* enum avail; unknown: the kernel refused them */

	const char *type; /* never NULL; the others may be: absent */
	const char *attach_type;
	const char *text; /* the kind's first string buffer */
	const char *prog_name, *prog_type;
	uint8_t has_prog;
	const char *attach_to; /* where the program runs, in a few words */
	/*
	 * The same as `ls` says it, filled in with attach_to; strings in env->arena, with blanks. where NULL: not
	 * known. For link_attachment().
	 */
	struct attachment at;
	bool gone; /* its device, cgroup or map is: it runs nowhere */

	/* What several kinds have. */
	const char *devname; /* "(detached)" for index 0, "(unknown)" if it is in a namespace that cannot be reached */
	const char *cgroup_path;
	const char *site;	/* of a perf event or netfilter, in bpftool's words */
	uint64_t netns_ino;	/* of a link on a device or of netfilter, where it is known */
	const char *netns_name; /* in /run/netns */
	bool netns_ours;
	uint8_t has_netns;  /* enum avail */
	const char *symbol; /* function in the file of a uprobe, and the offset in it */
	bool retprobe;
	struct link_func *funcs;
	uint32_t nfuncs;
	union { /* what one kind has: derive() fills in its own, the others are not touched */
		struct {
			const char *pf_name, *hook_name;
		} netfilter;
		struct {
			const char *pmu;	   /* if its type is a number */
			const char *type, *config; /* JSON: a word, or a number without a name */
		} event;
		struct {
			const char *target_name;
			uint32_t target_prog_id;
			uint8_t has_target; /* enum avail, of target_name */
		} tracing;
		struct {
			uint8_t has_map, has_tid, has_pid, has_cgroup; /* enum avail: which arguments it takes */
		} iter;
	} own;

	struct object_owners owners;
	uint64_t bpf_cookie; /* of a perf_event link, from one of its holders */
	uint8_t has_bpf_cookie;
};

struct link_kind {
	uint32_t type;	    /* ABI_LINK_* */
	uint32_t subtypes;  /* bit mask of ABI_PERF_*; 0: any */
	struct schema part; /* of struct link_rec; its name is unique */
	struct info_buf bufs[INFO_BUFS];
	unsigned nbufs;
	bool detaches; /* the kernel can detach it; others end with their last descriptor and pin */
	bool updates;  /* it can be given another program, or struct_ops map */
	/* Offsets of a uint32_t in struct abi_link_info, 0: none. Filled in for every kind alike. */
	uint16_t attach_type, ifindex;
	uint16_t cookie; /* the same of a uint64_t */
	/*
	 * Whatever else follows from info and buffers, which may be shorter than they claim: attach_to, at and gone
	 * where they are not the first string buffer and the attach type's hook. May be NULL.
	 */
	void (*derive)(struct env *env, struct arena *a, unsigned need, struct link_rec *r);
};
extern const struct link_kind *const link_kinds[]; /* kinds.c, NULL-terminated; the first that fits counts */

/* The kind of a link, NULL: unknown. */
const struct link_kind *link_kind_of(const struct abi_link_info *info);
/* What all links tell at once; read once in a command, in env->keep, ascending by id. */
struct link_brief {
	uint32_t id;
	int err;		   /* -errno: the kernel refuses the info, which is zero */
	struct abi_link_info info; /* without buffers; zero behind what this kernel knows */
};
/* A refused list is an error with a hint. What is gone by now is not among them. */
int link_all(struct env *env, const struct link_brief **ret, size_t *n, struct err *e);

/* kind->read and kind->label. */
int link_read(struct env *env, struct arena *a, uint32_t id, unsigned need, void *rec, struct err *e);
int link_label(struct env *env, struct arena *a, uint32_t id, const char **ret_type, const char **ret_name,
	       const char **ret_tag, struct err *e);

/*
 * Where it is attached, in words that stay in env->keep; the record needs NEED_TARGET and NEED_SYMBOLS. False: nowhere
 * any more (its device, cgroup or map is gone). place_link lists the links that are not in its records yet: it comes
 * last.
 */
bool link_attachment(struct env *env, const struct link_rec *r, struct attachment *ret);

/*
 * Take a link off its place, as far as that is possible: the kernel detaches it, then its pins go, for it is of no use
 * any more. One that the kernel cannot detach ends with its pins, if no process holds it (for longer than it takes to
 * list it); else -EOPNOTSUPP, and the hint names them. @ret tells where it was and which pins went; in env->keep.
 * @dry_run: nothing is done, what would be done is told.
 */
int link_take_off(struct env *env, uint32_t id, bool dry_run, struct change_rec *ret, struct err *e);

/* For derive(): @what in the words of cli/place.h, "blue:lo" if it is in another namespace. Fills in the record's
 * netns. */
const char *link_in_netns(struct env *env, struct arena *a, unsigned need, struct link_rec *r, const char *what);
/*
 * The function at an offset of a file, "readline+0x4", as process @pid sees the file; as we do for 0, and where the
 * process has ended: whoever lists links holds each of them for a moment. NULL: unknown. In env->arena.
 */
const char *link_func_at(struct env *env, struct arena *a, uint32_t pid, const char *path, uint64_t offset);
/* The function at an offset of the file r->text, "readline+0x4"; NULL: unknown, or not asked for. In env->arena. */
const char *link_symbol(struct env *env, struct arena *a, unsigned need, const struct link_rec *r, uint64_t offset);

/* Rows and schemas of the kinds. Part lines begin at 1; the common lines follow at LINK_LINE_PINS. */
#define LINK_LINE_PINS 40
#define LINK_PART(name, rows, ...) SCHEMA(name, struct link_rec, rows, ##__VA_ARGS__)
#define LINK_BUF(ptr_m, len_m, bytes) \
	{ \
		offsetof(struct abi_link_info, ptr_m), offsetof(struct abi_link_info, len_m), bytes \
	}
#define LINK_AT(at, m, name, help, ...) FIELD(struct link_rec, m, name, help, .line = at, ##__VA_ARGS__)
#define LINK_ROW(...) LINK_AT(1, __VA_ARGS__)
#define LINK_ATTACH_TYPE \
	LINK_ROW(attach_type, "attach_type", "hook at which the program runs", .role = ROLE_KIND, \
		 .plain = "attach_type %  ")
#define LINK_NETNS_NAME \
	LINK_ROW(netns_name, "netns_name", "name of its network namespace in /run/netns", .need = NEED_TARGET, \
		 .flags = FIELD_NOPLAIN | FIELD_NONZERO)
#define LINK_NETNS \
	LINK_ROW(netns_ino, "netns_ino", "inode number of the network namespace, 0 once it is gone", .unit = FU_NETNS, \
		 .need = NEED_TARGET, .flags = FIELD_NOPLAIN, .when = offsetof(struct link_rec, has_netns)), \
		LINK_NETNS_NAME
#define LINK_COOKIE(m) LINK_COOKIE_AT(1, m)
#define LINK_COOKIE_AT(at, m) \
	LINK_AT(at, info.m, "cookie", "value that the program reads with bpf_get_attach_cookie", \
		.plain = "cookie %  ", .flags = FIELD_PLAIN_NZ)
#define LINK_RETPROBE(words) LINK_ROW(retprobe, "retprobe", "runs when the function returns", .plain = words)
#define LINK_FUNC_CNT(m) LINK_ROW(info.m, "func_cnt", "places it is attached to", .plain = "func_cnt %  ")

#endif
