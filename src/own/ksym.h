/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_KSYM_H
#define OWN_KSYM_H

#include <stddef.h>
#include <stdint.h>
#include "own/own.h"

/*
 * The kernel's own answer for one symbol: a microsecond, where reading all of /proc/kallsyms takes tens of
 * milliseconds. A small BPF program is loaded and run for it, which needs Linux 5.16 and what reading /proc/kallsyms
 * needs, besides CAP_BPF and CAP_PERFMON.
 */
struct ksym {
	struct own_loaded loaded; /* zeroed is closed */
	uint64_t call_base;	  /* address of __bpf_call_base, from which calls in BPF instructions count */
};

#define KSYM_TEXT_MAX 512

/* 0, or -errno, as own_load(). -EPERM also where the kernel hides addresses from us. */
int ksym_open(struct ksym *k, struct own *own);
void ksym_close(struct ksym *k);
/*
 * What is at an address, as %pS writes it: "NAME+0xOFF/0xSIZE" or "NAME+0xOFF/0xSIZE [MODULE]". Of several names for a
 * place it is the first in /proc/kallsyms. -ENOENT: nothing that the kernel knows, or a name that is too long.
 */
int ksym_at(const struct ksym *k, uint64_t addr, char ret[KSYM_TEXT_MAX]);

#endif
