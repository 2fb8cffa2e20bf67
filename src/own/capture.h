/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_CAPTURE_H
#define OWN_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/abi.h"

struct own;
/*
 * Every program that is loaded, whole, however short its life: a BPF program of ours copies it in the context of its
 * loader, before that gets the descriptor. (Whoever asks for it by id afterwards may be too late.)
 *
 * Needs Linux 5.10 and the right to load tracing programs. Classic filters, which have no id, are copied when they have
 * been attached. Not seen: where only system calls can be watched (capture_way()), a program that a loader program
 * (BPF_PROG_TYPE_SYSCALL) loads and closes in one run. Nothing stays behind: all that is attached hangs on descriptors.
 */
struct capture;
struct capture_options {
	uint32_t ring_size;  /* bytes, a power of two; 0: CAPTURE_RING */
	uint64_t queue_size; /* bytes of programs that wait for capture_next(); 0: CAPTURE_QUEUE */
	uint64_t batch_size; /* bytes after which a batch ends, so that one ends soon though many wait; 0: none does */
};
#define CAPTURE_RING (64u << 20)
#define CAPTURE_QUEUE (1ull << 30)

/*
 * From here on loads are seen. 0, or -errno with nothing loaded: as own_load(); -ENOTSUP: the copies are not as they
 * should be.
 * @own must outlive it.
 */
int capture_open(struct capture **ret, struct own *own, const struct capture_options *o);
void capture_close(struct capture **c);
const char *capture_way(const struct capture *c); /* "function", "probe", "system calls": what sees the loads */
/* Are translated instructions those of the kernel's own dump? False: their calls and map references may be written
 * otherwise. */
bool capture_insns_known(const struct capture *c);

/* Arrays of struct bpf_prog_info, in the order of the questions for them (source/questions.h). */
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
/* What a copy lacks, and why. */
enum captured_missing {
	CAPTURED_LOST = 1 << 0,	   /* a part of it: there was no room, or memory could not be read */
	CAPTURED_CHANGED = 1 << 1, /* the program was freed while it was copied: any part may be wrong */
	CAPTURED_DEVICE = 1 << 2,  /* the device that it was loaded for */
	CAPTURED_BTF = 1 << 3,	   /* its types */
};
/* Not 0: a classic filter, by what it is attached to. */
enum captured_classic { CAPTURED_NOT_CLASSIC, CAPTURED_SOCKET, CAPTURED_REUSEPORT, CAPTURED_SECCOMP };
struct captured_bytes {
	const void *p;
	size_t n;
};
struct captured {
	uint32_t id;		       /* 0: a classic filter, */
	enum captured_classic classic; /* which may be told more than once, if it is the same for each time */
	uint64_t time;		       /* ns since boot; of the copy */
	uint32_t pid, tid, uid;	       /* of the loader, as the first namespaces have them */
	char comm[16];		       /* of its thread */
	bool by_loader;		   /* false: they are of who else closed it; when its load returns, it is told again */
	unsigned missing;	   /* enum captured_missing; 0: it is whole */
	struct abi_prog_info info; /* pointers are zero; type 0 and CAPTURED_LOST: nothing but the id is known */
	uint32_t info_len;	   /* bytes that this kernel's struct has: perhaps more than ours */
	uint64_t memlock;
	struct captured_bytes array[CAPTURED_ARRAYS];
	const struct abi_map_info *maps; /* that it uses; map_extra, ifindex and the like are zero */
	size_t nmaps;
	struct captured_bytes
		btf; /* of info.btf_id, once for each; n 0: it came with an earlier one, or there is none */
	/* A map that was bound to an earlier one later (BPF_PROG_BIND_MAP): then only id, time and this are set. 0:
	 * none */
	uint32_t bound_map;
};

/* Can be read when much is waiting; what is little waits for the next capture_read(): call that every 20 ms. */
int capture_fd(const struct capture *c);
/* Take from the ring all that is there, or as much as may wait. 0 or -errno. */
int capture_read(struct capture *c);
/* The next one that is not this process's own, valid until the next call; false: none. @all: also those whose end did
 * not come and will not come any more. */
bool capture_next(struct capture *c, bool all, struct captured *ret);

/*
 * Copies come in batches, one after the other, in each of which the types come again: for who goes on in another place.
 * capture_cut() ends the batch that is told, unless it is ended already. At the cut all copies before it were told;
 * those behind it are told after capture_pass_cut().
 */
void capture_cut(struct capture *c);
bool capture_is_cut(const struct capture *c);	  /* there is a cut before us */
uint64_t capture_at_cut(const struct capture *c); /* when it was made, ns since boot; 0: not there yet */
void capture_pass_cut(struct capture *c);

bool capture_waits(const struct capture *c);	/* there are copies that were not told */
uint64_t capture_held(const struct capture *c); /* bytes that were read and not handed out */

struct capture_counts {
	uint64_t lost;	  /* copies that had no room in the ring, whole or in part */
	uint64_t classic; /* classic filters that were attached */
};
void capture_counts(const struct capture *c, struct capture_counts *ret);
#endif
