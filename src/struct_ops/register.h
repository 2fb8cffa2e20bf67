/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in cmd_unregister.c. */

#include "base/base.h"

struct env;
struct ops_rec;
struct command;
/* Register all tables of an object file, or none. */
struct ops_register {
	const char *path;
	const char *dir; /* directory for the pins of links; NULL: not pinned */
	bool hold, replace, dry_run;
};
int ops_register(struct env *env, const struct ops_register *q, struct err *e);
/* A link that registers a map which was created for links: its descriptor, or -errno. */
int ops_link_create(int map);
/* Set the message for such an errno, of the map @name; returns it. */
int ops_explain(int err, const char *name, struct err *e);
/* Unregister a map that was registered without a link. */
int ops_value_delete(struct env *env, const struct ops_rec *r, bool dry_run, struct err *e);

extern const struct command ops_register_command, ops_unregister, ops_attach;
