/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_VIEW_XSK_H
#define MAP_VIEW_XSK_H

#include <stdbool.h>

struct env;
struct abi_map_info;
struct elem_form;
struct beside;
/* Which AF_XDP sockets an xskmap has in its slots. In env->keep. */
struct xsk_slots;
/*
 * NULL: a map of another type, or its sockets cannot be told (the kernel's BTF and 5.17 are needed) and *ret_err says
 * why; for another type it is left alone.
 */
const struct xsk_slots *xsk_slots_find(struct env *env, const struct abi_map_info *info, int *ret_err);
/* The socket in the slot that is the element's key, in the env's arena; false: there is none. */
bool xsk_beside(const struct elem_form *f, const unsigned char *key, struct beside *ret);

#endif
