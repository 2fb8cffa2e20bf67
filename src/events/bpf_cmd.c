/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/bpf_cmd.h"

#include "kernel/names.h"
#include "kernel/object.h"

/* Up to Linux 7.2 (include/uapi/linux/bpf.h). The members of link_create that depend on the attach type are not here.
 */
/* clang-format off */
#define MEMBERS(...) (const struct attr_member[]){ __VA_ARGS__, { NULL } }
#define ELEM_MEMBERS(shape) \
	MEMBERS({ "map_fd", 0, ATTR_FD }, { "key", 8, ATTR_KEY }, { "value", 16, shape }, { "flags", 24, ATTR_FLAGS, 8 })
static const struct attr_member path_members[] = {
	{ "pathname", 0, ATTR_TEXT }, { "bpf_fd", 8, ATTR_FD }, { "file_flags", 12, ATTR_FLAGS }, { "path_fd", 16 },
	{ NULL },
};
static const struct attr_member attach_members[] = {
	{ "target_fd", 0 }, { "attach_bpf_fd", 4, ATTR_FD }, { "attach_type", 8, ATTR_ATTACH_TYPE },
	{ "attach_flags", 12, ATTR_FLAGS }, { "replace_bpf_fd", 16, ATTR_FD }, { "relative_fd", 20 },
	{ "expected_revision", 24, ATTR_NUMBER, 8 }, { NULL },
};
static const struct attr_member next_id_members[] = {
	{ "start_id", 0 }, { "next_id", 4 }, { NULL },
};
static const struct attr_member batch_members[] = {
	{ "in_batch", 0, ATTR_POINTER }, { "out_batch", 8, ATTR_POINTER }, { "keys", 16, ATTR_POINTER },
	{ "values", 24, ATTR_POINTER }, { "count", 32, ATTR_COUNT }, { "map_fd", 36, ATTR_FD },
	{ "elem_flags", 40, ATTR_FLAGS, 8 }, { "flags", 48, ATTR_FLAGS, 8 }, { NULL },
};
const struct attr_command attr_commands[] = {
	{ "map_create", "create", OBJECT_MAP, true, 4, MEMBERS(
		{ "map_type", 0, ATTR_MAP_TYPE }, { "key_size", 4 }, { "value_size", 8 }, { "max_entries", 12 },
		{ "map_flags", 16, ATTR_FLAGS }, { "inner_map_fd", 20, ATTR_FD }, { "numa_node", 24 },
		{ "map_name", 28, ATTR_NAME, 16 }, { "map_ifindex", 44 }, { "btf_fd", 48, ATTR_FD },
		{ "btf_key_type_id", 52 }, { "btf_value_type_id", 56 }, { "btf_vmlinux_value_type_id", 60 },
		{ "map_extra", 64, ATTR_FLAGS, 8 }, { "value_type_btf_obj_fd", 72, ATTR_FD },
		{ "map_token_fd", 76, ATTR_FD }, { "excl_prog_hash", 80, ATTR_POINTER }, { "excl_prog_hash_size", 88 }
	) },
	{ "map_lookup_elem", NULL, 0, false, 3, ELEM_MEMBERS(ATTR_ANSWER) },
	{ "map_update_elem", NULL, 0, false, 3, ELEM_MEMBERS(ATTR_VALUE) },
	{ "map_delete_elem", NULL, 0, false, 2, MEMBERS({ "map_fd", 0, ATTR_FD }, { "key", 8, ATTR_KEY }) },
	{ "map_get_next_key", NULL, 0, false, 3, MEMBERS(
		{ "map_fd", 0, ATTR_FD }, { "key", 8, ATTR_KEY }, { "next_key", 16, ATTR_NEXT_KEY }
	) },
	{ "prog_load", NULL, 0, true, 3, MEMBERS(
		{ "prog_type", 0, ATTR_PROG_TYPE }, { "insn_cnt", 4 }, { "insns", 8, ATTR_POINTER },
		{ "license", 16, ATTR_TEXT }, { "log_level", 24 }, { "log_size", 28 }, { "log_buf", 32, ATTR_POINTER },
		{ "kern_version", 40, ATTR_FLAGS }, { "prog_flags", 44, ATTR_FLAGS },
		{ "prog_name", 48, ATTR_NAME, 16 }, { "prog_ifindex", 64 },
		{ "expected_attach_type", 68, ATTR_ATTACH_TYPE }, { "prog_btf_fd", 72, ATTR_FD },
		{ "func_info_rec_size", 76 }, { "func_info", 80, ATTR_POINTER }, { "func_info_cnt", 88 },
		{ "line_info_rec_size", 92 }, { "line_info", 96, ATTR_POINTER }, { "line_info_cnt", 104 },
		{ "attach_btf_id", 108 }, { "attach_prog_fd", 112, ATTR_FD }, { "core_relo_cnt", 116 },
		{ "fd_array", 120, ATTR_POINTER }, { "core_relos", 128, ATTR_POINTER }, { "core_relo_rec_size", 136 },
		{ "log_true_size", 140 }, { "prog_token_fd", 144, ATTR_FD }, { "fd_array_cnt", 148 },
		{ "signature", 152, ATTR_POINTER }, { "signature_size", 160 }, { "keyring_id", 164 }
	) },
	{ "obj_pin", NULL, 0, false, 2, path_members },
	{ "obj_get", NULL, 0, true, 1, path_members },
	{ "prog_attach", "attach", OBJECT_PROG, false, 3, attach_members },
	{ "prog_detach", "detach", OBJECT_PROG, false, 3, attach_members },
	{ "prog_test_run", NULL, 0, false, 1, MEMBERS(
		{ "prog_fd", 0, ATTR_FD }, { "retval", 4 }, { "data_size_in", 8 }, { "data_size_out", 12 },
		{ "data_in", 16, ATTR_POINTER }, { "data_out", 24, ATTR_POINTER }, { "repeat", 32 },
		{ "duration", 36 }, { "ctx_size_in", 40 }, { "ctx_size_out", 44 }, { "ctx_in", 48, ATTR_POINTER },
		{ "ctx_out", 56, ATTR_POINTER }, { "flags", 64, ATTR_FLAGS }, { "cpu", 68 }, { "batch_size", 72 }
	) },
	{ "prog_get_next_id", NULL, 0, false, 2, next_id_members },
	{ "map_get_next_id", NULL, 0, false, 2, next_id_members },
	{ "prog_get_fd_by_id", NULL, 0, true, 1, MEMBERS(
		{ "prog_id", 0 }, { "open_flags", 8, ATTR_FLAGS }, { "fd_by_id_token_fd", 12, ATTR_FD }
	) },
	{ "map_get_fd_by_id", NULL, 0, true, 1, MEMBERS(
		{ "map_id", 0, ATTR_MAP_ID }, { "open_flags", 8, ATTR_FLAGS }, { "fd_by_id_token_fd", 12, ATTR_FD }
	) },
	{ "obj_get_info_by_fd", NULL, 0, false, 3, MEMBERS(
		{ "bpf_fd", 0, ATTR_FD }, { "info_len", 4 }, { "info", 8, ATTR_POINTER }
	) },
	{ "prog_query", NULL, 0, false, 2, MEMBERS(
		{ "target_fd", 0 }, { "attach_type", 4, ATTR_ATTACH_TYPE }, { "query_flags", 8, ATTR_FLAGS },
		{ "attach_flags", 12, ATTR_FLAGS }, { "prog_ids", 16, ATTR_POINTER }, { "prog_cnt", 24 },
		{ "prog_attach_flags", 32, ATTR_POINTER }, { "link_ids", 40, ATTR_POINTER },
		{ "link_attach_flags", 48, ATTR_POINTER }, { "revision", 56, ATTR_NUMBER, 8 }
	) },
	{ "raw_tracepoint_open", "create", OBJECT_LINK, true, 2, MEMBERS(
		{ "name", 0, ATTR_TEXT }, { "prog_fd", 8, ATTR_FD }, { "cookie", 16, ATTR_FLAGS, 8 }
	) },
	{ "btf_load", "load", OBJECT_BTF, true, 1, MEMBERS(
		{ "btf", 0, ATTR_POINTER }, { "btf_log_buf", 8, ATTR_POINTER }, { "btf_size", 16 },
		{ "btf_log_size", 20 }, { "btf_log_level", 24 }, { "btf_log_true_size", 28 },
		{ "btf_flags", 32, ATTR_FLAGS }, { "btf_token_fd", 36, ATTR_FD }
	) },
	{ "btf_get_fd_by_id", NULL, 0, true, 1, MEMBERS(
		{ "btf_id", 0 }, { "open_flags", 8, ATTR_FLAGS }, { "fd_by_id_token_fd", 12, ATTR_FD }
	) },
	{ "task_fd_query", NULL, 0, false, 2, MEMBERS(
		{ "pid", 0 }, { "fd", 4 }, { "flags", 8, ATTR_FLAGS }, { "buf_len", 12 }, { "buf", 16, ATTR_POINTER },
		{ "prog_id", 24 }, { "fd_type", 28 }, { "probe_offset", 32, ATTR_NUMBER, 8 },
		{ "probe_addr", 40, ATTR_POINTER }
	) },
	{ "map_lookup_and_delete_elem", NULL, 0, false, 3, ELEM_MEMBERS(ATTR_ANSWER) },
	{ "map_freeze", "freeze", OBJECT_MAP, false, 1, MEMBERS({ "map_fd", 0, ATTR_FD }) },
	{ "btf_get_next_id", NULL, 0, false, 2, next_id_members },
	{ "map_lookup_batch", NULL, 0, false, 6, batch_members },
	{ "map_lookup_and_delete_batch", NULL, 0, false, 6, batch_members },
	{ "map_update_batch", NULL, 0, false, 6, batch_members },
	{ "map_delete_batch", NULL, 0, false, 6, batch_members },
	{ "link_create", "create", OBJECT_LINK, true, 3, MEMBERS(
		{ "prog_fd", 0, ATTR_FD }, { "target_fd", 4 }, { "attach_type", 8, ATTR_ATTACH_TYPE },
		{ "flags", 12, ATTR_FLAGS }
	) },
	{ "link_update", "update", OBJECT_LINK, false, 2, MEMBERS(
		{ "link_fd", 0, ATTR_FD }, { "new_prog_fd", 4, ATTR_FD }, { "flags", 8, ATTR_FLAGS },
		{ "old_prog_fd", 12, ATTR_FD }
	) },
	{ "link_get_fd_by_id", NULL, 0, true, 1, MEMBERS(
		{ "link_id", 0 }, { "open_flags", 8, ATTR_FLAGS }, { "fd_by_id_token_fd", 12, ATTR_FD }
	) },
	{ "link_get_next_id", NULL, 0, false, 2, next_id_members },
	{ "enable_stats", NULL, 0, true, 1, MEMBERS({ "type", 0 }) },
	{ "iter_create", NULL, 0, true, 1, MEMBERS({ "link_fd", 0, ATTR_FD }, { "flags", 4, ATTR_FLAGS }) },
	{ "link_detach", "detach", OBJECT_LINK, false, 1, MEMBERS({ "link_fd", 0, ATTR_FD }) },
	{ "prog_bind_map", NULL, 0, false, 2, MEMBERS(
		{ "prog_fd", 0, ATTR_FD }, { "map_fd", 4, ATTR_FD }, { "flags", 8, ATTR_FLAGS }
	) },
	{ "token_create", NULL, 0, true, 2, MEMBERS({ "flags", 0, ATTR_FLAGS }, { "bpffs_fd", 4 }) },
	{ "prog_stream_read_by_fd", NULL, 0, false, 4, MEMBERS(
		{ "stream_buf", 0, ATTR_POINTER }, { "stream_buf_len", 8 }, { "stream_id", 12 },
		{ "prog_fd", 16, ATTR_FD }
	) },
	{ "prog_assoc_struct_ops", NULL, 0, false, 2, MEMBERS(
		{ "map_fd", 0, ATTR_FD }, { "prog_fd", 4, ATTR_FD }, { "flags", 8, ATTR_FLAGS }
	) },
};
/* clang-format on */
const unsigned attr_ncommands = ARRAY_SIZE(attr_commands);

const struct name_table names_bpf_cmd = {
	.what = "cmd",
	.btf_enum = "bpf_cmd",
	.prefix = "BPF_",
	.word = &attr_commands[0].word,
	.n = ARRAY_SIZE(attr_commands),
	.stride = sizeof(attr_commands[0]),
};
