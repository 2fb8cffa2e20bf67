/* SPDX-License-Identifier: BSD-2-Clause */
#include "perf/perf.h"
#include "perf/read.h"
#include "record/field.h"

/* Fields that bpftool does not print: only in columns and JSON. */
#define PERF_FIELD_MORE(m, name, help, ...) \
	FIELD(perf_rec, m, name, help, .flags = FIELD_NOPLAIN | FIELD_NONZERO, ##__VA_ARGS__)
/* The attach point: text after the type. */
#define PERF_FIELD_AT(n, m, name, text, help, ...) \
	FIELD(perf_rec, m, name, help, .plain = text, .col = n, ##__VA_ARGS__)

/* bpftool prints offsets in decimal. */
static size_t offset_text(const void *rec, char *buf, size_t size)
{
	const struct perf_rec *r = rec;

	return r->has_offset == AVAIL_YES ? str_snprintf(buf, size, "%" PRIu64, r->offset) : 0;
}

static size_t addr_text(const void *rec, char *buf, size_t size)
{
	const struct perf_rec *r = rec;

	return r->has_addr == AVAIL_YES ? str_snprintf(buf, size, "%" PRIu64, r->addr) : 0;
}

static const struct field fields[] = {
	FIELD_IF(perf_rec, pid, has_pid, "pid",
		 "process that holds the descriptor, or the link if there is no descriptor", .unit = FU_PID,
		 .plain = "pid %  ", .flags = FIELD_DEFAULT),
	FIELD_IF(perf_rec, fd, has_fd, "fd", "the descriptor", .plain = "fd %: ", .col = 1, .flags = FIELD_DEFAULT,
		 .drop = 1),
	FIELD_IF(perf_rec, prog_id, has_prog, "prog_id", "id of the program that runs", .unit = FU_PROG,
		 .plain = "prog_id %", .col = 2, .flags = FIELD_DEFAULT),
	FIELD(perf_rec, type, "fd_type", "type of the event", .role = ROLE_KIND, .plain = "  %", .col = 2,
	      .flags = FIELD_DEFAULT),
	PERF_FIELD_AT(3, tracepoint, "tracepoint", "  %", "tracepoint it is attached to", .flags = FIELD_NONZERO),
	PERF_FIELD_AT(4, func, "func", "  func %", "the function, in the kernel", .flags = FIELD_NONZERO),
	PERF_FIELD_AT(6, filename, "filename", "  filename %", "the file that has the function", .also = "file",
		      .flags = FIELD_NONZERO | FIELD_ELSE),
	PERF_FIELD_AT(7, offset, "offset", "  offset %", "offset in bytes, from the start of the function or file",
		      .unit = FU_HEX, .text = offset_text, FIELD_WHEN(perf_rec, has_offset)),
	PERF_FIELD_AT(7, addr, "addr", "  addr %", "address of the code", .unit = FU_ADDR, .text = addr_text,
		      FIELD_WHEN(perf_rec, has_addr)),
	PERF_FIELD_AT(7, event, "perf_event", "  %", "perf event: its type, and its name or number in that type",
		      .flags = FIELD_NONZERO),
	PERF_FIELD_AT(5, functions, "func_names", "  %", "functions of a link with several places",
		      .flags = FIELD_NONZERO),
	FIELD(perf_rec, where, "where", "place: tracepoint, function or place in a file, in one word",
	      .role = ROLE_PLACE, .flags = FIELD_NOPLAIN | FIELD_DEFAULT),
	PERF_FIELD_MORE(comm, "comm", "command name of the process"),
	FIELD(perf_rec, prog_name, "prog_name", "name of the program", .role = ROLE_NAME,
	      .flags = FIELD_NOPLAIN | FIELD_NONZERO | FIELD_DEFAULT, .need = NEED_PROG),
	PERF_FIELD_MORE(prog_type, "prog_type", "type of the program", .need = NEED_PROG),
	FIELD(perf_rec, link_id, "link_id", "id of the link that attaches it", .unit = FU_LINK,
	      .plain = "link %: ", .col = 1, .flags = FIELD_NONZERO | FIELD_ELSE),
	PERF_FIELD_MORE(
		nevents, "event_cnt",
		"perf events of the same process, program and place, such as one for each CPU, if there are several",
		.title = "EVENTS"),
	PERF_FIELD_MORE(cookie, "cookie", "value that the program reads with bpf_get_attach_cookie"),
	PERF_FIELD_MORE(symbol, "symbol", "function, at the offset of the file, or at the address",
			.need = NEED_SYMBOLS),
};
const struct schema perf_schema = SCHEMA("perf", perf_rec, fields);
