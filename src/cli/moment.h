/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct env;
/*
 * --from with a directory and --at: the directory has the recordings of one machine, for example the files of `record
 * --max-files`, and env->opts then names the one that covers this moment (chosen is set). The present is the end of the
 * last recording, and seconds are from the beginning of the first. Other files are left out. Without both options,
 * nothing is done. 0, or -errno with a message: there are no recordings, they are of several machines, or none of them
 * covers it.
 */
int moment_choose(struct env *env, struct err *e);
