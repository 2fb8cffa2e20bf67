/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_LIVE_H
#define SOURCE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"
#include "source/early.h"
#include "source/live_ahead.h"
#include "source/live_net.h"
#include "source/info.h"
#include "source/questions.h"
#include "source/source.h"
#include "source/walked.h"
#include "host/elf_func.h"
#include "kernel/abi.h"
#include "host/holders.h"
#include "own/kmem.h"
#include "own/ksym.h"
#include "own/own.h"
#include "kernel/query.h"
#include "own/trie.h"

/* The inside of the live source, shared by live*.c only. */

struct live_object { /* the last one of its kind that somebody asked about */
	uint32_t id;
	int fd; /* -1: none */
	struct info_known known;
};

struct live_walk { /* memory kept from one batch of elements to the next */
	unsigned char *keys, *values;
	int32_t *errs;
	size_t keys_cap, values_cap, errs_cap;
	/* The position of a walk whose key is too long for a cursor; only the latest token is valid. */
	unsigned char *last;
	size_t last_len, last_cap;
	uint32_t last_map;
	uint64_t token;
	/* Of walks by key; two, because one may be within another. next is the one to be given up. */
	struct walked walked[2];
	unsigned next;
	struct ahead ahead;
	/* What walks through a trie; trie_map: the map that it is for, or that it cannot be had for; 0: none. */
	struct own *own;
	struct trie trie;
	uint32_t trie_map;
};

struct live_cgroup {
	int mount; /* a directory of a cgroup2 file system; < 0: none yet */
	struct prog_query_room room;
	uint64_t unknown;  /* hooks that this kernel does not have; 1 << attach type */
	uint64_t possible; /* where a program can be, of those with ids up to last */
	uint32_t last, asked;
	struct arena *arena; /* of paths, by number: for who may not open by number; NULL: not looked for yet */
	struct hash *paths;
};

struct live_file {		 /* the last one whose functions somebody asked about */
	struct elf_funcs *funcs; /* NULL: none, or without */
	uint64_t dev, ino;
};

struct live {
	struct source source;
	int fdinfo_dir;	       /* /proc/thread-self/fdinfo, or -1 */
	int fdinfo, fdinfo_of; /* the file in it of that descriptor, or -1 */
	struct live_object objects[OBJECT_KINDS];
	struct own own; /* what may be loaded, and was */
	struct ksym ksym;
	int ksym_error;	 /* why it is not open; 0: not tried yet */
	struct str text; /* scratch for one answer */
	struct live_walk walk;
	struct live_cgroup cgroup;
	struct kmem kmem; /* for the map of that id; 0: closed */
	uint32_t kmem_map;
	struct live_net net;
	struct live_file file;
	struct early *early; /* NULL: nothing is asked early */
};

/* The scratch text as an answer; it may be given away for that, and is then empty. */
int live_text(struct live *l, struct arena *a, struct blob *ret);
/* Info of a map, asked once while it is open; zero behind what this kernel knows, and on failure. */
int live_map_info(struct live_object *o, struct abi_map_info *ret);
/* Answers to questions, one for each row of questions.c. @o: the object that is asked about, open; NULL: the question
 * has none. */
#define LIVE_ANSWER(name) \
	int name(struct live *l, struct live_object *o, const struct asked *q, struct arena *a, struct blob *ret)
LIVE_ANSWER(live_ids);
LIVE_ANSWER(live_info);
LIVE_ANSWER(live_fdinfo);
LIVE_ANSWER(live_buf);
LIVE_ANSWER(live_prog_array);
LIVE_ANSWER(live_elems);
LIVE_ANSWER(live_count);
LIVE_ANSWER(live_ring);
LIVE_ANSWER(live_storage);
LIVE_ANSWER(live_slots);
LIVE_ANSWER(live_inner);
LIVE_ANSWER(live_map_progs);
LIVE_ANSWER(live_struct_ops);
LIVE_ANSWER(live_pages);
LIVE_ANSWER(live_sockets);
LIVE_ANSWER(live_xsk);
LIVE_ANSWER(live_btf_name);
LIVE_ANSWER(live_btf_data);
LIVE_ANSWER(live_pin);
LIVE_ANSWER(live_func);
LIVE_ANSWER(live_cgroup);
LIVE_ANSWER(live_cgroup_at);
LIVE_ANSWER(live_net);
LIVE_ANSWER(live_ksym);
LIVE_ANSWER(live_call_base);
LIVE_ANSWER(live_holders_of);
LIVE_ANSWER(live_features);
/* The same for text, appended to l->text. */
int live_pins(struct live *l);
int live_counted(struct live *l);
int live_holders(struct live *l);
int live_map_counts(struct live *l);
int live_kallsyms(struct live *l);
int live_ifaces(struct live *l);
int live_netns(struct live *l);
int live_netns_list(struct live *l);
int live_link_netns(struct live *l);
int live_clock(struct live *l);
int live_cpus(struct live *l);
int live_cgroups(struct live *l);
int live_cgroup_mounts(struct live *l);
int live_uname(struct live *l);
int live_limits(struct live *l);
int live_access(struct live *l);
int live_task_cgroup(struct live *l, struct live_object *o, const struct asked *q, struct arena *a, struct blob *ret);
int live_task_fds(struct live *l);
int live_pmus(struct live *l);
int live_tracepoints(struct live *l);
int live_vmlinux(struct live *l);
int live_kconfig(struct live *l);
int live_bpffs(struct live *l);

void live_walk_release(struct live_walk *w);
/* What is held of the kernel's for the next batch of a walk. */
void live_walk_drop(struct live_walk *w);
void live_cgroup_idle(struct live_cgroup *c);
/* l->kmem for that map; 0 or -errno. */
int live_kmem(struct live *l, const struct live_object *o);
void live_kmem_drop(struct live *l);

#endif
