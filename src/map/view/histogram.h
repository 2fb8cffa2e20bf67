/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "render/histogram.h"

/* A histogram of a map's counters or numbers, as a record. */
struct histogram_rec {
	const char *time, *key, *member; /* NULL: left out; key: JSON */
	struct histogram_rows rows;
};
extern const struct schema schema_histogram;
