/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_INFO_H
#define SOURCE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "source/machine.h"

/*
 * BPF_OBJ_GET_INFO_BY_FD hands out strings and arrays through pointers in the info struct: ask once for the lengths,
 * once more with buffers. Here that protocol is data: which member points, which counts, how big one element is.
 */
struct info_buf {
	uint16_t ptr, len; /* offsets of the uint64_t pointer and of the uint32_t count in struct bpf_*_info */
	uint16_t elem;	   /* bytes per element; 0: a string, count in bytes with its NUL */
};
#define INFO_BUFS 4
#define INFO_MAX 512 /* bytes we ask for: more than any kernel's struct, so that a newer one is kept whole */

/* struct bpf_KIND_info of one object into @info (size bytes, zeroed first); *ret_len: how much of it this kernel knows.
 * 0 or -errno, which is not noted in the machine: hand it on. */
int info_get(struct machine *m, struct arena *a, enum object_kind kind, uint32_t id, void *info, size_t size,
	     uint32_t *ret_len);

/*
 * The buffers of one object, n <= INFO_BUFS, in one question ("link/12/buf/16.24.0+32.24.8"). ret[i].n is in bytes and
 * never more than was received; strings end in a NUL inside ret[i].n. On failure ret[] is all empty.
 */
int info_bufs_get(struct machine *m, struct arena *a, enum object_kind kind, uint32_t id, const struct info_buf *bufs,
		  size_t n, struct blob *ret);

/*
 * For live.c: parse a SPEC; run the protocol on a descriptor, again if a count grew in between (-EAGAIN if it keeps
 * growing). The answer is, per buffer, uint32_t bytes and the bytes.
 */
int info_spec_parse(const char *spec, struct info_buf *ret, size_t *ret_n); /* -EINVAL */
struct info_known {
	unsigned char info[INFO_MAX];
	uint32_t len;
};						/* len 0: not asked yet */
int info_fetch(int fd, struct info_known *ret); /* one BPF_OBJ_GET_INFO_BY_FD into zeroed bytes; len 0 on failure */
/* @known tells how much room is needed, and is asked again where it was not enough. */
int info_fetch_bufs(int fd, struct info_known *known, const struct info_buf *bufs, size_t n, struct arena *a,
		    struct blob *ret);

/* "key:\tvalue" in an fdinfo text: true and *ret if it is there and its first word is a number. */
bool fdinfo_u64(struct blob fdinfo, const char *key, uint64_t *ret);

#endif
