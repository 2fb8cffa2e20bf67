/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_FLEET_H
#define CLI_FLEET_H

#include <stdbool.h>
#include <stddef.h>

struct env;
struct err;
struct render;
struct schema;
/*
 * Many machines: --from with a folder, or given several times. They are read in the order of their names; a file that
 * is no archive is named and passed over. Records then have two fields more: host, the name of the file without its
 * suffix, and saved_at.
 *
 * A verb joins with CMD_MANY in its flags, if it prints by records_run() and looks at env->machine only where it
 * collects.
 */
extern const struct schema fleet_origin_schema; /* these two */
bool fleet_is_meant(const struct env *env);
/* A schema of records with these two behind them; the same for the same schema. */
const struct schema *fleet_schema(const struct env *env, const struct schema *s);
/* Fills them in, of the machine that is open; @s: as fleet_schema() returned it. */
void fleet_fill(const struct env *env, const struct schema *s, void *rec);

/* 0, or -errno with the sentence; -ENOENT: what was named is not on this machine, but may be on another. */
typedef int fleet_visit(struct env *one, void *ctx, struct err *e);
/*
 * Visits the machines: @visit reads one and gives @r its records. @one has a report and a keep of its own, which are
 * gone behind it, but for @keep: what was read of all of them stays as long as env->keep, for records that wait to be
 * sorted.
 *
 * Lines of JSON are made by several processes at the same time, one for each CPU (cli/readers.h); they come in the
 * order of the machines all the same. @ctx is then the process's own: what @visit leaves there, nobody sees.
 *
 * What failed is noted with the name of the machine. -ENOENT: no machine has what was named, or there is no file.
 */
int fleet_each(struct env *env, struct render *r, bool keep, fleet_visit *visit, void *ctx, struct err *e);

#endif
