/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "own/capture/capture.bpf.h"
#include "own/own.h"

/* Our own programs, attached where they see other programs being loaded. */
#define CAPTURE_HOOKS 3 /* some are attached twice: the kernel skips nested runs of the same program on a CPU */
struct capture_hook {
	struct own_loaded loaded;
	int at; /* descriptor that keeps it attached; -1: not attached */
};
struct capture_hooks {
	const char *way;
	struct capture_hook hook[CAPTURE_HOOKS];
	unsigned n;
};
/*
 * Attach in the best way that this kernel has. @maps: the maps that all programs write to. @wake: bytes in the ring
 * that wake its reader. 0, or -errno with nothing attached.
 */
int capture_hooks_open(struct capture_hooks *h, struct own *own, const struct own_map *maps, uint32_t cpus,
		       uint32_t wake);
void capture_hooks_detach(struct capture_hooks *h); /* what they share can still be read */
void capture_hooks_close(struct capture_hooks *h);
