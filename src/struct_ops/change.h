/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STRUCT_OPS_CHANGE_H
#define STRUCT_OPS_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct env; struct schema;
/* What was registered or unregistered, or would be. */
struct ops_change {
	const char *action;		/* "Registered" */
	const char *type, *name;
	uint32_t map_id, link_id, replaced;	/* 0: not known yet; none; no other map */
	const char *const *pins;	/* made or removed */
	uint32_t npins;
	bool dry_run;
	const char *map;		/* made by ops_changes_print() */
};
extern const struct schema schema_ops_change;
void ops_changes_print(struct env *env, const struct ops_change *c, size_t n);

/* Register what an object file holds; everything or nothing. */
struct ops_register {
	const char *path;
	const char *dir;		/* where links are pinned; NULL: nowhere */
	bool hold, replace, dry_run, nomount;
};
struct err;
struct ops_rec;
int ops_register(struct env *env, const struct ops_register *q, struct err *e);
/* End one that was registered without a link. */
int ops_value_delete(const struct ops_rec *r, bool dry_run, struct err *e);

extern const struct command ops_register_command, ops_unregister;

#endif
