/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "kernel/object.h"

/*
 * The objects that the live source has met as pins, or that its caller has open. Opening a pin needs what the mode of
 * the file demands, opening an object by its id CAP_SYS_ADMIN: what is held is not opened by its id. All zero: none.
 */
struct held_object;
struct held {
	struct arena *arena;	  /* NULL: nothing is held */
	struct hash objects;	  /* of struct held_object, by kind and id */
	struct held_object *open; /* those with a descriptor */
	unsigned nopen;
};
/* Keeps a duplicate of @fd until held_idle(), and the path for later; NULL: none. */
void held_put(struct held *h, enum object_kind kind, uint32_t id, int fd, const char *path);
/* The same for a pin whose descriptor is closed already. @ctx: struct held (pins_found). */
void held_note(void *ctx, enum object_kind kind, uint32_t id, const char *path);
/*
 * A new descriptor of an object, or -errno: of the one that is held, else opened by its id, else, if that is not
 * permitted, by its path. Maps are opened read-only, or with @write read-write.
 */
int held_open(const struct held *h, enum object_kind kind, uint32_t id, bool write);
void held_idle(struct held *h); /* closes the descriptors, and forgets the paths if there are very many */
void held_release(struct held *h);
