/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/wide.h"

/* Bit by bit if the high half leaves a remainder, which is rare. */
static struct wide divide(struct wide v, uint64_t by, uint64_t *rest)
{
	struct wide ret = { 0 };
	uint64_t r = v.hi % by;

	ret.hi = v.hi / by;
	if (!r) {
		ret.lo = v.lo / by;
		*rest = v.lo % by;
		return ret;
	}
	for (int bit = 63; bit >= 0; bit--) {
		bool over = r >> 63;

		r = r << 1 | (v.lo >> bit & 1);
		if (over || r >= by) {
			r -= by;
			ret.lo |= 1ull << bit;
		}
	}
	*rest = r;
	return ret;
}

struct wide wide_div(struct wide v, uint64_t by)
{
	uint64_t rest;
	struct wide ret = divide(wide_abs(v), by, &rest);

	return wide_is_neg(v) ? wide_neg(ret) : ret;
}

struct wide wide_div_floor(struct wide v, uint64_t by)
{
	uint64_t rest;
	struct wide ret = divide(wide_abs(v), by, &rest);

	if (!wide_is_neg(v))
		return ret;
	return wide_neg(rest ? wide_add(ret, wide_u(1)) : ret);
}

double wide_double(struct wide v)
{
	struct wide a = wide_abs(v);
	double d = (double)a.hi * 0x1p64 + (double)a.lo;

	return wide_is_neg(v) ? -d : d;
}
