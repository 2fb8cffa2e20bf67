/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "kernel/abi.h"

struct own;
/*
 * Complete copies of all programs that are loaded, even if they are unloaded at once. One of our own BPF programs makes
 * the copy in the context of the loader, before the loader gets the descriptor; reading the program by its id
 * afterwards may be too late.
 *
 * Requires Linux 5.10 and the right to load tracing programs. Classic filters, which have no id, are copied after they
 * were attached. Not seen if only system calls can be watched (capture_way()): a program that a loader program
 * (BPF_PROG_TYPE_SYSCALL) loads and closes in one run. All attachments end with our descriptors, so nothing is left.
 */
struct capture;
struct capture_options {
	uint32_t ring_size;  /* bytes, a power of two; 0: CAPTURE_RING */
	uint64_t queue_size; /* bytes of programs that wait for capture_next(); 0: CAPTURE_QUEUE */
	uint64_t batch_size; /* bytes after which a batch ends; 0: only capture_cut() ends batches */
};
#define CAPTURE_RING (64u << 20)
#define CAPTURE_QUEUE (1ull << 30)

/*
 * Begin to copy programs. 0, or -errno with nothing loaded: as own_load(); -ENOTSUP: a test copy differs from its
 * program. @own must outlive *ret.
 */
int capture_open(struct capture **ret, struct own *own, const struct capture_options *o);
void capture_stop(struct capture *c); /* make no more copies; those made are still read and returned */
void capture_close(struct capture **c);
const char *capture_way(const struct capture *c); /* how loads are seen: "function", "probe", "system calls" */
/* Are translated instructions the same as in the kernel's dump? False: calls and map references may differ. */
bool capture_knows_insns(const struct capture *c);

/* The arrays of struct bpf_prog_info, in the order of their questions (source/questions.h). */
enum captured_array {
	CAPTURED_XLATED,
	CAPTURED_JITED,
	CAPTURED_MAP_IDS,
	CAPTURED_JITED_KSYMS,
	CAPTURED_JITED_FUNC_LENS,
	CAPTURED_FUNC_INFO,
	CAPTURED_LINE_INFO,
	CAPTURED_JITED_LINE_INFO,
	CAPTURED_PROG_TAGS,
	CAPTURED_ARRAYS
};
/* What is missing in a copy, and why. */
enum captured_missing {
	CAPTURED_LOST = 1 << 0,	   /* a part: there was no room, or memory could not be read */
	CAPTURED_CHANGED = 1 << 1, /* the program was freed during the copy: any part may be wrong */
	CAPTURED_DEVICE = 1 << 2,  /* the device that it was loaded for */
	CAPTURED_BTF = 1 << 3,	   /* its types */
};
/* Not 0: a classic filter, by how it is attached. */
enum captured_classic { CAPTURED_NOT_CLASSIC, CAPTURED_SOCKET, CAPTURED_REUSEPORT, CAPTURED_SECCOMP };
struct captured_bytes {
	const void *p;
	size_t n;
};
struct captured {
	uint32_t id;		       /* 0: a classic filter */
	enum captured_classic classic; /* a filter attached several times is reported each time */
	uint64_t time;		       /* ns since boot, when the copy began */
	uint32_t pid;		       /* of the loader, in our process namespace; 0: not in it */
	uint32_t tid, uid;	       /* in the initial namespaces */
	char comm[16];		       /* of its thread */
	bool by_loader;		   /* false: of a process that closed it; it is reported again when its load returns */
	unsigned missing;	   /* enum captured_missing; 0: the copy is complete */
	struct abi_prog_info info; /* pointers are zero; type 0 and CAPTURED_LOST: only the id is known */
	uint32_t info_len;	   /* bytes of this kernel's struct, perhaps more than ours */
	uint64_t memlock;
	struct captured_bytes array[CAPTURED_ARRAYS];
	const struct abi_map_info *maps; /* used maps; map_extra, ifindex and others are zero */
	size_t nmaps;
	struct captured_bytes btf; /* of info.btf_id; n 0: an earlier program of the batch had it, or there is none */
	/* Not 0: not a copy, but the id of a map that was bound to program @id (BPF_PROG_BIND_MAP). Only id, time and
	 * bound_map are set. */
	uint32_t bound_map;
};

/* Readable when much is waiting. Smaller amounts wait for capture_read(): call it every 20 ms. */
int capture_fd(const struct capture *c);
/* Read the ring until it is empty or the queue is full. 0 or -errno. */
int capture_read(struct capture *c);
/* Set @ret to the next copy that is not this process's own, valid until the next call; false: none. @all: also copies
 * that will not be finished. */
bool capture_next(struct capture *c, bool all, struct captured *ret);

/*
 * Copies come in batches. Each batch has the types of its programs again, so that it can be written to another file.
 * capture_cut() ends the current batch unless it is ended already or no more copies are made. At the cut,
 * capture_next() has returned all copies before it; it returns those after it after capture_pass_cut().
 */
void capture_cut(struct capture *c);
bool capture_is_cut(const struct capture *c);	  /* the current batch is ended */
uint64_t capture_at_cut(const struct capture *c); /* when it was made, ns since boot; 0: not reached */
void capture_pass_cut(struct capture *c);

bool capture_waits(const struct capture *c);	  /* are there copies that capture_next() has not returned? */
uint64_t capture_queued(const struct capture *c); /* bytes that were read and not returned yet */

struct capture_counts {
	uint64_t lost;	  /* copies without room, or without enough, in the ring */
	uint64_t classic; /* classic filters that were attached */
};
void capture_counts(const struct capture *c, struct capture_counts *ret);

/*
 * The programs of these copies, not only the last ones, but this process's own: those of which nothing had room have no
 * other trace here. 0, or -errno: not all were passed to @note.
 */
struct captured_lost {
	uint32_t id, pid; /* pid: as in struct captured; 0: also if it was seen when it was closed */
	uint64_t time;
	uint8_t tag[8];
};
typedef void capture_lost_note(void *ctx, const struct captured_lost *l);
int capture_lost(const struct capture *c, capture_lost_note *note, void *ctx);
