/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in detach.c, place.c and read.c. */

#include "cli/owner.h"
#include "cli/place.h"
#include "record/field.h"
#include "source/info.h"
#include "kernel/abi.h"
#include "kernel/names.h"

struct link_kind;
struct object_label;
struct change_rec;
/*
 * BPF links, which attach a program at a place. Each link type is a struct link_kind: the fields of its part of struct
 * abi_link_info, the buffers that the kernel fills, and a function that derives the other facts.
 */
struct link_func {     /* one place of a link that has several */
	uint64_t addr; /* kprobe_multi: address; uprobe_multi: offset in the file */
	uint64_t ref_ctr_offset, cookie;
	uint32_t btf_id; /* tracing_multi: type id in the kernel's BTF */
	const char *func;
	const char *module;	    /* NULL: the kernel itself */
	const char *module_json;    /* the same as JSON, a string or null */
	const char *symbol;	    /* uprobe_multi: function in the file */
	uint8_t has_addr, has_func; /* enum avail; unknown address: the kernel hides it */
};

struct link_rec {
	struct abi_link_info info;    /* as read from the kernel; most fields are members of it */
	uint32_t info_len;	      /* bytes that this kernel knows; at least type and id */
	const struct link_kind *kind; /* NULL: a type newer than this program */
	struct blob buf[INFO_BUFS];   /* one for each of kind->bufs */
	uint8_t has_bufs;	      /* enum avail; unknown: the kernel refused them */

	const char *type; /* never NULL; other strings may be: absent */
	const char *attach_type;
	const char *text; /* the first buffer, if it is a string */
	const char *prog_name, *prog_type;
	uint8_t has_prog;
	const char *attach_to; /* where the program runs, in short */
	/*
	 * The same in the words of `ls`, set together with attach_to; strings are in env->arena and may contain blanks.
	 * where NULL: unknown. For link_attachment().
	 */
	struct attachment at;
	bool gone; /* its device, cgroup or map is gone: it runs nowhere */

	/* Facts of several kinds. */
	const char *devname; /* "(detached)" for index 0, "(unknown)" in a namespace that cannot be entered */
	const char *cgroup_path;
	const char *site;	/* a perf event or netfilter hook as bpftool prints it */
	uint64_t netns_ino;	/* of a link on a device or netfilter; 0: unknown */
	const char *netns_name; /* its name in /run/netns */
	bool netns_ours;
	uint8_t has_netns;  /* enum avail */
	const char *symbol; /* function in the file of a uprobe, with the offset in it */
	const char *file;   /* text, as link_func_at() says where that file is; NULL: not asked */
	bool retprobe;
	struct link_func *funcs;
	uint32_t nfuncs;
	union { /* facts of one kind: derive() sets only those of its own kind */
		struct {
			const char *pf_name, *hook_name;
		} netfilter;
		struct {
			const char *pmu;	   /* name of the PMU, if the event's type is a number */
			const char *type, *config; /* JSON: a name, or a number if there is none */
		} event;
		struct {
			const char *target_name;
			uint32_t target_prog_id;
			uint8_t has_target; /* enum avail, of target_name */
		} tracing;
		struct {
			/* enum avail: which arguments the iterator has */
			uint8_t has_map, has_tid, has_pid, has_cgroup;
		} iter;
	} own;

	struct object_owners owners;
	uint64_t bpf_cookie; /* of a perf_event link, from one of its holders */
	uint8_t has_bpf_cookie;
};

struct link_kind {
	uint32_t type;	    /* ABI_LINK_* */
	uint32_t subtypes;  /* bit mask of ABI_PERF_*; 0: any */
	struct schema part; /* of struct link_rec; the schema's name is unique */
	struct info_buf bufs[INFO_BUFS];
	unsigned nbufs;
	bool detaches; /* the kernel can detach it; others end with their last descriptor and pin */
	bool updates;  /* its program, or struct_ops map, can be replaced */
	/* Offsets of uint32_t members of struct abi_link_info; 0: none. Read in the same way for every kind. */
	uint16_t attach_type, ifindex;
	uint16_t cookie; /* the same for a uint64_t */
	/*
	 * Sets what else follows from info and buffers, which may be shorter than they claim: attach_to, at and gone,
	 * if they differ from the first string buffer and the hook of the attach type. May be NULL.
	 */
	void (*derive)(struct env *env, struct arena *a, unsigned need, struct link_rec *r);
};
extern const struct link_kind *const link_kinds[]; /* in kinds.c, NULL-terminated; the first that matches is used */

/* The kind of a link, NULL: unknown. */
const struct link_kind *link_kind_of(const struct abi_link_info *info);
/* The info of all links, without buffers; read once per command, in env->keep, ascending by id. */
struct link_brief {
	uint32_t id;
	int err;		   /* -errno if the kernel refused the info, which is then zero */
	struct abi_link_info info; /* zero after the bytes that this kernel knows */
};
/* 0, or -errno with a hint if links cannot be listed. Links that are gone meanwhile are left out. */
int link_all(struct env *env, const struct link_brief **ret, size_t *n, struct err *e);

