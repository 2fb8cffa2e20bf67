/* SPDX-License-Identifier: BSD-2-Clause */
#include "perf/perf.h"
#include "perf/read.h"
#include "record/field.h"

#define ROW(m, name, help, ...) FIELD(struct perf_rec, m, name, help, ##__VA_ARGS__)
#define WHEN(m) .when = offsetof(struct perf_rec, m)
/* Facts that bpftool does not print: columns and JSON. */
#define MORE(m, name, help, ...) ROW(m, name, help, .flags = FIELD_NOPLAIN | FIELD_NONZERO, ##__VA_ARGS__)

static const struct field fields[] = {
	ROW(pid, "pid", "process that holds the descriptor, or the link where there is none", .unit = FU_PID, .plain = "pid %  ",
	    .flags = FIELD_DEFAULT, WHEN(has_pid)),
	ROW(fd, "fd", "descriptor of the event", .plain = "fd %: ", .col = 1, .flags = FIELD_DEFAULT, WHEN(has_fd)),
	ROW(prog_id, "prog_id", "program that runs", .unit = FU_PROG, .plain = "prog_id %", .col = 2, .flags = FIELD_DEFAULT, WHEN(has_prog)),
	ROW(type, "fd_type", "what the event is", .plain = "  %", .col = 2, .flags = FIELD_DEFAULT),
	ROW(site, "site", "where it is attached", .plain = "  %", .col = 2, .flags = FIELD_PLAINONLY | FIELD_NONZERO),
	MORE(tracepoint, "tracepoint", "tracepoint it is attached to"),
	MORE(func, "func", "function in the kernel"),
	MORE(filename, "filename", "file with the function"),
	ROW(offset, "offset", "bytes from the start of the function or file", .unit = FU_HEX, .flags = FIELD_NOPLAIN,
	    WHEN(has_offset)),
	ROW(addr, "addr", "address in the kernel", .unit = FU_ADDR, .flags = FIELD_NOPLAIN, WHEN(has_addr)),
	MORE(event, "event", "type of the perf event, and which of that type"),
	MORE(functions, "functions", "functions of a link that has many places"),
	ROW(where, "where", "tracepoint, function or place in a file, in one word", .flags = FIELD_NOPLAIN | FIELD_DEFAULT),
	MORE(comm, "comm", "name of the process"),
	ROW(prog_name, "prog_name", "name of the program", .flags = FIELD_NOPLAIN | FIELD_NONZERO | FIELD_DEFAULT, .need = NEED_PROG),
	MORE(prog_type, "prog_type", "type of the program", .need = NEED_PROG),
	ROW(link_id, "link_id", "link that attaches it", .unit = FU_LINK, .plain = "link %: ", .col = 1, .flags = FIELD_NONZERO | FIELD_ELSE),
	MORE(cookie, "cookie", "value that the program reads with bpf_get_attach_cookie"),
	MORE(symbol, "symbol", "function at the offset of the file, or at the address", .need = NEED_SYMBOLS),
};
const struct schema perf_schema = SCHEMA("perf", struct perf_rec, fields);
