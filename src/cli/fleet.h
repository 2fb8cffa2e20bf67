/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct box_place;
struct env;
struct globals;
struct render;
struct schema;
/*
 * Several machines: --from with a directory, or given several times. They are read in the order of their names; a file
 * that is not an archive is reported and skipped. Records then have two more fields: host, the name of the file without
 * its suffix, and saved_at.
 *
 * A verb can set CMD_MANY in its flags if it prints with records_run() and uses env->machine only while collecting.
 */
extern const struct schema fleet_origin_schema; /* these two fields */
bool fleet_is_given(const struct globals *o);
bool fleet_is_folder(const char *path);
/* Several machines are given, and the command reads them all. Others read one, or none and ignore --from. */
bool fleet_is_used(const struct env *env);
/* The schema of records with these two fields appended; always the same for the same schema. */
const struct schema *fleet_schema(const struct env *env, const struct schema *s);
/* Set the two fields from the open machine; @s: as fleet_schema() returned it. */
void fleet_fill(const struct env *env, const struct schema *s, void *rec);

/*
 * --from with a directory and --at: the directory is one machine, and env->opts then names its recording that covers
 * this moment (source/file/box.h). Without both options, nothing is done. Two --at are refused. 0, or -errno with a
 * message.
 */
int fleet_choose(struct env *env, struct err *e);
/* The recording in a directory that covers a moment; in the keep. 0, or -errno with a message. */
int fleet_find_at(struct env *env, const char *folder, const char *at, struct box_place *ret, struct err *e);
/* The files of a directory, sorted, in the arena, without those whose name begins with a dot. 0, or -errno with @e set.
 */
int fleet_folder(struct arena *a, const char *folder, const char ***ret, size_t *ret_n, struct err *e);

/* 0, or -errno with @e set; -ENOENT: the named object is not on this machine, but may be on another. */
typedef int fleet_visit(struct env *one, void *ctx, struct err *e);
/*
 * Visit the machines: @visit reads one and passes its records to @r. @one has its own report and keep, which end with
 * the visit. With @keep, everything that was read stays as long as env->keep, for records that are sorted later.
 *
 * Lines of JSON are made by several processes at the same time, one for each CPU (cli/crew.h), and are printed in the
 * order of the machines. @ctx is then a copy in another process: the caller does not see changes to it.
 *
 * Failures are noted with the name of the machine. 0 or -errno; -ENOENT: no machine has the named object, or there is
 * no file.
 */
int fleet_each(struct env *env, struct render *r, bool keep, fleet_visit *visit, void *ctx, struct err *e);
