/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/names.h"
#include "prog/addr/addr.h"
#include "prog/addr/trace.h"
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
	ROW(asked, "asked", "the address or symbol as given", .flags = FIELD_DEFAULT),
	FIELD_AS(struct addr_rec, address, FT_STR, "address", "address in memory",
		 .flags = FIELD_INLINE | FIELD_NONZERO),
	FIELD_AS(struct addr_rec, kind, FT_ENUM, "kind",
		 "kind: code of a program, of the kernel, of a module, or none that is known", .role = ROLE_KIND,
		 .names = &kind_names, .flags = FIELD_DEFAULT),
	ROW(prog_id, "prog_id", "id of the program", .unit = FU_PROG, .flags = FIELD_DEFAULT | FIELD_NONZERO),
	ROW(type, "type", "type of the program", .role = ROLE_KIND, .also = "prog_type", .flags = FIELD_NONZERO),
	ROW(name, "name", "name of the program or module", .role = ROLE_NAME, .flags = FIELD_NONZERO),
	FIELD_AS(struct addr_rec, tag, FT_BYTES, "tag",
		 "hash of the program's instructions, or of the function's, as in its symbol", WHEN(has_tag)),
	ROW(func, "func", "the function", .role = ROLE_NAME, .flags = FIELD_DEFAULT | FIELD_NONZERO),
	ROW(offset, "offset", "offset in bytes, in the function", .unit = FU_HEX, WHEN(has_offset),
	    .flags = FIELD_DEFAULT),
	ROW(size, "size", "size in bytes, of the function's machine code", .unit = FU_SIZE, .flags = FIELD_NONZERO),
	ROW(place, "src_place", "file, line and column", .title = "PLACE", WHEN(has_line),
	    .flags = FIELD_DEFAULT | FIELD_NONZERO),
	ROW(src, "src", "source line", .role = ROLE_SOURCE, WHEN(has_line), .flags = FIELD_DEFAULT | FIELD_NONZERO),
	ROW(file, "file", "the file that has the source line", WHEN(has_line), .flags = FIELD_NONZERO),
	ROW(line_num, "line_num", "number of the source line", WHEN(has_line), .flags = FIELD_NONZERO),
	ROW(line_col, "line_col", "column in the source line", WHEN(has_line), .flags = FIELD_NONZERO),
	ROW(insn, "insn", "instruction (the first one of that line)", WHEN(has_line)),
	ROW(insns, "insns", "number of instructions (of that line); if 1, insn is the one at the address",
	    WHEN(has_line)),
	ROW(insn_offset, "insn_offset", "offset of the machine instruction that contains the address", .unit = FU_HEX,
	    .need = NEED_DISASM, WHEN(has_disasm)),
	FIELD_AS(struct addr_rec, disasm, FT_STR, "disasm", "the instruction, if there is a disassembler",
		 .need = NEED_DISASM, WHEN(has_disasm), .flags = FIELD_INLINE),
	FIELD_AS(struct addr_rec, frame, FT_ENUM, "frame",
		 "in a trace: the address itself, a return address, or maybe an old one", .names = &how_names,
		 WHEN(has_frame)),
	ROW(input_line, "input_line", "number of the line of the trace", .flags = FIELD_NONZERO),
	FIELD_AS(struct addr_rec, loaded_at, FT_TIME, "loaded_at",
		 "when it was loaded, if several programs had the address", WHEN(has_loaded)),
	FIELD_AS(struct addr_rec, gone_at, FT_TIME, "gone_at",
		 "when it was unloaded, in a recording, if several programs had the address", WHEN(has_gone)),
};
const struct schema schema_addr = SCHEMA("addr", struct addr_rec, addr_fields);
