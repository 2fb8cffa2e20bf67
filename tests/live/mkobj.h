/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/*
 * Creates BPF objects for tests: one of each kind that this kernel supports. Descriptors stay open until the process
 * ends; objects that cannot be created are reported on stderr ("skip KIND NAME: why"). Facts are printed to stdout, one
 * object per line: "KIND ID NAME key=value...".
 */
struct place {
	const char *objects; /* directory of the *.bpf.o files */
	const char *pins;    /* a directory on a bpffs, or NULL */
	int cgroup;	     /* descriptor of a cgroup v2 directory, or -1 */
};

enum {
	PROG_NETFILTER = 32,
	ATTACH_STRUCT_OPS = 44,
	ATTACH_NETFILTER = 45,
	ATTACH_TCX_INGRESS = 46,
	ATTACH_TCX_EGRESS = 47,
	ATTACH_UPROBE_MULTI = 48,
	ATTACH_NETKIT_PRIMARY = 54,
	ATTACH_NETKIT_PEER = 55,
	ATTACH_KPROBE_SESSION = 56,
	ATTACH_TRACE_FSESSION = 58,
};
enum { TYPE_CGRP_STORAGE = 32, TYPE_ARENA = 33, TYPE_INSN_ARRAY = 34, TYPE_RHASH = 35 };
#define NETKIT "lensnk0" /* a device that may exist, for netkit links */

/* struct link_create of bpf(2), with the parts that are newer than the distribution's headers. */
struct link_attr {
	uint32_t prog_fd, target, attach_type, flags;
	union {
		struct {
			uint64_t info;
			uint32_t len;
		} iter;
		struct {
			uint64_t cookie;
		} perf_event;
		struct {
			uint32_t flags, cnt;
			uint64_t syms, addrs, cookies;
		} kprobe_multi;
		struct {
			uint32_t target_btf_id;
			uint64_t cookie;
		} tracing;
		struct {
			uint64_t path, offsets, ref_ctr_offsets, cookies;
			uint32_t cnt, flags, pid;
		} uprobe_multi;
		struct {
			uint32_t pf, hook;
			int32_t prio;
			uint32_t flags;
		} netfilter;
		uint64_t room[6];
	};
};
int link_create(struct link_attr *attr); /* descriptor or -errno */
enum { MAX_PROGS = 128 };

/* Print the new object and keep it. @fd < 0: print why it could not be created. Returns @fd. */
int fact(const char *kind, const char *name, int fd, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Pin it as NAME in the pin directory, and print "pin ID NAME object=... path=...". */
void pin_fact(const struct place *p, const char *kind, const char *name, int fd);
int object_id(int fd);

void make_progs(const struct place *p);
void make_maps(const struct place *p);
void make_links(const struct place *p);
void make_trace_links(const struct place *p); /* of make_links */
/*
 * Load every program of an object file. A program that this kernel refuses: "refused ERRNO NAME object=FILE".
 * @logs: directory for the instructions and the verifier's log, ID.insns and ID.log; NULL: none.
 */
void make_file(const char *path, const char *logs);
int prog_fd(const char *name); /* of make_progs, or -1 */
