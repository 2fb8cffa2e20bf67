/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#define REC struct map_rec
#define WHEN(m) .when = offsetof(REC, m)
/* Lines of the plain block; those up to L_PIDS are bpftool's. */
enum { L_HEAD, L_SIZE, L_OWNER, L_PINS, L_BTF, L_PIDS, L_NAME, L_TYPES, L_RING, L_FILL };

static const struct field fields[] = {
	FIELD(REC, info.id, "id", "number of the map", .unit = FU_MAP, .plain = "%:", .line = L_HEAD, .col = 0,
	      .flags = FIELD_DEFAULT),
	FIELD(REC, type, "type", "map type", .plain = " %", .line = L_HEAD, .col = 1, .flags = FIELD_DEFAULT),
	FIELD(REC, name, "name", "name, cut by the kernel at 15 characters", .plain = "  name %", .line = L_HEAD, .col = 2,
	      .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD(REC, info.map_flags, "flags", "flags it was created with", .unit = FU_HEX, .plain = "  flags %",
	      .line = L_HEAD, .col = 3),
	FIELD_DEV(REC, offload, .line = L_HEAD, .col = 4),
	FIELD(REC, info.key_size, "bytes_key", "size of a key", .unit = FU_SIZE, .title = "KEY", .plain = "key %B",
	      .line = L_SIZE, .col = 0, .flags = FIELD_DEFAULT, .drop = 1),
	FIELD(REC, info.value_size, "bytes_value", "size of a value", .unit = FU_SIZE, .title = "VALUE",
	      .plain = "  value %B", .line = L_SIZE, .col = 1, .flags = FIELD_DEFAULT, .drop = 2),
	FIELD(REC, info.max_entries, "max_entries", "room for so many elements", .plain = "  max_entries %",
	      .line = L_SIZE, .col = 2, .flags = FIELD_DEFAULT),
	FIELD(REC, entries, "entries", "elements that are in it; an array always has all of them",
	      .plain = "entries %", .line = L_FILL, WHEN(has_entries), .need = NEED_COUNT),
	FIELD(REC, fill, "fill", "how full it is, in percent of max_entries", .title = "FILL%", .unit = FU_PERCENT,
	      .plain = "  fill % percent", .line = L_FILL, .col = 1, WHEN(has_fill), .need = NEED_COUNT),
	FIELD(REC, memlock, "bytes_memlock", "memory that it is charged for", .unit = FU_SIZE, .title = "MEMLOCK",
	      .plain = "  memlock %B", .line = L_SIZE, .col = 3, WHEN(has_memlock), .need = NEED_FDINFO,
	      .flags = FIELD_DEFAULT, .drop = 3),
	FIELD(REC, owner_prog_type, "owner_prog_type", "type of the programs in it", .plain = "owner_prog_type %  ",
	      .line = L_OWNER, .col = 0, WHEN(has_owner), .need = NEED_FDINFO),
	FIELD(REC, owner_jited, "owner_jited", "whether the programs in it are compiled",
	      .plain = "owner jited|owner not jited", .line = L_OWNER, .col = 1, WHEN(has_owner), .need = NEED_FDINFO),
	FIELD(REC, frozen, "frozen", "1 if user space can change it no more", .plain = "  frozen",
	      .line = L_BTF, .col = 1, WHEN(has_frozen), .need = NEED_FDINFO),
	FIELD(REC, info.btf_id, "btf_id", "its type information", .unit = FU_BTF, .plain = "btf_id %", .line = L_BTF,
	      .col = 0, .flags = FIELD_NONZERO),
	FIELD_PINNED(REC, common, .line = L_PINS),
	FIELD_PIDS(REC, common, .line = L_PIDS),
	FIELD(REC, full_name, "full_name", "name of the variable that it was made from, where that is longer",
	      .line = L_NAME, .flags = FIELD_NONZERO, .need = NEED_BTF),
	FIELD(REC, info.map_extra, "map_extra", "a setting of its type: hash functions of a bloom filter, address of an arena",
	      .unit = FU_HEX, .line = L_NAME, .col = 1, .flags = FIELD_NONZERO),
	FIELD(REC, key_type, "key_type", "C type of the keys", .line = L_TYPES, .flags = FIELD_NONZERO, .need = NEED_BTF),
	FIELD(REC, value_type, "value_type", "C type of the values", .line = L_TYPES, .col = 1, .flags = FIELD_NONZERO,
	      .need = NEED_BTF),
	FIELD(REC, pending, "bytes_pending", "bytes in a ring buffer that wait for its consumer", .unit = FU_SIZE,
	      .title = "PENDING", .plain = "pending %B", .line = L_RING, WHEN(has_ring), .need = NEED_RING),
	FIELD(REC, consumer_pos, "consumer_pos", "bytes that the consumer of a ring buffer has taken so far", .unit = FU_COUNTER,
	      .line = L_RING, .col = 1, WHEN(has_ring), .need = NEED_RING),
	FIELD(REC, producer_pos, "producer_pos", "bytes that were put into a ring buffer so far", .unit = FU_COUNTER,
	      .line = L_RING, .col = 2, WHEN(has_ring), .need = NEED_RING),
	FIELD(REC, info.btf_key_type_id, "btf_key_type_id", "type of the keys in its type information",
	      .flags = FIELD_NONZERO | FIELD_NOPLAIN),
	FIELD(REC, info.btf_value_type_id, "btf_value_type_id", "type of the values in its type information",
	      .flags = FIELD_NONZERO | FIELD_NOPLAIN),
	FIELD(REC, info.btf_vmlinux_value_type_id, "btf_vmlinux_value_type_id", "type of the values in the kernel's",
	      .flags = FIELD_NONZERO | FIELD_NOPLAIN),
	FIELD_PLACES(REC, common.places, .line = L_PIDS),
};

const struct schema schema_map = SCHEMA("map", REC, fields, .info_off = offsetof(REC, info), .info_size = sizeof(struct abi_map_info),
	.info_len = offsetof(REC, info_len));
