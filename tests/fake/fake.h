/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <linux/bpf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/base.h"
#include "kernel/abi.h"
#include "kernel/object.h"

/*
 * A kernel for tests: the bpflens linked with it (build/tests/fake/bpflens) asks no real kernel about BPF. Its
 * functions take the place of those of libc: syscall() answers bpf(2), and paths below /proc, /sys and /boot are those
 * below the directory in $FAKE. The state is in files there too, so that it lasts from one command line to the next.
 *
 * What it does is what Linux 6.12 does (kernel/bpf/syscall.c, and for maps, links and attaching arraymap.c, hashtab.c,
 * queue_stack_maps.c, lpm_trie.c, net_namespace.c, cgroup.c, tcx.c), with its errno values, but:
 * - a new object gets the lowest free id, so that ids do not depend on what libbpf probes;
 * - elements of hash tables are in the order in which they were added; the tag of a program is no SHA-1;
 * - programs are not verified and not run: BPF_PROG_TEST_RUN returns the constant that is last moved to r0, and the
 *   data that it got, which it also sends to the ring buffers and perf event arrays of the program; the machine code of
 *   each (with net.core.bpf_jit_enable) is the same;
 * - it has no events of caches;
 *
 * $FAIL: "COMMAND ERRNO [N|NAME]": the Nth call of that command of bpf(2) fails, or the one that makes the program or
 * map with that name, or each: "obj_pin ENOSPC 2", "prog_load EINVAL fw_count". (libbpf makes some unnamed ones.) The
 * text of the file in $FAIL_LOG is then what the verifier says.
 * $PID: the number of the process, 50. $CLOCK: time passes, but for CLOCK_MONOTONIC, and ids are not used again, as in
 * a kernel. $PREEMPT: programs at tracepoints of system calls may be preempted.
 */
/* What cannot be in a test: says where, and ends the command. */
#define FAKE_ABORT() \
	do { \
		fprintf(stderr, "fake kernel: %s:%d: %m\n", __FILE__, __LINE__); \
		abort(); \
	} while (0)

#define OBJECTS 512
#define HOLDS 64
#define CPUS 2			 /* as in sys/devices/system/cpu/possible */
#define OBJECT_PERF OBJECT_KINDS /* an event of perf_event_open(2) */

struct object {
	bool used, frozen, live, registered; /* registered: a table of operations that is used without a link */
	uint8_t kind;			     /* enum object_kind, or OBJECT_PERF */
	uint32_t id, info_len;
	union {
		struct abi_prog_info prog;
		struct abi_map_info map;
		struct abi_link_info link;
		struct abi_btf_info btf;
	} info;
	uint32_t attach_type,
		flags; /* programs: expected type; links: how they are attached; perf events: FAKE_PROGS... */
	uint32_t holds[HOLDS], nholds; /* slots of other objects */
	uint32_t nfixed, top; /* maps: holds that are not elements; slots that have or had an element; perf events:
				 bytes of the ring */
	uint32_t cpu;	      /* of a perf event */
	/* links: where they are; 0: detached; programs: the id of the program that they are for */
	uint64_t target;
	double order;
	char name[64]; /* of a link or perf event: its tracepoint or function; of an iterator: what it walks */
};
/* A program attached without a link. */
struct attached {
	bool used;
	uint32_t prog, attach_type, flags; /* slot */
	uint64_t target;
	double order; /* programs of a hook run in ascending order */
};
struct filter { /* of tc, at clsact */
	bool used;
	uint32_t ifindex, parent, handle, info, flags, prog;
	char name[64];
};
struct kernel {
	pthread_mutex_t lock;
	bool ready;
	uint32_t vmlinux; /* slot plus 1 of the kernel's types */
	uint32_t stats;	  /* descriptors that count runs are not counted: whether there was one */
	struct object objects[OBJECTS];
	struct attached attached[64];
	struct filter filter[16];
	bool clsact[3]; /* by ifindex */
	uint64_t revision;
	uint32_t announced, last_id[OBJECT_PERF + 1];
	char cgroup[64][256]; /* paths; the number of a cgroup is its place here, plus 1 */
};
extern struct kernel *kernel;
extern const char *fake_root;

