/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_IDS_H
#define OWN_IDS_H

#include "kernel/object.h"
#include "own/own.h"

struct str;
/* The numbers of all objects of a kind as the kernel's iterator of that kind walks them. */
struct ids_walk {			/* zeroed is closed */
	struct own_loaded loaded;
	int link;
};
/* 0 or -errno; -ENOENT: this kernel has no such iterator (5.8 for maps, 5.9 for programs, 5.19 for links, none for BTF objects). */
int ids_open(struct ids_walk *w, struct own *own, enum object_kind kind);
/* Those that there are now, but for our own: appended as uint32_t. 0 or -errno, then @ret is as before. */
int ids_run(const struct ids_walk *w, const struct own *own, enum object_kind kind, struct str *ret);
void ids_close(struct ids_walk *w);

#endif
