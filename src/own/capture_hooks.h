/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_CAPTURE_HOOKS_H
#define OWN_CAPTURE_HOOKS_H

#include "own/capture.bpf.h"
#include "own/own.h"

/* Programs of ours where they see that others are loaded. */
#define CAPTURE_HOOKS 3 /* each copy of a program has a guard of its own against running twice at a time */
struct capture_hook {
	struct own_loaded loaded;
	int at; /* descriptor that attaches it; -1: nothing does */
};
struct capture_hooks {
	const char *way;
	struct capture_hook hook[CAPTURE_HOOKS];
	unsigned n;
};
/*
 * @maps: those that all of them write to. @wake: who polls the ring is woken when so many bytes wait in it. The best
 * way that there is here. 0 or -errno, then nothing is attached.
 */
int capture_hooks_open(struct capture_hooks *h, struct own *own, const struct own_map *maps, uint32_t cpus,
		       uint32_t wake);
void capture_hooks_close(struct capture_hooks *h);

#endif
