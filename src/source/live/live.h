/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in cgroup.c, count.c, counted.c, elems.c, features.c, info.c, maps.c, pages.c, slots.c, sys.c and
 * tasks.c. */

#include "source/live/early.h"
#include "source/live/elems.h"
#include "source/live/net.h"
#include "source/info.h"
#include "source/live/held.h"
#include "source/questions.h"
#include "source/source.h"
#include "host/elf/func.h"
#include "kernel/abi.h"
#include "host/holders.h"
#include "own/kmem.h"
#include "own/ksym.h"
#include "own/own.h"
#include "kernel/query.h"

/* The internals of the live source, shared by the files of this folder only. */

struct live_object { /* the last object of its kind that was asked about */
	uint32_t id;
	int fd; /* -1: none */
	struct info_known known;
};

struct live_cgroup_list { /* the last list of programs, while their infos are read one after another */
	uint32_t left, saw,
		last;	/* how many were not read; ids of the last one read, and of the last one in the list */
	uint64_t types; /* of those that were read; 1 << type */
};

struct live_cgroup {
	int mount; /* a directory of a cgroup2 file system; < 0: none yet */
	struct prog_query_room room;
	uint64_t unknown;  /* hooks that this kernel lacks; 1 << attach type */
	uint64_t possible; /* hooks where a program with an id up to last can be */
	uint32_t last, asked;
	struct live_cgroup_list list;
	struct arena *arena; /* of paths, by number, if opening by number is not permitted; NULL: not read yet */
	struct hash *paths;
};

struct live_file {		 /* the last file whose functions were asked for */
	struct elf_funcs *funcs; /* NULL: no file, or it has none */
	uint64_t dev, ino;
};

struct live {
	struct source source;
	int fdinfo_dir;	       /* /proc/thread-self/fdinfo, or -1: not open yet */
	int fdinfo, fdinfo_of; /* the open file of a descriptor in it, or -1 */
	struct live_object objects[OBJECT_KINDS];
	struct held held;
	struct own own; /* programs of ours that are loaded, and whether they may be */
	struct ksym ksym;
	int ksym_error; /* why it is not open; 0: not tried */
	/* The question, its object, open, and the answer if it is text. */
	const struct asked *asked;
	struct live_object *object; /* NULL: it has none */
	struct str text;
	struct live_walk walk;
	struct live_cgroup cgroup;
	struct kmem kmem; /* for the map of that id; 0: closed */
	uint32_t kmem_map;
	struct live_net net;
	struct live_file file;
	struct early *early; /* NULL: no questions are asked early */
};

/* Info of the question's map, read once while it is open; zero after the bytes that the kernel filled in, and on error.
 */
int live_map_info(struct live *l, struct abi_map_info *ret);
/* Answers to l->asked, one for each row of questions.c, in *ret: bytes in the arena, or that live as long as it. */
int live_buf(struct live *l, struct arena *a, struct blob *ret);
int live_prog_array(struct live *l, struct arena *a, struct blob *ret);
int live_elems(struct live *l, struct arena *a, struct blob *ret);
int live_pages(struct live *l, struct arena *a, struct blob *ret);
int live_btf_data(struct live *l, struct arena *a, struct blob *ret);
int live_btf_name(struct live *l, struct arena *a, struct blob *ret);
/* The same, appended to l->text. */
int live_ids(struct live *l);
int live_info(struct live *l);
int live_fdinfo(struct live *l);
int live_count(struct live *l);
int live_ring(struct live *l);
int live_storage(struct live *l);
int live_slots(struct live *l);
int live_inner(struct live *l);
int live_map_progs(struct live *l);
int live_struct_ops(struct live *l);
int live_sockets(struct live *l);
int live_xsk(struct live *l);
int live_pin(struct live *l);
int live_func(struct live *l);
int live_cgroup(struct live *l);
int live_cgroup_at(struct live *l);
int live_net(struct live *l);
int live_ksym(struct live *l);
int live_call_base(struct live *l);
int live_holders_of(struct live *l);
int live_features(struct live *l);
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
int live_task_cgroup(struct live *l);
int live_task_fds(struct live *l);
int live_socket_filters(struct live *l);
int live_pmus(struct live *l);
int live_tracepoints(struct live *l);
int live_tracepoint_format(struct live *l);
int live_vmlinux(struct live *l);
int live_kconfig(struct live *l);
int live_bpffs(struct live *l);

void live_cgroup_idle(struct live_cgroup *c);
/* There are @n programs now, up to id @last. If the infos of all are read, in order, cgroups need not look at them. */
void live_cgroup_listed(struct live_cgroup *c, uint32_t n, uint32_t last);
void live_cgroup_saw(struct live_cgroup *c, uint32_t prog, uint32_t type); /* type 0: it is gone */
/* Prepares l->kmem for the question's map; 0 or -errno. */
int live_kmem(struct live *l);
void live_kmem_drop(struct live *l);
