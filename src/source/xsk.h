/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/machine.h"
#include "own/xsk.h"

/* The sockets in an xskmap, checked: the answer to map/ID/xsk is struct xsk_raw[], by slot; copy before reading
 * integers. */
struct xsks {
	const unsigned char *p;
	size_t n;
};
/* -EBADMSG, noted: a truncated or unordered answer; otherwise the answer's errno; -ENODATA: not saved in this archive.
 */
int xsks_get(struct machine *m, struct arena *a, uint32_t map_id, struct xsks *ret);
static inline struct xsk_raw xsks_at(const struct xsks *x, size_t i)
{
	struct xsk_raw raw;

	__builtin_memcpy(&raw, x->p + i * sizeof(raw), sizeof(raw));
	raw.ifname[sizeof(raw.ifname) - 1] = '\0';
	return raw;
}
