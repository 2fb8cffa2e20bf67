/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/prog.h"

static const struct field metadata_fields[] = {
	FIELD(struct prog_metadata, name, "name", "variable, without its prefix bpf_metadata_", .role = ROLE_NAME),
	FIELD_AS(struct prog_metadata, value, FT_JSON, "value", "value of the variable"),
};
static const struct schema schema_metadata = SCHEMA("prog_metadata", struct prog_metadata, metadata_fields);

#define REC struct prog_rec
#define WHEN(m) .when = offsetof(REC, m)
/* Lines of the plain block. */
enum { L_HEAD, L_LOAD, L_SIZE, L_PINS, L_BTF, L_PIDS, L_METADATA, L_VERIFIED, L_WHERE };

static const struct field fields[] = {
	FIELD(REC, info.id, "id", "id of the program", .also = "prog_id", .unit = FU_PROG,
	      .plain = "%:", .line = L_HEAD, .col = 0, .flags = FIELD_DEFAULT),
	FIELD(REC, type, "type", "type of the program", .role = ROLE_KIND, .also = "prog_type", .plain = " %",
	      .line = L_HEAD, .col = 1, .flags = FIELD_DEFAULT),
	FIELD(REC, name, "name", "name of the program, in full if it has BTF", .role = ROLE_NAME, .also = "prog_name",
	      .plain = "  name %", .line = L_HEAD, .col = 2, .flags = FIELD_DEFAULT | FIELD_NONZERO, .need = NEED_BTF),
	FIELD_AS(REC, info.tag, FT_BYTES, "tag", "hash of the program's instructions", .plain = "  tag %",
		 .line = L_HEAD, .col = 3),
	FIELD(REC, gpl_compatible, "gpl_compatible", "whether it may call helpers that are only for GPL programs",
	      .plain = "  gpl|", .line = L_HEAD, .col = 5),
	FIELD_RUN_TIME(REC, info.run_time_ns, .plain = " run_time_ns %", .line = L_HEAD, .col = 6,
		       .flags = FIELD_PLAIN_NZ, WHEN(has_stats), .need = NEED_STATS),
	FIELD_RUN_CNT(REC, info.run_cnt, .plain = " run_cnt %", .line = L_HEAD, .col = 7, .flags = FIELD_PLAIN_NZ,
		      WHEN(has_stats), .need = NEED_STATS),
	FIELD_RECURSION_MISSES(REC, info.recursion_misses, .plain = " recursion_misses %", .line = L_HEAD, .col = 8,
			       .flags = FIELD_NONZERO),
	FIELD_DEV(REC, offload, .line = L_HEAD, .col = 4),
	FIELD_OBJECT_OWNER(REC, owners, .line = L_PIDS, .col = 1, .flags = FIELD_DEFAULT),
	FIELD_AS(REC, loaded_at, FT_TIME, "loaded_at", "when it was loaded", .plain = "loaded_at %", .line = L_LOAD,
		 .col = 0, WHEN(has_time), .flags = FIELD_DEFAULT | FIELD_SHORT, .drop = 1),
	FIELD(REC, info.created_by_uid, "uid", "user who loaded it", .plain = "  uid %", .line = L_LOAD, .col = 1,
	      WHEN(has_load)),
	FIELD(REC, loader, "loaded_by", "command that loaded it, in a recording", .plain = "  by %", .line = L_LOAD,
	      .col = 2, WHEN(has_loader), .flags = FIELD_OURS),
	FIELD(REC, loader_pid, "loaded_by_pid", "process that loaded it, in a recording", .unit = FU_PID,
	      .plain = "(%)", .line = L_LOAD, .col = 3, WHEN(has_loader_pid), .flags = FIELD_OURS),
	FIELD_AS(REC, gone_at, FT_TIME, "gone_at", "when it was unloaded, in a recording; ? if not known",
		 .plain = "  gone_at %", .line = L_LOAD, .col = 4, WHEN(has_gone), .flags = FIELD_OURS),
	FIELD(REC, orphaned, "orphaned", "its offload device was removed", .plain = "  orphaned|", .line = L_SIZE,
	      .col = 4),
	FIELD(REC, info.xlated_prog_len, "bytes_xlated", "size of the instructions", .unit = FU_SIZE,
	      .plain = "xlated %B", .line = L_SIZE, .col = 0, WHEN(has_code), .flags = FIELD_DEFAULT | FIELD_CODE,
	      .drop = 5),
	FIELD(REC, jited, "jited", "compiled to machine code", .plain = "|  not jited", .line = L_SIZE, .col = 1,
	      WHEN(has_code)),
	FIELD(REC, info.jited_prog_len, "bytes_jited", "size of the program's machine code", .unit = FU_SIZE,
	      .plain = "  jited %B", .line = L_SIZE, .col = 2, WHEN(has_jited), .flags = FIELD_DEFAULT | FIELD_CODE,
	      .drop = 4),
	FIELD(REC, memlock, "bytes_memlock", "memory that it is charged for", .unit = FU_SIZE, .plain = "  memlock %B",
	      .line = L_SIZE, .col = 3, WHEN(has_memlock), .need = NEED_FDINFO),
	FIELD_LIST(REC, map_ids, nmap_ids, FT_UINT, "map_ids", "maps that it uses", .unit = FU_MAP,
		   .plain = "  map_ids %", .line = L_SIZE, .col = 5, .flags = FIELD_NONZERO | FIELD_DEFAULT, .drop = 2,
		   .when = offsetof(REC, has_map_ids)),
	FIELD(REC, info.btf_id, "btf_id", "id of the BTF object that has its types", .unit = FU_BTF,
	      .plain = "btf_id %", .line = L_BTF, .flags = FIELD_NONZERO),
	FIELD_PINNED(REC, owners, .line = L_PINS),
	FIELD_PIDS(REC, owners, .line = L_PIDS),
	FIELD_ROWS(REC, metadata, nmetadata, &schema_metadata, "metadata",
		   "variables bpf_metadata_* of its object file", .plain = "metadata:", .line = L_METADATA,
		   .flags = FIELD_NONZERO | FIELD_KEYED, WHEN(has_metadata), .need = NEED_MAPS),
	FIELD(REC, info.verified_insns, "verified_insns", "instructions that the verifier processed",
	      .line = L_VERIFIED, .col = 0, .flags = FIELD_NONZERO | FIELD_CODE | FIELD_OURS),
	FIELD(REC, info.nr_jited_func_lens, "functions", "functions in its machine code", .line = L_VERIFIED, .col = 1,
	      .flags = FIELD_NONZERO | FIELD_CODE | FIELD_OURS),
	FIELD(REC, attach_to, "attach_target", "function, tracepoint or struct that it was loaded for",
	      .line = L_VERIFIED, .col = 2, .flags = FIELD_NONZERO | FIELD_OURS, WHEN(has_target), .need = NEED_TARGET),
	FIELD(REC, info.attach_btf_obj_id, "attach_btf_obj_id", "BTF object of that function", .unit = FU_BTF,
	      .flags = FIELD_NONZERO | FIELD_NOPLAIN),
	FIELD(REC, info.attach_btf_id, "attach_btf_id", "type of that function in the BTF object",
	      .flags = FIELD_NONZERO | FIELD_NOPLAIN | FIELD_OTHERWISE),
	FIELD(REC, where, "where", "place, or several separated by commas, in the words of ls", .role = ROLE_PLACE,
	      .need = NEED_JOIN, WHEN(has_where), .line = L_WHERE),
	FIELD_PLACES(REC, owners.places, .line = L_PIDS),
};

const struct schema schema_prog =
	SCHEMA("prog", REC, fields, .info_off = offsetof(REC, info), .info_size = sizeof(struct abi_prog_info),
	       .info_len = offsetof(REC, info_len));
