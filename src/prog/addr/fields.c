/* SPDX-License-Identifier: BSD-2-Clause */
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

static const struct field addr_fields[] = {
	FIELD(addr_rec, asked, "asked", "the address or symbol as given", .flags = FIELD_DEFAULT | FIELD_ANSWER),
	FIELD_AS(addr_rec, address, FT_STR, "address", "address in memory", .flags = FIELD_INLINE | FIELD_NONZERO),
	FIELD_AS(addr_rec, kind, FT_ENUM, "kind",
		 "kind: code of a program, of the kernel, of a module, or none that is known", .role = ROLE_KIND,
		 .names = &kind_names, .flags = FIELD_DEFAULT),
	FIELD(addr_rec, prog_id, "prog_id", "id of the program", .unit = FU_PROG,
	      .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD(addr_rec, type, "type", "type of the program", .role = ROLE_KIND, .also = "prog_type",
	      .flags = FIELD_NONZERO),
	FIELD(addr_rec, name, "name", "name of the program or module", .role = ROLE_NAME, .flags = FIELD_NONZERO),
	FIELD_AS(addr_rec, tag, FT_BYTES, "tag",
		 "hash of the program's instructions, or of the function's, as in its symbol",
		 FIELD_WHEN(addr_rec, has_tag)),
	FIELD(addr_rec, func, "func", "the function", .role = ROLE_NAME, .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD_IF(addr_rec, offset, has_offset, "offset", "offset in bytes, in the function", .unit = FU_HEX,
		 .flags = FIELD_DEFAULT),
	FIELD(addr_rec, size, "size", "size in bytes, of the function's machine code", .unit = FU_SIZE,
	      .flags = FIELD_NONZERO),
	FIELD_IF(addr_rec, place, has_line, "src_place", "file, line and column", .title = "PLACE",
		 .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD_IF(addr_rec, src, has_line, "src", "source line", .role = ROLE_SOURCE,
		 .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD_IF(addr_rec, file, has_line, "file", "the file that has the source line", .flags = FIELD_NONZERO),
	FIELD_IF(addr_rec, line_num, has_line, "line_num", "number of the source line", .flags = FIELD_NONZERO),
	FIELD_IF(addr_rec, line_col, has_line, "line_col", "column in the source line", .flags = FIELD_NONZERO),
	FIELD_IF(addr_rec, insn, has_line, "insn", "instruction (the first one of that line)"),
	FIELD_IF(addr_rec, insns, has_line, "insns",
		 "number of instructions (of that line); if 1, insn is the one at the address"),
	FIELD_IF(addr_rec, insn_offset, has_disasm, "insn_offset",
		 "offset of the machine instruction that contains the address", .unit = FU_HEX, .need = NEED_DISASM),
	FIELD_AS(addr_rec, disasm, FT_STR, "disasm", "the instruction, if there is a disassembler", .need = NEED_DISASM,
		 FIELD_WHEN(addr_rec, has_disasm), .flags = FIELD_INLINE),
	FIELD_AS(addr_rec, frame, FT_ENUM, "frame",
		 "in a trace: the address itself, a return address, or maybe an old one", .names = &how_names,
		 FIELD_WHEN(addr_rec, has_frame)),
	FIELD(addr_rec, input_line, "input_line", "number of the line of the trace", .flags = FIELD_NONZERO),
	FIELD_AS(addr_rec, loaded_at, FT_TIME, "loaded_at", "when it was loaded, if several programs had the address",
		 FIELD_WHEN(addr_rec, has_loaded)),
	FIELD_AS(addr_rec, gone_at, FT_TIME, "gone_at",
		 "when it was unloaded, in a recording, if several programs had the address",
		 FIELD_WHEN(addr_rec, has_gone)),
};
const struct schema schema_addr = SCHEMA("addr", addr_rec, addr_fields);
