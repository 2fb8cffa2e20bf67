/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKOBJ_H
#define MKOBJ_H

#include <stdint.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/*
 * A maker of BPF objects for tests: one of each kind that this kernel allows. Descriptors stay open until the process ends;
 * what could not be made is said on stderr ("skip KIND NAME: why") and left out. Facts go to stdout, one object a line:
 * "KIND ID NAME key=value...".
 */
struct place {
	const char *objects;		/* directory of the *.bpf.o files */
	const char *pins;		/* a directory on a bpffs, or NULL */
	int cgroup;			/* descriptor of a cgroup v2 directory, or -1 */
};

enum {
	PROG_NETFILTER = 32, ATTACH_STRUCT_OPS = 44, ATTACH_NETFILTER = 45,
	ATTACH_TCX_INGRESS = 46, ATTACH_TCX_EGRESS = 47, ATTACH_UPROBE_MULTI = 48,
};
enum { TYPE_CGRP_STORAGE = 32, TYPE_ARENA = 33 };
enum { MAX_PROGS = 128 };

/* Print what was made and keep it. @fd < 0: say why it was not. Returns fd. */
int fact(const char *kind, const char *name, int fd, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Pin it as NAME in the pin directory, and say so: "pin ID NAME object=... path=...". */
void pin_fact(const struct place *p, const char *kind, const char *name, int fd);
int object_id(int fd);

void make_progs(const struct place *p);
void make_maps(const struct place *p);
void make_links(const struct place *p);
int prog_fd(const char *name);		/* of make_progs, or -1 */

#endif
