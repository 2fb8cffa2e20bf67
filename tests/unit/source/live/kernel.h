/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <bpf/bpf.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "source/source.h"
#include "source/live/source.h"

/* The running kernel as *state, NULL if BPF objects cannot be created here. For files that include cmocka. */
#define NEEDS_BPF(state) \
	do { \
		if (!*(state)) \
			skip_because("no BPF object can be made here"); \
	} while (0)

static int setup(void **state)
{
	static struct source *s;
	struct err e = { 0 };
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "lens_probe", 4, 4, 1, NULL);

	if (fd < 0) {
		print_message("no privilege to make BPF objects here: %s\n", strerror(-fd));
		return 0;
	}
	close(fd);
	if (source_live(&s, false, false, &e))
		return -1;
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct source *s = *state;

	source_close(&s);
	return 0;
}
