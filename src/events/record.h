/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EVENTS_RECORD_H
#define EVENTS_RECORD_H

#include <stdint.h>
#include "kernel/sideband.h"

/* One event. What it points to lives until the next one. */
struct event_rec {
	const char *time;
	uint64_t timestamp;		/* ns, CLOCK_BOOTTIME */
	const char *kind, *event;
	uint32_t id;
	const char *type, *name;
	unsigned char tag[SIDEBAND_TAG];
	uint32_t pid;
	const char *comm;
	uint64_t bytes_jited, life;
	uint32_t functions;
	uint64_t count;
	uint8_t has_id, has_type, has_tag, has_pid, has_comm, has_jited, has_life, has_count;	/* enum avail */
};

#endif
