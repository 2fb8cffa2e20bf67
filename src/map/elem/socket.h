/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct env;
struct abi_map_info;
struct elem_form;
struct elem_note;
/* "10.0.0.1:443", "[::1]:80"; NULL: a family without such addresses. @port in host order. */
const char *socket_address(struct arena *a, uint16_t family, const unsigned char *addr, uint16_t port);
const char *socket_family(struct arena *a, uint16_t family);

/* The socket of each key of a sockmap or sockhash, ordered by key. In env->keep. */
struct sockets;
/*
 * NULL: a map of another type, or its sockets cannot be read (this needs the kernel's BTF and Linux 5.10), with the
 * reason in *ret_err (0: none). Such a map is dumped without sockets.
 */
const struct sockets *sockets_find(struct env *env, const struct abi_map_info *info, int *ret_err);
/* The socket of the element's key, in the env's arena; false: none. @err: of the element's lookup. */
bool socket_note(const struct elem_form *f, const unsigned char *key, int err, struct elem_note *ret);
