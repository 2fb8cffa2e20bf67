/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/names.h"
#include "prog/addr.h"
#include "prog/trace.h"
#include "record/field.h"

static const char *const kind_words[] = {
	[ADDR_PROG] = "prog",
	[ADDR_KERNEL] = "kernel",
	[ADDR_MODULE] = "module",
	[ADDR_NONE] = "none",
};
static const struct names kind_names = NAMES(kind_words);
static const char *const how_words[] = { [TRACE_PC] = "pc", [TRACE_RETURN] = "return", [TRACE_MAYBE] = "maybe" };
static const struct names how_names = NAMES(how_words);

#define ROW(m, name, help, ...) FIELD(struct addr_rec, m, name, help, ##__VA_ARGS__)
#define WHEN(m) .when = offsetof(struct addr_rec, m)
static const struct field addr_fields[] = {
	ROW(asked, "asked", "the address or symbol as it was given", .flags = FIELD_DEFAULT),
	FIELD_AS(struct addr_rec, address, FT_STR, "address", "where it is in memory",
		 .flags = FIELD_INLINE | FIELD_NONZERO),
	FIELD_AS(struct addr_rec, kind, FT_ENUM, "kind",
		 "a program's code, the kernel's, a module's, or none that is known", .role = ROLE_KIND,
		 .names = &kind_names, .flags = FIELD_DEFAULT),
	ROW(prog_id, "prog_id", "number of the program", .unit = FU_PROG, .flags = FIELD_DEFAULT | FIELD_NONZERO),
	ROW(type, "type", "type of the program", .role = ROLE_KIND, .also = "prog_type", .flags = FIELD_NONZERO),
	ROW(name, "name", "name of the program or module", .role = ROLE_NAME, .flags = FIELD_NONZERO),
	FIELD_AS(struct addr_rec, tag, FT_BYTES, "tag", "hash of the function's instructions, as in its symbol",
		 WHEN(has_tag)),
	ROW(func, "func", "the function", .role = ROLE_NAME, .flags = FIELD_DEFAULT | FIELD_NONZERO),
	ROW(offset, "offset", "bytes from the start of the function", .unit = FU_HEX, WHEN(has_offset),
	    .flags = FIELD_DEFAULT),
	ROW(size, "size", "bytes of machine code that the function has", .unit = FU_SIZE, .flags = FIELD_NONZERO),
	ROW(place, "src_place", "file, line and column", .title = "PLACE", WHEN(has_line),
	    .flags = FIELD_DEFAULT | FIELD_NONZERO),
	ROW(src, "src", "the line of source", .role = ROLE_SOURCE, WHEN(has_line),
	    .flags = FIELD_DEFAULT | FIELD_NONZERO),
	ROW(file, "file", "file of the source", WHEN(has_line), .flags = FIELD_NONZERO),
	ROW(line_num, "line_num", "line in the file", WHEN(has_line), .flags = FIELD_NONZERO),
	ROW(line_col, "line_col", "column in the line", WHEN(has_line), .flags = FIELD_NONZERO),
	ROW(insn, "insn", "first BPF instruction of that line", WHEN(has_line)),
	ROW(insns, "insns", "how many BPF instructions it is; with 1 the first is the one", WHEN(has_line)),
	ROW(insn_offset, "insn_offset", "where the machine instruction begins that holds it", .unit = FU_HEX,
	    .need = NEED_DISASM, WHEN(has_disasm)),
	FIELD_AS(struct addr_rec, disasm, FT_STR, "disasm", "that instruction, where there is a disassembler",
		 .need = NEED_DISASM, WHEN(has_disasm), .flags = FIELD_INLINE),
	FIELD_AS(struct addr_rec, frame, FT_ENUM, "frame",
		 "in a trace: the place itself, a return address, or maybe an old one", .names = &how_names,
		 WHEN(has_frame)),
	ROW(input_line, "input_line", "line of the trace", .flags = FIELD_NONZERO),
	FIELD_AS(struct addr_rec, loaded_at, FT_TIME, "loaded_at", "when it was loaded, where several held the address",
		 WHEN(has_loaded)),
	FIELD_AS(struct addr_rec, gone_at, FT_TIME, "gone_at", "of a recording: when it was gone, likewise",
		 WHEN(has_gone)),
};
const struct schema schema_addr = SCHEMA("addr", struct addr_rec, addr_fields);
