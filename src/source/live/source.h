/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct source;
/*
 * The source that is the running kernel; in live.c. Opens objects read-only where the kernel allows it; changes
 * nothing. @debug: report on standard error how holders were found and which of our programs were loaded. @no_load:
 * load none; what needs them fails with -ECANCELED.
 */
int source_live(struct source **ret, bool debug, bool no_load, struct err *e);
/* The programs of ours that this source has loaded, and may load. */
struct own;
struct own *source_live_own(struct source *s);
/* A descriptor of a network namespace, by its inode number; -ENOENT: it is gone; -ENODATA: another source. */
int source_live_netns(struct source *s, uint64_t ino);
/* The type of program @id was found elsewhere than in an answer of this source, which then need not ask for it. */
void source_live_saw(struct source *s, uint32_t id, uint32_t type);
