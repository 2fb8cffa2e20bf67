/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in call.c. */

#include "kernel/perf/sideband.h"

struct attr_row;
struct attr_object;
/* One event. Pointers are valid until the next event. */
struct event_rec {
	const char *time;
	uint64_t timestamp; /* ns, CLOCK_BOOTTIME */
	const char *kind, *event;
	uint32_t id;
	const char *type, *name;
	unsigned char tag[SIDEBAND_TAG];
	uint32_t pid;
	const char *comm;
	uint64_t bytes_jited, life;
	uint32_t functions;
	uint64_t count;
	int64_t result;
	const char *error;
	uint64_t duration;
	uint32_t tid;
	const struct attr_row *attr;
	const struct attr_object *object;
	uint32_t nattr, nobject;
	const char *key, *value, *next_key; /* JSON */
	bool load_printed;		    /* of an unload: the load was shown */
	uint8_t has_id, has_type, has_tag, has_pid, has_comm, has_jited, has_life, has_count, has_call, has_key,
		has_value, has_next_key; /* enum avail */
};

struct env;
struct calls_record;
struct map_decode;
/*
 * The event of a call, except time and process. @lasting: the event of an object; false is returned if the call did not
 * change one. Else the call itself; @map: with the element of this map, if not NULL.
 */
bool event_of_call(struct env *env, const struct calls_record *r, bool lasting, const struct map_decode *map,
		   struct event_rec *ret);
