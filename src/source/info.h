/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "kernel/abi.h"
#include "source/machine.h"

/*
 * BPF_OBJ_GET_INFO_BY_FD returns strings and arrays through pointers in the info struct: it is called once for the
 * lengths, and again with buffers. This describes a buffer as data: the member that points, the member that counts, and
 * the size of an element.
 */
struct info_buf {
	uint16_t ptr, len; /* offsets of the uint64_t pointer and of the uint32_t count in struct bpf_*_info */
	uint16_t elem;	   /* bytes per element; 0: a string, count in bytes with its NUL */
};
#define INFO_BUFS 4
#define INFO_MAX 512 /* bytes requested: more than any kernel's struct, so that a newer one is complete */

/*
 * Reads struct bpf_KIND_info of an object into @info (size bytes, zeroed first); *ret_len: bytes that the kernel filled
 * in. 0 or -errno, which the machine has noted, unless the object is gone (source/machine.h).
 */
int info_get(struct machine *m, struct arena *a, enum object_kind kind, uint32_t id, void *info, size_t size,
	     uint32_t *ret_len);

/* The same for one kind, with a sentence for every failure. -ENOENT: no such object. */
int prog_info(struct machine *m, struct arena *a, uint32_t id, struct abi_prog_info *ret, struct err *e);
int prog_info_len(struct machine *m, struct arena *a, uint32_t id, struct abi_prog_info *ret, uint32_t *ret_len,
		  struct err *e);
int map_info(struct machine *m, struct arena *a, uint32_t id, struct abi_map_info *ret, struct err *e);
int map_info_len(struct machine *m, struct arena *a, uint32_t id, struct abi_map_info *ret, uint32_t *ret_len,
		 struct err *e);

/*
 * An array of struct bpf_prog_info, in the order of the questions from Q_PROG_XLATED: the member that points, the
 * member that counts, and the size of a record, fixed or, if 0, in a member that the kernel sets.
 */
struct prog_array {
	uint16_t ptr, count, elem, rec_size;
};
extern const struct prog_array prog_arrays[];

/* The maps of a program, in @a. 0 or -errno; the machine has noted it, as it does if there are fewer than the program
 * has. */
int prog_maps(struct machine *m, struct arena *a, uint32_t id, const struct abi_prog_info *info, const uint32_t **ret,
	      uint32_t *ret_n);

/*
 * Reads the buffers of an object, n <= INFO_BUFS, in one question ("link/12/buf/16.24.0+32.24.8"). ret[i].n is in
 * bytes, and never more than was received; strings end in a NUL within ret[i].n. On error all of ret[] is empty.
 */
int info_bufs_get(struct machine *m, struct arena *a, enum object_kind kind, uint32_t id, const struct info_buf *bufs,
		  size_t n, struct blob *ret);

/*
 * For live.c: parses a SPEC; reads the buffers of a descriptor, again if a count grew meanwhile (-EAGAIN if it keeps
 * growing). The answer has, for each buffer, uint32_t bytes and the bytes.
 */
int info_spec_parse(const char *spec, struct info_buf *ret, size_t *ret_n); /* -EINVAL */
struct info_known {
	unsigned char info[INFO_MAX];
	uint32_t len;
};						/* len 0: not asked yet */
int info_fetch(int fd, struct info_known *ret); /* one BPF_OBJ_GET_INFO_BY_FD into zeroed bytes; len 0 on error */
/* @known has the lengths, and is read again if they were not enough. */
int info_fetch_bufs(int fd, struct info_known *known, const struct info_buf *bufs, size_t n, struct arena *a,
		    struct blob *ret);

/* "key:\tvalue" in an fdinfo text: true and *ret if it exists and its first word is a number. */
bool fdinfo_u64(struct blob fdinfo, const char *key, uint64_t *ret);
