/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "own/own.h"

/*
 * Ask the kernel for one symbol. This takes a microsecond; reading all of /proc/kallsyms takes tens of milliseconds. A
 * small BPF program is loaded and run for it, which requires Linux 5.16, CAP_BPF, CAP_PERFMON, and the right to read
 * /proc/kallsyms.
 */
struct ksym {
	struct own_loaded loaded; /* zeroed is closed */
	uint64_t call_base;	  /* address of __bpf_call_base; calls in BPF instructions are relative to it */
};

#define KSYM_TEXT_MAX 512

/* 0, or -errno as own_load(). -EPERM also if the kernel hides addresses from us. */
int ksym_open(struct ksym *k, struct own *own);
void ksym_close(struct ksym *k);
/*
 * Get the symbol at an address in the format of %pS: "NAME+0xOFF/0xSIZE" or "NAME+0xOFF/0xSIZE [MODULE]". If an address
 * has several names, it is the first in /proc/kallsyms. -ENOENT: the kernel knows no symbol there, or its name is too
 * long.
 */
int ksym_at(const struct ksym *k, uint64_t addr, char ret[KSYM_TEXT_MAX]);
