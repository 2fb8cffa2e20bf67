/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/prog.h"
#include "kernel/names.h"

static const struct field metadata_fields[] = {
	FIELD(prog_metadata, name, "name", "variable, without its prefix bpf_metadata_", .role = ROLE_NAME),
	FIELD_AS(prog_metadata, value, FT_JSON, "value", "value of the variable"),
};
static const struct schema schema_metadata = SCHEMA("prog_metadata", prog_metadata, metadata_fields);

/* Lines of the plain block. */
enum { L_HEAD, L_LOAD, L_SIZE, L_PINS, L_BTF, L_PIDS, L_METADATA, L_VERIFIED, L_WHERE };

static const struct field fields[] = {
	FIELD(prog_rec, info.id, "id", "id of the program", .also = "prog_id", .unit = FU_PROG,
	      .plain = "%:", .line = L_HEAD, .col = 0, .flags = FIELD_DEFAULT | FIELD_KEY),
	FIELD(prog_rec, type, "type", "type of the program", .among = &names_prog_type, .role = ROLE_KIND,
	      .also = "prog_type", .plain = " %", .line = L_HEAD, .col = 1, .flags = FIELD_DEFAULT),
	FIELD(prog_rec, name, "name", "name of the program, in full if it has BTF", .role = ROLE_NAME,
	      .also = "prog_name", .plain = "  name %", .line = L_HEAD, .col = 2,
	      .flags = FIELD_DEFAULT | FIELD_NONZERO, .need = NEED_BTF),
	FIELD_AS(prog_rec, info.tag, FT_BYTES, "tag", "hash of the program's instructions", .plain = "  tag %",
		 .line = L_HEAD, .col = 3),
	FIELD(prog_rec, gpl_compatible, "gpl_compatible", "whether it may call helpers that are only for GPL programs",
	      .plain = "  gpl|", .line = L_HEAD, .col = 5),
	FIELD_RUN_TIME(prog_rec, info.run_time_ns, .plain = " run_time_ns %", .line = L_HEAD, .col = 6,
		       .flags = FIELD_PLAIN_NZ, FIELD_WHEN(prog_rec, has_stats), .need = NEED_STATS),
	FIELD_RUN_CNT(prog_rec, info.run_cnt, .plain = " run_cnt %", .line = L_HEAD, .col = 7, .flags = FIELD_PLAIN_NZ,
		      FIELD_WHEN(prog_rec, has_stats), .need = NEED_STATS),
	FIELD_RECURSION_MISSES(prog_rec, info.recursion_misses, .plain = " recursion_misses %", .line = L_HEAD,
			       .col = 8, .flags = FIELD_NONZERO),
	FIELD_DEV(prog_rec, offload, .line = L_HEAD, .col = 4),
	FIELD_OBJECT_OWNER(prog_rec, owners, .line = L_PIDS, .col = 1, .flags = FIELD_DEFAULT),
	FIELD_AS(prog_rec, loaded_at, FT_TIME, "loaded_at", "when it was loaded", .plain = "loaded_at %",
		 .line = L_LOAD, .col = 0, FIELD_WHEN(prog_rec, has_time), .flags = FIELD_DEFAULT | FIELD_SHORT,
		 .drop = 1),
	FIELD_IF(prog_rec, info.created_by_uid, has_load, "uid", "user who loaded it", .plain = "  uid %",
		 .line = L_LOAD, .col = 1),
	FIELD_IF(prog_rec, loader, has_loader, "loaded_by", "command that loaded it, in a recording",
		 .role = ROLE_OWNER, .plain = "  by %", .line = L_LOAD, .col = 2, .flags = FIELD_OURS),
	FIELD_IF(prog_rec, loader_pid, has_loader_pid, "loaded_by_pid", "process that loaded it, in a recording",
		 .unit = FU_PID, .plain = "(%)", .line = L_LOAD, .col = 3, .flags = FIELD_OURS),
	FIELD_AS(prog_rec, gone_at, FT_TIME, "gone_at", "when it was unloaded, in a recording; ? if not known",
		 .plain = "  gone_at %", .line = L_LOAD, .col = 4, FIELD_WHEN(prog_rec, has_gone), .flags = FIELD_OURS),
	FIELD(prog_rec, orphaned, "orphaned", "its offload device was removed", .plain = "  orphaned|", .line = L_SIZE,
	      .col = 4),
	FIELD_IF(prog_rec, info.xlated_prog_len, has_code, "bytes_xlated", "size of the instructions", .unit = FU_SIZE,
		 .plain = "xlated %B", .line = L_SIZE, .col = 0, .flags = FIELD_DEFAULT | FIELD_CODE, .drop = 5),
	FIELD_IF(prog_rec, jited, has_code, "jited", "compiled to machine code", .plain = "|  not jited",
		 .line = L_SIZE, .col = 1),
	FIELD_IF(prog_rec, info.jited_prog_len, has_jited, "bytes_jited", "size of the program's machine code",
		 .unit = FU_SIZE, .plain = "  jited %B", .line = L_SIZE, .col = 2, .flags = FIELD_DEFAULT | FIELD_CODE,
		 .drop = 4),
	FIELD_IF(prog_rec, memlock, has_memlock, "bytes_memlock", "memory that it is charged for", .unit = FU_SIZE,
		 .plain = "  memlock %B", .line = L_SIZE, .col = 3, .need = NEED_FDINFO),
	FIELD_LIST(prog_rec, map_ids, nmap_ids, FT_UINT, "map_ids", "maps that it uses", .unit = FU_MAP,
		   .plain = "  map_ids %", .line = L_SIZE, .col = 5, .flags = FIELD_NONZERO | FIELD_DEFAULT, .drop = 2,
		   .need = NEED_USED, FIELD_WHEN(prog_rec, has_map_ids)),
	FIELD(prog_rec, info.btf_id, "btf_id", "id of the BTF object that has its types", .unit = FU_BTF,
	      .plain = "btf_id %", .line = L_BTF, .flags = FIELD_NONZERO),
	FIELD_PINNED(prog_rec, owners, .line = L_PINS),
	FIELD_PIDS(prog_rec, owners, .line = L_PIDS),
	FIELD_ROWS(prog_rec, metadata, nmetadata, &schema_metadata, "metadata",
		   "variables bpf_metadata_* of its object file", .plain = "metadata:", .line = L_METADATA,
		   .flags = FIELD_NONZERO | FIELD_KEYED, FIELD_WHEN(prog_rec, has_metadata), .need = NEED_MAPS),
	FIELD(prog_rec, info.verified_insns, "verified_insns", "instructions that the verifier processed",
	      .line = L_VERIFIED, .col = 0, .flags = FIELD_NONZERO | FIELD_CODE | FIELD_OURS),
	FIELD(prog_rec, info.nr_jited_func_lens, "functions", "functions in its machine code", .line = L_VERIFIED,
	      .col = 1, .flags = FIELD_NONZERO | FIELD_CODE | FIELD_OURS),
	FIELD_IF(prog_rec, attach_to, has_target, "attach_target",
		 "function, tracepoint or struct that it was loaded for", .line = L_VERIFIED, .col = 2,
		 .flags = FIELD_NONZERO | FIELD_OURS, .need = NEED_TARGET),
	FIELD(prog_rec, info.attach_btf_obj_id, "attach_btf_obj_id", "BTF object of that function", .unit = FU_BTF,
	      .flags = FIELD_NONZERO | FIELD_NOPLAIN),
	FIELD(prog_rec, info.attach_btf_id, "attach_btf_id", "type of that function in the BTF object",
	      .flags = FIELD_NONZERO | FIELD_NOPLAIN | FIELD_OTHERWISE),
	FIELD_IF(prog_rec, where, has_where, "where", "place, or several separated by commas, in the words of ls",
		 .role = ROLE_PLACE, .need = NEED_JOIN, .line = L_WHERE),
	FIELD_PLACES(prog_rec, owners.places, .line = L_PIDS),
};

const struct schema schema_prog =
	SCHEMA("prog", prog_rec, fields, .info_off = offsetof(struct prog_rec, info),
	       .info_size = sizeof(struct abi_prog_info), .info_len = offsetof(struct prog_rec, info_len));
