/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct own;
/*
 * What the running kernel can do, found by trying: program types, the helpers that each may call, map types,
 * instructions. Every program that is tried is rejected (probe.bpf.c), so none is ever loaded; a map is closed before
 * the next one is created. Helpers whose look-up has a lasting effect (a line in the kernel's log, a trace event that
 * is switched on) are tried only on request.
 */
struct probe {
	bool full;	       /* also try those helpers */
	bool kfuncs;	       /* instead: which functions of the kernel each type may call */
	uint32_t ifindex;      /* for that device, which may support less; 0: for the kernel */
	void (*prepare)(void); /* called in each process that asks; NULL: nothing is prepared */
};
/*
 * Append lines:
 *	bpf ERRNO			bpf(2) itself; 0: it is there
 *	prog TYPE ERRNO			a program type; 0: it is there; EINVAL: unknown to the kernel; else refused
 *	attach TYPE ATTACH ERRNO	the same for programs of a type that are loaded for an attach type
 *	helpers TYPE ID...		helpers that the type may call; "?" instead of ids: unknown; no line: no
 *					program of the type can be tried
 *	map TYPE ERRNO			a map type; 0, EINVAL or else as for prog
 *	misc NAME ERRNO			large_insn_limit, bounded_loops, v2_isa_extension, ...
 * With kfuncs only "prog TYPE ERRNO" and
 *	kfuncs TYPE NAME...		functions that the type may call, of those that the kernel's types mark
 *					(bpf_kfunc, Linux 6.10); "NAME?": unknown; no line: none is marked, or no
 *					program of the type can be tried
 * 0 or -errno: -ECANCELED: not allowed; -ETIME: the kernel does not answer.
 */
int probe_collect(struct own *own, const struct probe *probe, struct str *ret);
