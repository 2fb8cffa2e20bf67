/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kernel/perf/data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Any bytes as a file of perf, in memory of exact size. A sample is the same if it is read again. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *p = malloc(size + !size);
	uint64_t at = PERF_DATA_BEGIN, place, sum = 0;
	struct perf_data *d = NULL;
	struct perf_data_item item;
	struct err e = { 0 };
	int more;

	if (!p)
		return 0;
	memcpy(p, data, size);
	if (perf_data_open_mem(&d, p, size, "perf.data", &e)) {
		if (!*e.msg)
			abort();
		free(p);
		return 0;
	}
	while (place = at, (more = perf_data_next(d, &at, &item)) > 0) {
		const struct sample s = item.sample;

		if (at <= place)
			abort();
		if (!item.is_sample)
			continue;
		for (size_t i = 0; i < s.ncallers; i++)
			sum += s.callers[i];
		if (perf_data_next(d, &place, &item) != 1 || !item.is_sample || item.sample.time != s.time ||
		    item.sample.ncallers != s.ncallers || place != at)
			abort();
	}
	if (more && !perf_data_error(d, more, &e))
		abort();
	perf_data_close(&d);
	free(p);
	return (int)(sum & 0);
}
