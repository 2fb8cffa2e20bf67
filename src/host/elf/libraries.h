/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <glob.h>

/*
 * Find files that match any of @patterns, absolute paths terminated by NULL: in ret->gl_pathv, ordered by the version
 * in their names, the highest first, in whatever directory. If nothing matches or can be read, the list is empty. The
 * caller must call globfree(@ret).
 */
void libraries_find(const char *const *patterns, glob_t *ret);
