/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/view/histogram.h"

#include "record/field.h"

#define HISTOGRAM_FIELD(m, nm, help) FIELD(histogram_rec, m, nm, help, .flags = FIELD_NOPLAIN | FIELD_NONZERO)
static const struct field histogram_fields[] = {
	HISTOGRAM_FIELD(time, "time", "when it happened: the read, for a heatmap"),
	FIELD_AS(histogram_rec, key, FT_JSON, "key", "key of the element, with the counters",
		 .flags = FIELD_NOPLAIN | FIELD_NONZERO),
	HISTOGRAM_FIELD(member, "member", "member that is counted"),
	FIELD(histogram_rec, rows.total, "total", "sum of the counts", .flags = FIELD_NOPLAIN),
	FIELD_ROWS(histogram_rec, rows.bucket, rows.n, &schema_bucket, "buckets",
		   "without those that are empty at both ends", .flags = FIELD_NOPLAIN),
};
const struct schema schema_histogram = SCHEMA("histogram", histogram_rec, histogram_fields);
