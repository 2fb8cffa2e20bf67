/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/kind.h"
#include "events/attr.h"
#include "events/events.h"
#include "events/record.h"
#include "record/field.h"

static const struct field event_fields[] = {
	FIELD(event_rec, time, "time", "when it happened", .width = 15, .flags = FIELD_DEFAULT | FIELD_SHORT),
	FIELD(event_rec, timestamp, "timestamp", "the same time in nanoseconds since boot, like load_time of a program",
	      .unit = FU_NSEC),
	FIELD(event_rec, kind, "kind", "kind (of the object)", .names = &names_object_kind, .role = ROLE_KIND,
	      .width = 4, .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD(event_rec, event, "event",
	      "what happened; with --syscalls, the command of bpf(2); lost: there was no room for events before this one",
	      .role = ROLE_CHANGED, .width = 6, .flags = FIELD_DEFAULT | FIELD_ANSWER),
	FIELD_IF(event_rec, id, has_id, "id", "number of the object", .width = 7, .flags = FIELD_DEFAULT),
	FIELD_IF(event_rec, type, has_type, "type", "its type", .role = ROLE_KIND, .width = 14, .flags = FIELD_DEFAULT),
	FIELD(event_rec, name, "name", "its name", .role = ROLE_NAME, .width = 20,
	      .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD_AS(event_rec, tag, FT_BYTES, "tag", "hash of the program's instructions", .width = 16,
		 .flags = FIELD_DEFAULT, .drop = 3, FIELD_WHEN(event_rec, has_tag)),
	FIELD_IF(event_rec, pid, has_pid, "pid", "process that did it", .unit = FU_PID, .width = 7,
		 .flags = FIELD_DEFAULT, .drop = 2),
	FIELD_IF(event_rec, comm, has_comm, "comm", "command name of the process", .role = ROLE_OWNER,
		 .title = "COMMAND", .width = 15, .flags = FIELD_DEFAULT | FIELD_ANSWER),
	FIELD_IF(event_rec, bytes_jited, has_jited, "bytes_jited", "size of the program's machine code",
		 .unit = FU_SIZE),
	FIELD_IF(event_rec, functions, has_jited, "functions", "functions in its machine code", .was = "nr_functions"),
	FIELD_IF(event_rec, life, has_life, "life_ns", "lifetime (of the program)", .was = "life", .unit = FU_NSEC),
	FIELD(event_rec, tid, "tid", "thread that made the call", .unit = FU_PID, .flags = FIELD_NONZERO),
	FIELD_IF(event_rec, result, has_call, "result", "what the call returned", .width = 6),
	FIELD(event_rec, error, "errno", "name of the error that it returned", .width = 6, .flags = FIELD_NONZERO),
	FIELD_IF(event_rec, duration, has_call, "duration_ns", "duration (of the call)", .was = "duration",
		 .unit = FU_NSEC, .width = 8, .drop = 1),
	FIELD_ROWS(event_rec, attr, nattr, &schema_attr, "attr",
		   "attributes of the call, without optional ones that are zero", .flags = FIELD_KEYED | FIELD_ANSWER,
		   FIELD_WHEN(event_rec, has_call)),
	FIELD_ROWS(event_rec, object, nobject, &schema_attr_object, "objects",
		   "objects that descriptors in the attributes refer to", .flags = FIELD_NONZERO,
		   FIELD_WHEN(event_rec, has_call)),
	FIELD_AS(event_rec, key, FT_JSON, "key", "key of the element (--map)", .width = 8,
		 FIELD_WHEN(event_rec, has_key)),
	FIELD_AS(event_rec, value, FT_JSON, "value",
		 "value, of the element (--map): written, or read by a successful call; for all CPUs a list",
		 .width = 16, FIELD_WHEN(event_rec, has_value)),
	FIELD_AS(event_rec, next_key, FT_JSON, "next_key", "the next key, which the call found (--map)", .width = 8,
		 FIELD_WHEN(event_rec, has_next_key)),
	FIELD_IF(event_rec, count, has_count, "count",
		 "count (of lost events; with --map, of the elements of a batch that were done)", .width = 5,
		 .drop = 3),
};
const struct schema events_schema = SCHEMA("event", event_rec, event_fields);
