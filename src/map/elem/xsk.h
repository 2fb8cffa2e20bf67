/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct env;
struct abi_map_info;
struct elem_form;
struct elem_note;
/* The AF_XDP sockets in the slots of an xskmap. In env->keep. */
struct xsk_slots;
/*
 * NULL: a map of another type, or its sockets cannot be read (this needs the kernel's BTF and Linux 5.17), with the
 * reason in *ret_err, which is unchanged for another type.
 */
const struct xsk_slots *xsk_slots_find(struct env *env, const struct abi_map_info *info, int *ret_err);
/* The socket in the slot of the element's key, in the env's arena; false: none. */
bool xsk_note(const struct elem_form *f, const unsigned char *key, struct elem_note *ret);