/* files.c: the real functions, on paths as they are. */
long real_syscall(long nr, ...);
int real_open(const char *path, int flags, unsigned mode);
/* The path of a descriptor, below fake_root without it ("/sys/fs/bpf/x"); false: it is elsewhere. */
bool fake_path_of(int fd, char *ret, size_t size);
uint64_t fake_cgroup(int fd); /* the number of the cgroup, 0: it is none */

/* objects.c: all return >= 0 or -errno. */
int object_new(unsigned kind, struct object **ret);	   /* -ENOSPC */
int object_fd(struct object *o, int flags);		   /* an open descriptor: O_RDONLY, O_RDWR or O_WRONLY */
struct object *object_of(int fd, unsigned kind, int *ret); /* NULL: -EBADF, -EINVAL */
struct object *object_by_id(unsigned kind, uint32_t id);
void object_hold(struct object *o, const struct object *held);
bool object_is_open(const struct object *o); /* does a process have a descriptor of it? */
int object_file(const struct object *o);     /* its contents: elements, instructions, types; to be closed */
void object_collect(void);		     /* end what nothing refers to */
void fdinfo_write(const struct object *o, int fd, bool make);
int object_command(unsigned cmd, union bpf_attr *attr);
int object_info(union bpf_attr *attr);

/* attach.c: hooks, each with a target: the number of a cgroup, device, map or network namespace. */
#define HOOK_PROGS 64
struct hook_prog_at {
	uint32_t id, flags, link_id; /* 0: attached without a link */
	double order;
};
/* Where in the run order (tcx, netkit) a program comes that is attached with these flags: 0, -ENOENT, -ESTALE. */
int hook_order(uint32_t attach_type, uint64_t target, const struct abi_prog_attach *how, double *ret);
bool hook_is_cgroup(uint32_t attach_type);
int hook_target_of(uint32_t attach_type, uint32_t target, uint64_t *ret); /* @target: as in bpf(2) */
uint32_t hook_list(uint32_t attach_type, uint64_t target, struct hook_prog_at ret[HOOK_PROGS]);
int hook_fits(const struct object *prog, uint32_t attach_type); /* was it loaded for that? */

/* prefix.c: keys of tries. */
uint32_t prefix_of(const unsigned char *key); /* bits */
uint32_t prefix_common(const unsigned char *a, const unsigned char *b, uint32_t max);
bool prefix_is_before(const unsigned char *a, const unsigned char *b);

/* ops.c: the value of a map that is a table of operations. */
int table_register(struct object *map, unsigned char *to, const unsigned char *value);
int table_unregister(struct object *map, unsigned char *value);

/* rings.c: what is written to the rings of perf events and of our own BPF programs. */
enum { FAKE_PROGS = 1, FAKE_TASKS = 2 }; /* what an event announces */
void announce_prog(const struct object *prog, bool gone);
void announce_task(uint32_t parent);
void capture_load(const struct object *prog);
/* It is attached to a tracepoint, where it runs. */
void capture_run(const struct object *prog);
void calls_report(unsigned cmd, const union bpf_attr *attr, size_t size, int result, uint64_t begin);
uint64_t fake_now(void);			     /* ns since boot */
void *contents(const struct object *o, size_t size); /* its file, mapped; NULL: no memory */
void perf_write(const struct object *event, const void *p, size_t n);
bool ring_output(const struct object *map, const void *p, size_t n); /* false: there is no room */
const struct object *map_of(const struct object *prog, const char *name);

/* runs.c: what runs of programs do. */
void run_sends(const struct object *prog, const void *data, uint32_t n);
void run_counts(const struct object *prog);
int run_raw(const struct object *prog, union bpf_attr *attr);

/* The other commands, by file. -ENOSYS: not one of them. */
int map_command(unsigned cmd, union bpf_attr *attr);
int prog_command(unsigned cmd, union bpf_attr *attr);
int verifier_says(const union bpf_attr *attr, int err);
int attach_command(unsigned cmd, union bpf_attr *attr);
int link_command(unsigned cmd, union bpf_attr *attr);
int link_info(const struct object *o, struct abi_link_info *user);
int fake_perf_open(const void *attr, int pid, int cpu);
/* The program that a device runs as XDP, or 0; *flags: XDP_FLAGS_..., and FAKE_BY_LINK. */
#define FAKE_BY_LINK (1u << 31)
uint32_t device_xdp(uint32_t ifindex, uint32_t *flags);
void device_xdp_set(uint32_t ifindex, const struct object *prog, uint32_t flags); /* NULL: none */
