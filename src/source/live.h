/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_LIVE_H
#define SOURCE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"
#include "source/live_ahead.h"
#include "source/live_net.h"
#include "source/info.h"
#include "source/source.h"
#include "source/walked.h"
#include "host/elf_func.h"
#include "kernel/abi.h"
#include "host/holders.h"
#include "own/kmem.h"
#include "own/ksym.h"
#include "kernel/query.h"
#include "own/trie.h"

/* The inside of the live source, shared by live*.c only. */

struct live_object {		/* the last one of its kind that somebody asked about */
	uint32_t id;
	int fd;			/* -1: none */
	struct info_known known;
};

struct live_walk {		/* memory kept from one batch of elements to the next */
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
	struct trie trie;
	uint32_t trie_map;
};

struct live_cgroup {
	int mount;			/* a directory of a cgroup2 file system; < 0: none yet */
	struct prog_query_room room;
	uint64_t unknown;		/* hooks that this kernel does not have; 1 << attach type */
	uint64_t possible;		/* where a program can be, of those with ids up to last */
	uint32_t last, asked;
	struct arena *arena;		/* of paths, by number: for who may not open by number; NULL: not looked for yet */
	struct hash *paths;
};

struct live_file {		/* the last one whose functions somebody asked about */
	struct elf_funcs *funcs;	/* NULL: none, or without */
	uint64_t dev, ino;
};

struct live {
	struct source source;
	bool debug;
	int fdinfo_dir;		/* /proc/self/fdinfo, or -1 */
	int fdinfo, fdinfo_of;	/* the file in it of that descriptor, or -1 */
	struct live_object objects[OBJECT_KINDS];
	struct ksym ksym;
	int ksym_error;		/* why it is not open; 0: not tried yet */
	struct str text;	/* scratch for one answer */
	struct live_walk walk;
	struct live_cgroup cgroup;
	struct kmem kmem;	/* for the map of that id; 0: closed */
	uint32_t kmem_map;
	struct live_net net;
	struct live_file file;
};

/* The scratch text as an answer; it may be given away for that, and is then empty. */
int live_text(struct live *l, struct arena *a, struct blob *ret);
/* Info of a map, asked once while it is open; zero behind what this kernel knows, and on failure. */
int live_map_info(struct live_object *o, struct abi_map_info *ret);
/* prog/ID/NAME for the arrays of struct bpf_prog_info; -ENODATA: no such array. */
int live_prog_array(struct live_object *o, const char *name, struct arena *a, struct blob *ret);
int live_btf(struct live_object *o, const char *name, struct arena *a, struct blob *ret);
/* map/ID/elems/CURSOR */
int live_elems(struct live *l, struct live_object *o, const char *cursor, struct arena *a, struct blob *ret);
/* map/ID/count */
int live_count(struct live *l, struct live_object *o, struct arena *a, struct blob *ret);
void live_walk_release(struct live_walk *w);
/* What is held of the kernel's for the next batch of a walk. */
void live_walk_drop(struct live_walk *w);
/* map/ID/ring */
int live_ring(struct live_object *o, struct arena *a, struct blob *ret);
/* map/ID/storage; -ENODATA: nothing of that sort */
int live_storage(struct live *l, struct live_object *o, struct arena *a, struct blob *ret);
/* map/ID/slots, map/ID/progs; -ENODATA: no program can be in such a map */
int live_slots(struct live *l, struct live_object *o, struct arena *a, struct blob *ret);
int live_map_progs(struct live *l, struct live_object *o, struct arena *a, struct blob *ret);
int live_struct_ops(struct live_object *o, struct arena *a, struct blob *ret);
/* sys/cgroups, sys/cgroup_mounts: into the scratch text */
int live_cgroups(struct live *l);
int live_cgroup_mounts(struct live *l);
/* cgroup_at/PATH */
int live_cgroup_at(const char *path, struct arena *a, struct blob *ret);
/* cgroup/KEY */
int live_cgroup(struct live *l, const char *key, struct arena *a, struct blob *ret);
void live_cgroup_idle(struct live_cgroup *c);
/* map/ID/pages/N */
int live_pages(struct live *l, struct live_object *o, const char *from, struct arena *a, struct blob *ret);
/* map/ID/xsk */
int live_xsk(struct live *l, struct live_object *o, struct arena *a, struct blob *ret);
/* l->kmem for that map; 0 or -errno. */
int live_kmem(struct live *l, const struct live_object *o);
void live_kmem_drop(struct live *l);
/* map/ID/sockets; -ENODATA: it has none */
int live_sockets(struct live *l, struct live_object *o, struct arena *a, struct blob *ret);
/* sys/task_fds, sys/pmus, sys/tracepoints: into l->text */
int live_task_fds(struct live *l);
int live_pmus(struct live *l);
int live_tracepoints(struct live *l);
/* func/PID/0xOFFSET/PATH */
int live_func(struct live *l, const char *key, struct arena *a, struct blob *ret);
/* sys/NAME */
int live_sys(struct live *l, const char *name, struct arena *a, struct blob *ret);

#endif
