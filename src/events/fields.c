/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/attr.h"
#include "events/events.h"
#include "events/record.h"
#include "record/field.h"

#define REC struct event_rec
#define ROW(m, name, help, ...) FIELD(REC, m, name, help, ##__VA_ARGS__)
#define WHEN(m) .when = offsetof(REC, m)
static const struct field event_fields[] = {
	ROW(time, "time", "when it happened", .width = 15, .flags = FIELD_DEFAULT | FIELD_SHORT),
	ROW(timestamp, "timestamp", "the same time in nanoseconds since boot, like load_time of a program",
	    .unit = FU_NSEC),
	ROW(kind, "kind", "kind (of the object)", .role = ROLE_KIND, .width = 4,
	    .flags = FIELD_DEFAULT | FIELD_NONZERO),
	ROW(event, "event",
	    "what happened; with --syscalls, the command of bpf(2); lost: there was no room for events before this one",
	    .width = 6, .flags = FIELD_DEFAULT),
	ROW(id, "id", "number of the object", .width = 7, .flags = FIELD_DEFAULT, WHEN(has_id)),
	ROW(type, "type", "its type", .role = ROLE_KIND, .width = 14, .flags = FIELD_DEFAULT, WHEN(has_type)),
	ROW(name, "name", "its name", .role = ROLE_NAME, .width = 20, .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD_AS(REC, tag, FT_BYTES, "tag", "hash of the program's instructions", .width = 16, .flags = FIELD_DEFAULT,
		 WHEN(has_tag)),
	ROW(pid, "pid", "process that did it", .unit = FU_PID, .width = 7, .flags = FIELD_DEFAULT, WHEN(has_pid)),
	ROW(comm, "comm", "command name of the process", .role = ROLE_OWNER, .title = "COMMAND", .width = 15,
	    .flags = FIELD_DEFAULT, WHEN(has_comm)),
	ROW(bytes_jited, "bytes_jited", "size of the program's machine code", .unit = FU_SIZE, WHEN(has_jited)),
	ROW(functions, "nr_functions", "number of functions in the machine code", WHEN(has_jited)),
	ROW(life, "life", "how long the program was loaded", .unit = FU_NSEC, WHEN(has_life)),
	ROW(tid, "tid", "thread that made the call", .unit = FU_PID, .flags = FIELD_NONZERO),
	ROW(result, "result", "what the call returned", .width = 6, WHEN(has_call)),
	ROW(error, "errno", "name of the error that it returned", .width = 6, .flags = FIELD_NONZERO),
	ROW(duration, "duration", "nanoseconds that the call took", .unit = FU_NSEC, .width = 8, WHEN(has_call)),
	FIELD_ROWS(REC, attr, nattr, &schema_attr, "attr",
		   "attributes of the call, without optional ones that are zero", .flags = FIELD_KEYED, WHEN(has_call)),
	FIELD_ROWS(REC, object, nobject, &schema_attr_object, "objects",
		   "objects that descriptors in the attributes refer to", .flags = FIELD_NONZERO, WHEN(has_call)),
	ROW(count, "count", "count (of lost events)", WHEN(has_count)),
};
const struct schema events_schema = SCHEMA("event", REC, event_fields);
