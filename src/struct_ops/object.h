/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STRUCT_OPS_OBJECT_H
#define STRUCT_OPS_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/str.h"
#include "load/load.h"

struct env;
struct err;
struct bpf_map;
/*
 * An object file with tables of operations. libbpf before 1.2 knows the section ".struct_ops" but not
 * ".struct_ops.link". So the file is loaded once for each of these sections, with the other one hidden. Both parts
 * share all other maps.
 */
struct ops_object {
	struct load part[2]; /* without and with links; obj NULL: no such part. The second is closed first */
	struct str bytes[2]; /* the bytes they were opened from */
	struct ops_object_map {
		struct bpf_map *map;
		bool by_link;
	} * maps; /* in the arena */
	size_t n; /* at least 1 */
};
/* Open a file; nothing is loaded. @o must be zero, and must not be moved afterwards. 0 or -errno; call
 * ops_object_close() in both cases. */
int ops_object_open(struct ops_object *o, struct env *env, const char *path, struct err *e);
int ops_object_load(struct ops_object *o, struct err *e);
void ops_object_keep(struct ops_object *o);
void ops_object_close(struct ops_object *o); /* as load_close() */

#endif
