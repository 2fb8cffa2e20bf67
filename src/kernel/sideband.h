/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_SIDEBAND_H
#define KERNEL_SIDEBAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the kernel announces through perf events, without a BPF program: each load and unload of a BPF program, each
 * piece of code that appears or goes (images of functions, trampolines, dispatchers). One event and one ring for each
 * CPU.
 *
 * A load is SIDEBAND_KSYMBOL records, one for each function, then one SIDEBAND_PROG, in this order and of one thread;
 * the first name is the program's own. On some kernels the unload of a program has id 0 (6.1): its tag and its KSYMBOL
 * records still tell.
 */
enum sideband_kind {
	SIDEBAND_OTHER, /* of no kind below; the head alone */
	SIDEBAND_KSYMBOL,
	SIDEBAND_PROG,
	SIDEBAND_COMM, /* a thread has a new name: execve(2), prctl(2) */
	SIDEBAND_FORK,
	SIDEBAND_EXIT, /* a thread begins, with its parent's name; ends */
	SIDEBAND_LOST, /* before this record there was no room for others */
};
#define SIDEBAND_TAG 8
struct sideband_record {
	enum sideband_kind kind;
	uint32_t type; /* PERF_RECORD_* */
	uint64_t time; /* ns, CLOCK_BOOTTIME, as load_time in struct bpf_prog_info */
	uint32_t cpu;
	uint32_t pid, tid; /* who did it, in our process namespace; 0: not in it; UINT32_MAX: it is gone */
	union {
		struct {
			uint64_t addr;
			uint32_t len;	    /* bytes */
			uint16_t ksym_type; /* PERF_RECORD_KSYMBOL_TYPE_* */
			uint8_t gone;	    /* 1: it goes, 0: it comes */
			const char *name;   /* "bpf_prog_TAG_NAME", "bpf_trampoline_N"; ends in NUL, of any length below
					       64 KiB */
		} ksymbol;
		struct {
			uint16_t event; /* PERF_BPF_EVENT_PROG_LOAD, _UNLOAD, or a newer one */
			uint32_t id;	/* 0: the kernel did not say */
			unsigned char tag[SIDEBAND_TAG];
		} prog;
		struct {
			uint32_t pid, tid; /* whose it is */
			const char *name;  /* ends in NUL */
		} comm;
		struct {
			uint32_t pid, tid; /* whose beginning or end it is */
			uint32_t parent_pid, parent_tid;
		} task;
		struct {
			uint64_t count; /* records */
		} lost;
	};
};

struct sideband_opts {
	size_t ring; /* bytes for each CPU, rounded up to a power of two of pages; 0: 512 KiB */
	size_t wake; /* unread bytes of one CPU that wake the reader; 0: each record does */
	bool tasks;  /* also SIDEBAND_COMM, _FORK and _EXIT: of all threads of the machine */
};
/*
 * Records of everything that happens behind this call on the CPUs that are online now. 0, or -errno: EACCES, EPERM:
 * needs CAP_PERFMON (or CAP_SYS_ADMIN before 5.8); EINVAL: a kernel older than 5.1; EMFILE: a descriptor for each CPU
 * is needed.
 */
struct sideband;
int sideband_open(struct sideband **ret, const struct sideband_opts *o);
void sideband_close(struct sideband **s);
int sideband_fd(const struct sideband *s); /* poll(2) it: readable when there are records */

/* A record and what it points to live until the call returns. */
typedef void sideband_heard(void *ctx, const struct sideband_record *r);
/*
 * Tells all records up to now, of all CPUs, by time; never waits. What one thread did, or what is known to have come
 * after another thing, is in order over all calls; what two CPUs did at the same moment may be in two calls. true: more
 * came in the meantime; read again before waiting.
 */
bool sideband_read(struct sideband *s, sideband_heard *heard, void *ctx);
/* The same up to @until (ns, CLOCK_BOOTTIME), which is not in the future: to put records of another source between
 * them. */
bool sideband_read_until(struct sideband *s, uint64_t until, sideband_heard *heard, void *ctx);

/* Up to now: */
struct sideband_count {
	uint64_t told; /* records */
	uint64_t lost; /* there was no room for them in a ring, also if no record says so yet */
	uint64_t bad;  /* of a length that cannot be; each took the rest of its ring with it, or itself alone */
	unsigned cpus; /* that are listened on */
};
struct sideband_count sideband_count(const struct sideband *s);

/*
 * Decodes the @n bytes of one record from the ring, whose pid and time stand at its end (sample_id_all) as
 * sideband_open() asks for. @ret points into it. 0; -EBADMSG: it is shorter than its kind needs, or its name does not
 * end.
 */
int sideband_parse(const void *p, size_t n, struct sideband_record *ret);
/*
 * Where in the @n bytes of a record, at least a header, what stands at its end begins, of @size bytes. SIZE_MAX: there
 * is no room for it. The kernel adds up the sizes of SIDEBAND_KSYMBOL and _PROG records over all who listen
 * (kernel/events/core.c of 6.18, perf_event_ksymbol_output()): for all but the first one it is not at the end, and
 * rubbish is behind it.
 */
size_t sideband_trailer(const void *p, size_t n, size_t size);
/* As sideband_parse(), of the @n bytes in front of that: @ret->type says which; what does not stand in the body is left
 * as it is. */
int sideband_body(const void *p, size_t n, struct sideband_record *ret);

#endif
