/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_LIBRARIES_H
#define HOST_LIBRARIES_H

#include <glob.h>

/*
 * Files that match one of @patterns, absolute paths that end with NULL: in @ret->gl_pathv, those with the highest
 * version in their names first, wherever they are. Nothing that matches, or what cannot be read, is an empty list. The
 * caller does globfree(@ret).
 */
void libraries_find(const char *const *patterns, glob_t *ret);

#endif
