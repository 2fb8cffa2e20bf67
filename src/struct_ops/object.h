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
 * An object file with tables of operations. libbpf before 1.2 knows only the section ".struct_ops" and not
 * ".struct_ops.link"; so a file is loaded once for each of them that it has, the other out of sight, with the same
 * other maps.
 */
struct ops_object {
	struct load part[2]; /* without and with links; its obj NULL: none. The second ends first */
	struct str bytes[2]; /* what they were made of */
	struct ops_object_map {
		struct bpf_map *map;
		bool by_link;
	} * maps; /* in the arena */
	size_t n; /* at least 1 */
};
/* Open it, into zeros that then stay where they are; nothing reaches the kernel. ops_object_close() is due in any case.
 */
int ops_object_open(struct ops_object *o, struct env *env, const char *path, struct err *e);
int ops_object_load(struct ops_object *o, struct err *e);
void ops_object_keep(struct ops_object *o);
void ops_object_close(struct ops_object *o); /* as load_close() */

#endif
