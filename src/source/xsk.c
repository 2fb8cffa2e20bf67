/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/xsk.h"

int xsks_get(struct machine *m, struct arena *a, uint32_t map_id, struct xsks *ret)
{
	struct xsks x;
	struct blob b;
	int err = ask(m, a, &b, Q_MAP_XSK, map_id);

	if (err)
		return err;
	if (b.n % sizeof(struct xsk_raw))
		return note_refused(m, -EBADMSG, Q_MAP_XSK, map_id);
	x = (struct xsks){ b.p, b.n / sizeof(struct xsk_raw) };
	for (size_t i = 1; i < x.n; i++)
		if (xsks_at(&x, i - 1).slot >= xsks_at(&x, i).slot)
			return note_refused(m, -EBADMSG, Q_MAP_XSK, map_id);
	*ret = x;
	return 0;
}
