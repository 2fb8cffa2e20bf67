/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/machine.h"
#include "own/storage.h"

/*
 * The values in a map of local storage, checked. The answer to map/ID/storage has a struct storage_owner and value_size
 * bytes for each value; no padding, copy before reading integers.
 */
struct storage {
	const unsigned char *p;
	size_t n, stride; /* number of values; bytes of each with its owner */
};
/* -EBADMSG, noted: a truncated answer; otherwise the answer's errno; -ENODATA: not saved in this archive. */
int storage_get(struct machine *m, struct arena *a, uint32_t map_id, uint32_t value_size, struct storage *ret);
/* The same for the answer to map/ID/sockets: struct map_socket and key_size bytes. */
int storage_sockets_get(struct machine *m, struct arena *a, uint32_t map_id, uint32_t key_size, struct storage *ret);
static inline struct map_socket storage_socket(const struct storage *s, size_t i)
{
	struct map_socket o;

	__builtin_memcpy(&o, s->p + i * s->stride, sizeof(o));
	return o;
}
static inline const unsigned char *storage_socket_key(const struct storage *s, size_t i)
{
	return s->p + i * s->stride + sizeof(struct map_socket);
}
static inline struct storage_owner storage_owner(const struct storage *s, size_t i)
{
	struct storage_owner o;

	__builtin_memcpy(&o, s->p + i * s->stride, sizeof(o));
	return o;
}
static inline const unsigned char *storage_value(const struct storage *s, size_t i)
{
	return s->p + i * s->stride + sizeof(struct storage_owner);
}
