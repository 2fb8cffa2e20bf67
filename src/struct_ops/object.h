/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STRUCT_OPS_OBJECT_H
#define STRUCT_OPS_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/str.h"

struct arena; struct err; struct bpf_object; struct bpf_map;
/*
 * An object file with tables of operations, loaded. libbpf before 1.2 knows only the section ".struct_ops" and not
 * ".struct_ops.link"; so a file is loaded once for each of them that it has, the other out of sight, with the same other maps.
 */
struct ops_object {
	struct bpf_object *part[2];	/* without and with links; NULL: none */
	struct str bytes[2];		/* what they were made of */
	struct ops_object_map {
		struct bpf_map *map;
		bool by_link;
	} *maps;			/* in the arena */
	size_t n;			/* at least 1 */
};
/* Before anything is loaded: may it go on? */
typedef int ops_object_check(void *ctx, const struct ops_object *o, struct err *e);
int ops_object_load(struct ops_object *ret, const char *path, struct arena *a, ops_object_check *check, void *ctx, struct err *e);
void ops_object_close(struct ops_object *o);
#define OPS_OBJECT __attribute__((cleanup(ops_object_close))) struct ops_object

#endif
