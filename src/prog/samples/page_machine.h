/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct env;
struct schema;
/* The first lines of a page: which machine it is of, when, and how many programs it had. */
struct page_machine {
	const char *host, *kernel, *machine;
	uint64_t saved, from, to; /* seconds since the epoch */
	uint32_t programs, gone, missing;
	uint8_t has_kernel, has_saved, has_time, has_end, has_programs, has_lives; /* enum avail */
};
extern const struct schema page_schema;
void page_machine_read(struct env *env, struct page_machine *ret); /* lives as long as the command */