/* kind->read and kind->label. */
int link_read(struct env *env, struct arena *a, uint32_t id, unsigned need, void *rec, struct err *e);
int link_label(struct env *env, struct arena *a, uint32_t id, struct object_label *ret, struct err *e);

/*
 * The attachment of a link, with strings in env->keep; the record needs NEED_TARGET and NEED_SYMBOLS. False: it is
 * attached nowhere (its device, cgroup or map is gone). place_link lists the links that are not yet in its records, so
 * it must come last.
 */
bool link_attachment(struct env *env, const struct link_rec *r, struct attachment *ret);

/*
 * Detach a link as far as possible. If the kernel can detach it, its pins are removed afterwards, because it has no
 * further use. If not, it ends with its pins, provided that no process holds it (for longer than listing takes); else
 * -EOPNOTSUPP with a hint that names the holders. @ret: where it was attached and which pins were removed; in
 * env->keep. @dry_run: nothing is changed, and @ret is what would be done.
 */
int link_take_off(struct env *env, uint32_t id, bool dry_run, struct change_rec *ret, struct err *e);

/*
 * Does a process hold the link for longer than one that lists links? That holds each for a moment, and the last one
 * until it ends or lists something else, which takes seconds on a busy machine. So does this, if the answer is yes.
 */
bool link_stays_held(struct env *env, uint32_t id);

/*
 * For derive(): @what as in cli/place.h, prefixed if it is in another namespace: "blue:lo". Sets the netns members of
 * the record.
 */
const char *link_in_netns(struct env *env, struct arena *a, unsigned need, struct link_rec *r, const char *what);
/*
 * The function at an offset of a file, "readline+0x4", as process @pid sees the file. As we see it if @pid is 0 or has
 * ended, because a process that lists links holds each of them only for a moment. NULL: unknown. *ret_file, if it is
 * not NULL: the path by which we see that file, "/proc/PID/root/PATH" if it is in another mount namespace, or "PATH
 * (deleted)" if neither sees one, as the kernel writes it for other links. In env->arena.
 */
const char *link_func_at(struct env *env, struct arena *a, uint32_t pid, const char *path, uint64_t offset,
			 const char **ret_file);
/*
 * The function at an offset of the file r->text, "readline+0x4"; NULL: unknown, or not requested. Sets r->file. In
 * env->arena.
 */
const char *link_symbol(struct env *env, struct arena *a, unsigned need, struct link_rec *r, uint64_t offset);

/* Fields and schemas of the kinds. Lines of a part begin at 1; the common lines begin at LINK_LINE_PINS. */
#define LINK_LINE_PINS 40
#define LINK_PART(name, rows, ...) SCHEMA(name, link_rec, rows, ##__VA_ARGS__)
#define LINK_BUF(ptr_m, len_m, bytes) \
	{ \
		offsetof(struct abi_link_info, ptr_m), offsetof(struct abi_link_info, len_m), bytes \
	}
#define LINK_FIELD_AT(at, m, name, help, ...) FIELD(link_rec, m, name, help, .line = at, ##__VA_ARGS__)
#define LINK_FIELD(...) LINK_FIELD_AT(1, __VA_ARGS__)
#define LINK_FIELD_ATTACH_TYPE \
	LINK_FIELD(attach_type, "attach_type", "hook at which the program runs", .among = &names_attach_type, \
		   .role = ROLE_KIND, .plain = "attach_type %  ")
#define LINK_FIELD_NETNS_NAME \
	LINK_FIELD(netns_name, "netns_name", "name of the network namespace, in /run/netns", .need = NEED_TARGET, \
		   .flags = FIELD_NOPLAIN | FIELD_NONZERO)
#define LINK_FIELDS_NETNS \
	LINK_FIELD(netns_ino, "netns_ino", "inode number of the network namespace, 0 once it is gone", \
		   .unit = FU_NETNS, .need = NEED_TARGET, .flags = FIELD_NOPLAIN, FIELD_WHEN(link_rec, has_netns)), \
		LINK_FIELD_NETNS_NAME
#define LINK_COOKIE(m) LINK_COOKIE_AT(1, m)
#define LINK_COOKIE_AT(at, m) \
	LINK_FIELD_AT(at, info.m, "cookie", "value that the program reads with bpf_get_attach_cookie", \
		      .plain = "cookie %  ", .flags = FIELD_PLAIN_NZ)
#define LINK_FIELD_RETPROBE(words) LINK_FIELD(retprobe, "retprobe", "runs when the function returns", .plain = words)
#define LINK_FIELD_FUNC_CNT(m) LINK_FIELD(info.m, "func_cnt", "places it is attached to", .plain = "func_cnt %  ")
