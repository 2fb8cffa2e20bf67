/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_FLEET_H
#define CLI_FLEET_H

#include <stdbool.h>
#include <stddef.h>

struct env; struct err; struct arena; struct schema;
/*
 * Many machines: --from with a folder, or given several times. They are opened one after the other, in the order of their names; a
 * file that is no archive is told and passed over (report_unread()). Records then have two fields more: host, the name of the file
 * without its suffix, and saved_at.
 */
extern const struct schema fleet_origin_schema;	/* these two */
bool fleet_is_meant(const struct env *env);
/* A schema of records with these two behind them; the same for the same schema. */
const struct schema *fleet_schema(const struct env *env, const struct schema *s);
/* Fills them in, of the machine that is open; @s: as fleet_schema() returned it. */
void fleet_fill(const struct env *env, const struct schema *s, void *rec);

struct fleet;
/*
 * The files; -ENOENT: there is none. @keep: what is read of all of them stays, for records that wait to be sorted; else it goes with
 * the next machine. Lives as long as env->keep.
 */
int fleet_begin(struct fleet **ret, struct env *env, bool keep, struct err *e);
/* The env of the next machine, with a keep of its own; NULL behind the last. */
struct env *fleet_next(struct fleet *f);

#endif
