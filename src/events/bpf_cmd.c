/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/bpf_cmd.h"

#include "base/base.h"
#include "kernel/names.h"
#include "kernel/object.h"

/* Up to Linux 7.2 (include/uapi/linux/bpf.h). The members of link_create that depend on the attach type are not here.
 */
/* clang-format off */
const struct attr_command attr_commands[] = {
	{ "map_create", "create", OBJECT_MAP, true, 4, {
		{ "map_type", 0, 4, ATTR_MAP_TYPE }, { "key_size", 4, 4, ATTR_NUMBER }, { "value_size", 8, 4, ATTR_NUMBER },
		{ "max_entries", 12, 4, ATTR_NUMBER }, { "map_flags", 16, 4, ATTR_FLAGS }, { "inner_map_fd", 20, 4, ATTR_FD },
		{ "numa_node", 24, 4, ATTR_NUMBER }, { "map_name", 28, 16, ATTR_NAME }, { "map_ifindex", 44, 4, ATTR_NUMBER },
		{ "btf_fd", 48, 4, ATTR_FD }, { "btf_key_type_id", 52, 4, ATTR_NUMBER },
		{ "btf_value_type_id", 56, 4, ATTR_NUMBER }, { "btf_vmlinux_value_type_id", 60, 4, ATTR_NUMBER },
		{ "map_extra", 64, 8, ATTR_FLAGS }, { "value_type_btf_obj_fd", 72, 4, ATTR_FD },
		{ "map_token_fd", 76, 4, ATTR_FD }, { "excl_prog_hash", 80, 8, ATTR_POINTER },
		{ "excl_prog_hash_size", 88, 4, ATTR_NUMBER },
	} },
	{ "map_lookup_elem", NULL, 0, false, 3, {
		{ "map_fd", 0, 4, ATTR_FD }, { "key", 8, 8, ATTR_POINTER }, { "value", 16, 8, ATTR_POINTER },
		{ "flags", 24, 8, ATTR_FLAGS },
	} },
	{ "map_update_elem", NULL, 0, false, 3, {
		{ "map_fd", 0, 4, ATTR_FD }, { "key", 8, 8, ATTR_POINTER }, { "value", 16, 8, ATTR_POINTER },
		{ "flags", 24, 8, ATTR_FLAGS },
	} },
	{ "map_delete_elem", NULL, 0, false, 2, {
		{ "map_fd", 0, 4, ATTR_FD }, { "key", 8, 8, ATTR_POINTER },
	} },
	{ "map_get_next_key", NULL, 0, false, 3, {
		{ "map_fd", 0, 4, ATTR_FD }, { "key", 8, 8, ATTR_POINTER }, { "next_key", 16, 8, ATTR_POINTER },
	} },
	{ "prog_load", NULL, 0, true, 3, {
		{ "prog_type", 0, 4, ATTR_PROG_TYPE }, { "insn_cnt", 4, 4, ATTR_NUMBER }, { "insns", 8, 8, ATTR_POINTER },
		{ "license", 16, 8, ATTR_TEXT }, { "log_level", 24, 4, ATTR_NUMBER }, { "log_size", 28, 4, ATTR_NUMBER },
		{ "log_buf", 32, 8, ATTR_POINTER }, { "kern_version", 40, 4, ATTR_FLAGS }, { "prog_flags", 44, 4, ATTR_FLAGS },
		{ "prog_name", 48, 16, ATTR_NAME }, { "prog_ifindex", 64, 4, ATTR_NUMBER },
		{ "expected_attach_type", 68, 4, ATTR_ATTACH_TYPE }, { "prog_btf_fd", 72, 4, ATTR_FD },
		{ "func_info_rec_size", 76, 4, ATTR_NUMBER }, { "func_info", 80, 8, ATTR_POINTER },
		{ "func_info_cnt", 88, 4, ATTR_NUMBER }, { "line_info_rec_size", 92, 4, ATTR_NUMBER },
		{ "line_info", 96, 8, ATTR_POINTER }, { "line_info_cnt", 104, 4, ATTR_NUMBER },
		{ "attach_btf_id", 108, 4, ATTR_NUMBER }, { "attach_prog_fd", 112, 4, ATTR_FD },
		{ "core_relo_cnt", 116, 4, ATTR_NUMBER }, { "fd_array", 120, 8, ATTR_POINTER },
		{ "core_relos", 128, 8, ATTR_POINTER }, { "core_relo_rec_size", 136, 4, ATTR_NUMBER },
		{ "log_true_size", 140, 4, ATTR_NUMBER }, { "prog_token_fd", 144, 4, ATTR_FD },
		{ "fd_array_cnt", 148, 4, ATTR_NUMBER }, { "signature", 152, 8, ATTR_POINTER },
		{ "signature_size", 160, 4, ATTR_NUMBER }, { "keyring_id", 164, 4, ATTR_NUMBER },
	} },
	{ "obj_pin", NULL, 0, false, 2, {
		{ "pathname", 0, 8, ATTR_TEXT }, { "bpf_fd", 8, 4, ATTR_FD }, { "file_flags", 12, 4, ATTR_FLAGS },
		{ "path_fd", 16, 4, ATTR_NUMBER },
	} },
	{ "obj_get", NULL, 0, true, 1, {
		{ "pathname", 0, 8, ATTR_TEXT }, { "bpf_fd", 8, 4, ATTR_FD }, { "file_flags", 12, 4, ATTR_FLAGS },
		{ "path_fd", 16, 4, ATTR_NUMBER },
	} },
	{ "prog_attach", "attach", OBJECT_PROG, false, 3, {
		{ "target_fd", 0, 4, ATTR_NUMBER }, { "attach_bpf_fd", 4, 4, ATTR_FD }, { "attach_type", 8, 4, ATTR_ATTACH_TYPE },
		{ "attach_flags", 12, 4, ATTR_FLAGS }, { "replace_bpf_fd", 16, 4, ATTR_FD }, { "relative_fd", 20, 4, ATTR_NUMBER },
		{ "expected_revision", 24, 8, ATTR_NUMBER },
	} },
	{ "prog_detach", "detach", OBJECT_PROG, false, 3, {
		{ "target_fd", 0, 4, ATTR_NUMBER }, { "attach_bpf_fd", 4, 4, ATTR_FD }, { "attach_type", 8, 4, ATTR_ATTACH_TYPE },
		{ "attach_flags", 12, 4, ATTR_FLAGS }, { "replace_bpf_fd", 16, 4, ATTR_FD }, { "relative_fd", 20, 4, ATTR_NUMBER },
		{ "expected_revision", 24, 8, ATTR_NUMBER },
	} },
	{ "prog_test_run", NULL, 0, false, 1, {
		{ "prog_fd", 0, 4, ATTR_FD }, { "retval", 4, 4, ATTR_NUMBER }, { "data_size_in", 8, 4, ATTR_NUMBER },
		{ "data_size_out", 12, 4, ATTR_NUMBER }, { "data_in", 16, 8, ATTR_POINTER }, { "data_out", 24, 8, ATTR_POINTER },
		{ "repeat", 32, 4, ATTR_NUMBER }, { "duration", 36, 4, ATTR_NUMBER }, { "ctx_size_in", 40, 4, ATTR_NUMBER },
		{ "ctx_size_out", 44, 4, ATTR_NUMBER }, { "ctx_in", 48, 8, ATTR_POINTER }, { "ctx_out", 56, 8, ATTR_POINTER },
		{ "flags", 64, 4, ATTR_FLAGS }, { "cpu", 68, 4, ATTR_NUMBER }, { "batch_size", 72, 4, ATTR_NUMBER },
	} },
	{ "prog_get_next_id", NULL, 0, false, 2, {
		{ "start_id", 0, 4, ATTR_NUMBER }, { "next_id", 4, 4, ATTR_NUMBER },
	} },
	{ "map_get_next_id", NULL, 0, false, 2, {
		{ "start_id", 0, 4, ATTR_NUMBER }, { "next_id", 4, 4, ATTR_NUMBER },
	} },
	{ "prog_get_fd_by_id", NULL, 0, true, 1, {
		{ "prog_id", 0, 4, ATTR_NUMBER }, { "open_flags", 8, 4, ATTR_FLAGS }, { "fd_by_id_token_fd", 12, 4, ATTR_FD },
	} },
	{ "map_get_fd_by_id", NULL, 0, true, 1, {
		{ "map_id", 0, 4, ATTR_NUMBER }, { "open_flags", 8, 4, ATTR_FLAGS }, { "fd_by_id_token_fd", 12, 4, ATTR_FD },
	} },
	{ "obj_get_info_by_fd", NULL, 0, false, 3, {
		{ "bpf_fd", 0, 4, ATTR_FD }, { "info_len", 4, 4, ATTR_NUMBER }, { "info", 8, 8, ATTR_POINTER },
	} },
	{ "prog_query", NULL, 0, false, 2, {
		{ "target_fd", 0, 4, ATTR_NUMBER }, { "attach_type", 4, 4, ATTR_ATTACH_TYPE }, { "query_flags", 8, 4, ATTR_FLAGS },
		{ "attach_flags", 12, 4, ATTR_FLAGS }, { "prog_ids", 16, 8, ATTR_POINTER }, { "prog_cnt", 24, 4, ATTR_NUMBER },
		{ "prog_attach_flags", 32, 8, ATTR_POINTER }, { "link_ids", 40, 8, ATTR_POINTER },
		{ "link_attach_flags", 48, 8, ATTR_POINTER }, { "revision", 56, 8, ATTR_NUMBER },
	} },
	{ "raw_tracepoint_open", "create", OBJECT_LINK, true, 2, {
		{ "name", 0, 8, ATTR_TEXT }, { "prog_fd", 8, 4, ATTR_FD }, { "cookie", 16, 8, ATTR_FLAGS },
	} },
	{ "btf_load", "load", OBJECT_BTF, true, 1, {
		{ "btf", 0, 8, ATTR_POINTER }, { "btf_log_buf", 8, 8, ATTR_POINTER }, { "btf_size", 16, 4, ATTR_NUMBER },
		{ "btf_log_size", 20, 4, ATTR_NUMBER }, { "btf_log_level", 24, 4, ATTR_NUMBER },
		{ "btf_log_true_size", 28, 4, ATTR_NUMBER }, { "btf_flags", 32, 4, ATTR_FLAGS },
		{ "btf_token_fd", 36, 4, ATTR_FD },
	} },
	{ "btf_get_fd_by_id", NULL, 0, true, 1, {
		{ "btf_id", 0, 4, ATTR_NUMBER }, { "open_flags", 8, 4, ATTR_FLAGS }, { "fd_by_id_token_fd", 12, 4, ATTR_FD },
	} },
	{ "task_fd_query", NULL, 0, false, 2, {
		{ "pid", 0, 4, ATTR_NUMBER }, { "fd", 4, 4, ATTR_NUMBER }, { "flags", 8, 4, ATTR_FLAGS },
		{ "buf_len", 12, 4, ATTR_NUMBER }, { "buf", 16, 8, ATTR_POINTER }, { "prog_id", 24, 4, ATTR_NUMBER },
		{ "fd_type", 28, 4, ATTR_NUMBER }, { "probe_offset", 32, 8, ATTR_NUMBER }, { "probe_addr", 40, 8, ATTR_POINTER },
	} },
	{ "map_lookup_and_delete_elem", NULL, 0, false, 3, {
		{ "map_fd", 0, 4, ATTR_FD }, { "key", 8, 8, ATTR_POINTER }, { "value", 16, 8, ATTR_POINTER },
		{ "flags", 24, 8, ATTR_FLAGS },
	} },
	{ "map_freeze", "freeze", OBJECT_MAP, false, 1, {
		{ "map_fd", 0, 4, ATTR_FD },
	} },
	{ "btf_get_next_id", NULL, 0, false, 2, {
		{ "start_id", 0, 4, ATTR_NUMBER }, { "next_id", 4, 4, ATTR_NUMBER },
	} },
	{ "map_lookup_batch", NULL, 0, false, 6, {
		{ "in_batch", 0, 8, ATTR_POINTER }, { "out_batch", 8, 8, ATTR_POINTER }, { "keys", 16, 8, ATTR_POINTER },
		{ "values", 24, 8, ATTR_POINTER }, { "count", 32, 4, ATTR_NUMBER }, { "map_fd", 36, 4, ATTR_FD },
		{ "elem_flags", 40, 8, ATTR_FLAGS }, { "flags", 48, 8, ATTR_FLAGS },
	} },
	{ "map_lookup_and_delete_batch", NULL, 0, false, 6, {
		{ "in_batch", 0, 8, ATTR_POINTER }, { "out_batch", 8, 8, ATTR_POINTER }, { "keys", 16, 8, ATTR_POINTER },
		{ "values", 24, 8, ATTR_POINTER }, { "count", 32, 4, ATTR_NUMBER }, { "map_fd", 36, 4, ATTR_FD },
		{ "elem_flags", 40, 8, ATTR_FLAGS }, { "flags", 48, 8, ATTR_FLAGS },
	} },
	{ "map_update_batch", NULL, 0, false, 6, {
		{ "in_batch", 0, 8, ATTR_POINTER }, { "out_batch", 8, 8, ATTR_POINTER }, { "keys", 16, 8, ATTR_POINTER },
		{ "values", 24, 8, ATTR_POINTER }, { "count", 32, 4, ATTR_NUMBER }, { "map_fd", 36, 4, ATTR_FD },
		{ "elem_flags", 40, 8, ATTR_FLAGS }, { "flags", 48, 8, ATTR_FLAGS },
	} },
	{ "map_delete_batch", NULL, 0, false, 6, {
		{ "in_batch", 0, 8, ATTR_POINTER }, { "out_batch", 8, 8, ATTR_POINTER }, { "keys", 16, 8, ATTR_POINTER },
		{ "values", 24, 8, ATTR_POINTER }, { "count", 32, 4, ATTR_NUMBER }, { "map_fd", 36, 4, ATTR_FD },
		{ "elem_flags", 40, 8, ATTR_FLAGS }, { "flags", 48, 8, ATTR_FLAGS },
	} },
	{ "link_create", "create", OBJECT_LINK, true, 3, {
		{ "prog_fd", 0, 4, ATTR_FD }, { "target_fd", 4, 4, ATTR_NUMBER }, { "attach_type", 8, 4, ATTR_ATTACH_TYPE },
		{ "flags", 12, 4, ATTR_FLAGS },
	} },
	{ "link_update", "update", OBJECT_LINK, false, 2, {
		{ "link_fd", 0, 4, ATTR_FD }, { "new_prog_fd", 4, 4, ATTR_FD }, { "flags", 8, 4, ATTR_FLAGS },
		{ "old_prog_fd", 12, 4, ATTR_FD },
	} },
	{ "link_get_fd_by_id", NULL, 0, true, 1, {
		{ "link_id", 0, 4, ATTR_NUMBER }, { "open_flags", 8, 4, ATTR_FLAGS }, { "fd_by_id_token_fd", 12, 4, ATTR_FD },
	} },
	{ "link_get_next_id", NULL, 0, false, 2, {
		{ "start_id", 0, 4, ATTR_NUMBER }, { "next_id", 4, 4, ATTR_NUMBER },
	} },
	{ "enable_stats", NULL, 0, true, 1, {
		{ "type", 0, 4, ATTR_NUMBER },
	} },
	{ "iter_create", NULL, 0, true, 1, {
		{ "link_fd", 0, 4, ATTR_FD }, { "flags", 4, 4, ATTR_FLAGS },
	} },
	{ "link_detach", "detach", OBJECT_LINK, false, 1, {
		{ "link_fd", 0, 4, ATTR_FD },
	} },
	{ "prog_bind_map", NULL, 0, false, 2, {
		{ "prog_fd", 0, 4, ATTR_FD }, { "map_fd", 4, 4, ATTR_FD }, { "flags", 8, 4, ATTR_FLAGS },
	} },
	{ "token_create", NULL, 0, true, 2, {
		{ "flags", 0, 4, ATTR_FLAGS }, { "bpffs_fd", 4, 4, ATTR_NUMBER },
	} },
	{ "prog_stream_read_by_fd", NULL, 0, false, 4, {
		{ "stream_buf", 0, 8, ATTR_POINTER }, { "stream_buf_len", 8, 4, ATTR_NUMBER }, { "stream_id", 12, 4, ATTR_NUMBER },
		{ "prog_fd", 16, 4, ATTR_FD },
	} },
	{ "prog_assoc_struct_ops", NULL, 0, false, 2, {
		{ "map_fd", 0, 4, ATTR_FD }, { "prog_fd", 4, 4, ATTR_FD }, { "flags", 8, 4, ATTR_FLAGS },
	} },
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
