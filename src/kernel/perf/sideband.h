/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in sideband_parse.c. */

#include "base/base.h"

/*
 * What the kernel announces through perf events, without a BPF program: each load and unload of a BPF program, and each
 * piece of code that appears or disappears (images of functions, trampolines, dispatchers), or each change of code. One
 * event and one ring for each CPU.
 *
 * A load is announced by SIDEBAND_KSYMBOL records, one for each function, and then one SIDEBAND_PROG, in this order and
 * from one thread; the first name is the program's own. On some kernels (6.1) the unload of a program has id 0; its tag
 * and its KSYMBOL records still identify it.
 */
enum sideband_kind {
	SIDEBAND_OTHER, /* of no kind below; only the members before the union are set */
	SIDEBAND_KSYMBOL,
	SIDEBAND_PROG,
	SIDEBAND_COMM, /* a thread has a new name: execve(2), prctl(2) */
	SIDEBAND_FORK,
	SIDEBAND_EXIT, /* FORK: a thread begins, with its parent's name; EXIT: it ends */
	SIDEBAND_LOST, /* records before this one had no room */
	SIDEBAND_TEXT, /* code of the kernel, its modules or BPF was changed; only x86 announces this */
};
#define SIDEBAND_TAG 8
struct sideband_record {
	enum sideband_kind kind;
	uint32_t type; /* PERF_RECORD_* */
	uint64_t time; /* ns, CLOCK_BOOTTIME, as load_time in struct bpf_prog_info */
	uint32_t cpu;
	uint32_t pid, tid; /* of the thread, in our process namespace; 0: not in it; UINT32_MAX: it has exited */
	union {
		struct {
			uint64_t addr;
			uint32_t len;	    /* bytes */
			uint16_t ksym_type; /* PERF_RECORD_KSYMBOL_TYPE_* */
			uint8_t gone;	    /* 1: it disappears; 0: it appears */
			/* "bpf_prog_TAG_NAME", "bpf_trampoline_N"; NUL-terminated, shorter than 64 KiB */
			const char *name;
		} ksymbol;
		struct {
			uint16_t event; /* PERF_BPF_EVENT_PROG_LOAD, _UNLOAD, or a newer one */
			uint32_t id;	/* 0: not reported by the kernel */
			unsigned char tag[SIDEBAND_TAG];
		} prog;
		struct {
			uint32_t pid, tid; /* the thread that has this name */
			const char *name;  /* NUL-terminated */
		} comm;
		struct {
			uint32_t pid, tid; /* the thread that begins or ends */
			uint32_t parent_pid, parent_tid;
		} task;
		struct {
			uint64_t count; /* records */
		} lost;
		struct {
			uint64_t addr;
			/* Bytes there before and after; a length of 0: there was no code, or is none any more. */
			uint16_t old_len, new_len;
			const unsigned char *old, *now;
		} text;
	};
};

struct sideband_opts {
	size_t ring; /* bytes for each CPU, rounded up to a power of two of pages; 0: 512 KiB */
	size_t wake; /* unread bytes of one CPU that wake the reader; 0: each record does */
	bool tasks;  /* also SIDEBAND_COMM, _FORK and _EXIT, of all threads of the machine */
	bool text; /* SIDEBAND_TEXT instead of KSYMBOL and PROG: tracing of functions changes code thousands of times */
};
/*
 * Get records of everything that happens after this call on the CPUs that are online now. 0, or -errno: EACCES, EPERM:
 * CAP_PERFMON is needed (before 5.8 CAP_SYS_ADMIN); EINVAL: the kernel is older than 5.1; EMFILE: a descriptor for each
 * CPU is needed. With @text, EINVAL: older than 5.9.
 */
struct sideband;
int sideband_open(struct sideband **ret, const struct sideband_opts *o);
void sideband_close(struct sideband **s);
int sideband_fd(const struct sideband *s); /* for poll(2): readable when there are records */

/* A record and what it points to are valid until the call returns. */
typedef void sideband_handler(void *ctx, const struct sideband_record *r);
/*
 * Pass all records up to now, of all CPUs, to @handle, ordered by time; does not wait. Records of one thread, and of
 * events that depend on each other, are in order across calls; events of two CPUs at the same moment may be split over
 * two calls. true: more records came meanwhile; read again before waiting.
 */
bool sideband_read(struct sideband *s, sideband_handler *handle, void *ctx);
/*
 * The same for records up to @until (ns, CLOCK_BOOTTIME), which is not in the future: to merge them with records of
 * another source.
 */
bool sideband_read_until(struct sideband *s, uint64_t until, sideband_handler *handle, void *ctx);

/* Counts so far. */
struct sideband_count {
	uint64_t passed; /* records passed on */
	uint64_t lost;	 /* records that had no room in a ring, including those not yet reported by a SIDEBAND_LOST */
	uint64_t bad;	 /* records of an impossible length; the record or the rest of its ring was skipped */
	unsigned cpus;	 /* CPUs with an event */
};
struct sideband_count sideband_count(const struct sideband *s);

/*
 * Decode the @n bytes of one record from the ring, with pid and time at its end (sample_id_all) as requested by
 * sideband_open(). @ret points into it. 0; -EBADMSG: the record is too short for its kind, or its name is not
 * terminated.
 */
int sideband_parse(const void *p, size_t n, struct sideband_record *ret);
/*
 * Offset of the trailer, of @size bytes, in a record of @n bytes (at least a header). SIZE_MAX: there is no room for
 * it. For every listener the kernel increases the size of SIDEBAND_KSYMBOL, _PROG and _TEXT records again
 * (kernel/events/core.c of 6.18, perf_event_ksymbol_output()): for all listeners but the first, the trailer is not at
 * the end, and garbage follows it.
 */
size_t sideband_trailer(const void *p, size_t n, size_t size);
/*
 * Like sideband_parse(), for the @n bytes before the trailer: ret->type is the record's type; members that are not in
 * the body are not changed.
 */
int sideband_body(const void *p, size_t n, struct sideband_record *ret);
