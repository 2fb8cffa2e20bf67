/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "perf/perf.h"
#include "perf/read.h"
#include "record/field.h"

#define ROW(m, name, help, ...) FIELD(struct perf_rec, m, name, help, ##__VA_ARGS__)
#define WHEN(m) .when = offsetof(struct perf_rec, m)
/* Fields that bpftool does not print: only in columns and JSON. */
#define MORE(m, name, help, ...) ROW(m, name, help, .flags = FIELD_NOPLAIN | FIELD_NONZERO, ##__VA_ARGS__)
/* The attach point: text after the type. */
#define AT(n, m, name, text, help, ...) ROW(m, name, help, .plain = text, .col = n, ##__VA_ARGS__)

/* bpftool prints offsets in decimal. */
static size_t offset_text(const void *rec, char *buf, size_t size)
{
	const struct perf_rec *r = rec;

	return r->has_offset == AVAIL_YES ? (size_t)snprintf(buf, size, "%" PRIu64, r->offset) : 0;
}

static size_t addr_text(const void *rec, char *buf, size_t size)
{
	const struct perf_rec *r = rec;

	return r->has_addr == AVAIL_YES ? (size_t)snprintf(buf, size, "%" PRIu64, r->addr) : 0;
}

static const struct field fields[] = {
	ROW(pid, "pid", "process that holds the descriptor, or the link if there is no descriptor", .unit = FU_PID,
	    .plain = "pid %  ", .flags = FIELD_DEFAULT, WHEN(has_pid)),
	ROW(fd, "fd", "the descriptor", .plain = "fd %: ", .col = 1, .flags = FIELD_DEFAULT, .drop = 1, WHEN(has_fd)),
	ROW(prog_id, "prog_id", "id of the program that runs", .unit = FU_PROG, .plain = "prog_id %", .col = 2,
	    .flags = FIELD_DEFAULT, WHEN(has_prog)),
	ROW(type, "fd_type", "type of the event", .plain = "  %", .col = 2, .flags = FIELD_DEFAULT),
	AT(3, tracepoint, "tracepoint", "  %", "tracepoint it is attached to", .flags = FIELD_NONZERO),
	AT(4, func, "func", "  func %", "the function, in the kernel", .flags = FIELD_NONZERO),
	AT(6, filename, "filename", "  filename %", "the file that has the function", .also = "file",
	   .flags = FIELD_NONZERO | FIELD_ELSE),
	AT(7, offset, "offset", "  offset %", "offset in bytes, from the start of the function or file", .unit = FU_HEX,
	   .text = offset_text, WHEN(has_offset)),
	AT(7, addr, "addr", "  addr %", "address of the code", .unit = FU_ADDR, .text = addr_text, WHEN(has_addr)),
	AT(7, event, "perf_event", "  %", "perf event: its type, and its name or number in that type",
	   .flags = FIELD_NONZERO),
	AT(5, functions, "func_names", "  %", "functions of a link with several places", .flags = FIELD_NONZERO),
	ROW(where, "where", "place: tracepoint, function or place in a file, in one word", .role = ROLE_PLACE,
	    .flags = FIELD_NOPLAIN | FIELD_DEFAULT),
	MORE(comm, "comm", "command name of the process"),
	ROW(prog_name, "prog_name", "name of the program", .role = ROLE_NAME,
	    .flags = FIELD_NOPLAIN | FIELD_NONZERO | FIELD_DEFAULT, .need = NEED_PROG),
	MORE(prog_type, "prog_type", "type of the program", .need = NEED_PROG),
	ROW(link_id, "link_id", "id of the link that attaches it", .unit = FU_LINK, .plain = "link %: ", .col = 1,
	    .flags = FIELD_NONZERO | FIELD_ELSE),
	MORE(nevents, "event_cnt",
	     "perf events of the same process, program and place, such as one for each CPU, if there are several",
	     .title = "EVENTS"),
	MORE(cookie, "cookie", "value that the program reads with bpf_get_attach_cookie"),
	MORE(symbol, "symbol", "function, at the offset of the file, or at the address", .need = NEED_SYMBOLS),
};
const struct schema perf_schema = SCHEMA("perf", struct perf_rec, fields);
