/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/btf.h>
#include "mkobj.h"
#include "values.h"

/* Maps without BTF. The sizes of keys and values are on both sides of each limit of the hex dump's layouts. */
static const struct plain {
	const char *name, *word;
	unsigned type, key, value, entries, flags, fill;
} plain[] = {
	{ "h_4_4", "hash", BPF_MAP_TYPE_HASH, 4, 4, 16, 0, 3 },
	{ "h_8_16", "hash", BPF_MAP_TYPE_HASH, 8, 16, 16, 0, 3 },
	{ "h_8_17", "hash", BPF_MAP_TYPE_HASH, 8, 17, 16, 0, 2 },
	{ "h_9_16", "hash", BPF_MAP_TYPE_HASH, 9, 16, 16, 0, 2 },
	{ "h_16_8", "hash", BPF_MAP_TYPE_HASH, 16, 8, 16, 0, 2 },
	{ "h_16_16", "hash", BPF_MAP_TYPE_HASH, 16, 16, 16, 0, 2 },
	{ "h_17_1", "hash", BPF_MAP_TYPE_HASH, 17, 1, 16, 0, 1 },
	{ "h_1_33", "hash", BPF_MAP_TYPE_HASH, 1, 33, 16, 0, 2 },
	{ "h_40_100", "hash", BPF_MAP_TYPE_HASH, 40, 100, 16, 0, 2 },
	{ "h_many", "hash", BPF_MAP_TYPE_HASH, 4, 8, 3000, BPF_F_NO_PREALLOC, 1500 },
	{ "h_none", "hash", BPF_MAP_TYPE_HASH, 4, 4, 16, 0, 0 },
	{ "lru_4_8", "lru_hash", BPF_MAP_TYPE_LRU_HASH, 4, 8, 64, 0, 5 },
	{ "arr_6", "array", BPF_MAP_TYPE_ARRAY, 4, 6, 4, 0, 4 },
	{ "arr_frozen", "array", BPF_MAP_TYPE_ARRAY, 4, 8, 2, BPF_F_RDONLY_PROG, 2 },
	{ "pcpu_arr_6", "percpu_array", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 6, 2, 0, 2 },
	{ "pcpu_h_20", "percpu_hash", BPF_MAP_TYPE_PERCPU_HASH, 4, 20, 8, 0, 2 },
	{ "pcpu_lru", "lru_percpu_hash", BPF_MAP_TYPE_LRU_PERCPU_HASH, 8, 8, 64, 0, 2 },
	{ "queue", "queue", BPF_MAP_TYPE_QUEUE, 0, 4, 4, 0, 0 },
	{ "stack", "stack", BPF_MAP_TYPE_STACK, 0, 4, 4, 0, 0 },
	{ "bloom", "bloom_filter", BPF_MAP_TYPE_BLOOM_FILTER, 0, 4, 4, 0, 0 },
	{ "ringbuf", "ringbuf", BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0, 0 },
	{ "user_ringbuf", "user_ringbuf", BPF_MAP_TYPE_USER_RINGBUF, 0, 0, 4096, 0, 0 },
	{ "perf_events", "perf_event_array", BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 2, 0, 0 },
	{ "progs", "prog_array", BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 4, 0, 0 },
	{ "traces", "stack_trace", BPF_MAP_TYPE_STACK_TRACE, 4, 127 * 8, 4, 0, 0 },
	{ "cgroups", "cgroup_array", BPF_MAP_TYPE_CGROUP_ARRAY, 4, 4, 2, 0, 0 },
	{ "lpm", "lpm_trie", BPF_MAP_TYPE_LPM_TRIE, 8, 4, 8, BPF_F_NO_PREALLOC, 0 },
	{ "devmap", "devmap", BPF_MAP_TYPE_DEVMAP, 4, 4, 4, 0, 0 },
	{ "devmap_hash", "devmap_hash", BPF_MAP_TYPE_DEVMAP_HASH, 4, 8, 4, 0, 0 },
	{ "cpumap", "cpumap", BPF_MAP_TYPE_CPUMAP, 4, 4, 2, 0, 0 },
	{ "xskmap", "xskmap", BPF_MAP_TYPE_XSKMAP, 4, 4, 2, 0, 0 },
	{ "sockmap", "sockmap", BPF_MAP_TYPE_SOCKMAP, 4, 4, 2, 0, 0 },
	{ "sockhash", "sockhash", BPF_MAP_TYPE_SOCKHASH, 4, 8, 2, 0, 0 },
	{ "reuseport", "reuseport_sockarray", BPF_MAP_TYPE_REUSEPORT_SOCKARRAY, 4, 8, 2, 0, 0 },
	{ "cg_storage", "cgroup_storage", BPF_MAP_TYPE_CGROUP_STORAGE, 8, 8, 0, 0, 0 },
	{ "pcpu_cg_stor", "percpu_cgroup_storage", BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE, 8, 8, 0, 0, 0 },
	{ "arena", "arena", TYPE_ARENA, 0, 0, 4, BPF_F_MMAPABLE, 0 },
	{ "insns", "insn_array", TYPE_INSN_ARRAY, 4, 16, 4, 0, 0 },
	{ "rhash", "rhash", TYPE_RHASH, 4, 8, 16, BPF_F_NO_PREALLOC, 3 },
};

static void fill(int fd, const struct plain *m)
{
	unsigned cpus = libbpf_num_possible_cpus(), stride = (m->value + 7) / 8 * 8;
	unsigned char key[64], *value = malloc(stride * cpus);

	for (unsigned i = 0; value && i < m->fill; i++) {
		memset(key, 0x30 + i, sizeof(key));
		if (m->key == 4)
			memcpy(key, &i, 4);
		for (unsigned j = 0; j < stride * cpus; j++)
			value[j] = 16 * i + j;
		bpf_map_update_elem(fd, key, value, BPF_ANY);
	}
	free(value);
}

/* Elements that are not bytes: programs, devices, a prefix, a cgroup, a value in a queue. */
static void fill_special(const struct place *p, int fd, const char *name)
{
	struct lpm_key prefix = { 24, { 10, 1, 2, 0 } };
	uint32_t one = 1, value = 0xa1b2c3d4;
	int ref = -1;

	if (!strcmp(name, "progs")) {
		ref = prog_fd("l_socket");
		bpf_map_update_elem(fd, &one, &ref, BPF_ANY);
	} else if (!strcmp(name, "devmap") || !strcmp(name, "devmap_hash")) {
		uint32_t dev[2] = { 1, 0 };

		bpf_map_update_elem(fd, &one, dev, BPF_ANY);
	} else if (!strcmp(name, "lpm")) {
		bpf_map_update_elem(fd, &prefix, &value, BPF_ANY);
	} else if (!strcmp(name, "cgroups") && p->cgroup >= 0) {
		bpf_map_update_elem(fd, &one, &p->cgroup, BPF_ANY);
	} else if (!strcmp(name, "queue") || !strcmp(name, "stack") || !strcmp(name, "bloom")) {
		bpf_map_update_elem(fd, NULL, &value, BPF_ANY);
	} else if (!strcmp(name, "arr_frozen")) {
		bpf_map_freeze(fd);
	}
}

static void fill_struct(int fd)
{
	for (int key = 1; key <= 3; key++) {
		struct value v;

		memset(&v, 0, sizeof(v));
		v.a = -key;
		memcpy(v.comm, "say \"hi\"", 9);
		v.raw[0] = 0xff;
		v.in.x = -5;
		v.in.flag = 5;
		v.in.rest = 17;
		v.col = key == 1 ? RED : key == 2 ? BLUE : (enum color)77;
		v.ptr = key == 1 ? NULL : (void *)0x4d2;
		v.ok = key & 1;
		v.c = 'A';
		v.us = 65535;
		v.sc = -3;
		v.wide = ((__int128)0x1122334455667788 << 64) | 0x99aabbccddeeff00ull;
		v.u1 = key == 3 ? 0x00313233 : -1;
		v.peers[1].port = 443;
		v.peers[1].addr[0] = 10;
		v.grid[1][2] = 6;
		v.neg = -1;
		v.pos = 0xfffffff;
		v.big = INT64_MIN;
		bpf_map_update_elem(fd, &key, &v, BPF_ANY);
	}
}

static void fill_typed(struct bpf_object *o)
{
	struct lpm_key prefix = { 16, { 192, 168, 0, 0 } };
	struct with_float f = { 1, 1.5f, -0.25, 2 };
	unsigned cpus = libbpf_num_possible_cpus();
	struct inner *per_cpu = calloc(cpus, sizeof(*per_cpu));
	uint32_t zero = 0, value = 7;
	int key = 2, inner = bpf_object__find_map_fd_by_name(o, "inner_two");
	enum color col = BLUE;
	uint64_t u = UINT64_MAX;

	fill_struct(bpf_object__find_map_fd_by_name(o, "ty_struct"));
	bpf_map_update_elem(bpf_object__find_map_fd_by_name(o, "ty_u64"), &key, &u, BPF_ANY);
	bpf_map_update_elem(bpf_object__find_map_fd_by_name(o, "ty_float"), &zero, &f, BPF_ANY);
	bpf_map_update_elem(bpf_object__find_map_fd_by_name(o, "ty_enum"), &key, &col, BPF_ANY);
	bpf_map_update_elem(bpf_object__find_map_fd_by_name(o, "ty_lpm"), &prefix, &value, BPF_ANY);
	bpf_map_update_elem(bpf_object__find_map_fd_by_name(o, "ty_hom"), &key, &inner, BPF_ANY);
	bpf_map_update_elem(inner, &key, &value, BPF_ANY);
	for (unsigned i = 0; per_cpu && i < cpus; i++) {
		per_cpu[i].x = i;
		per_cpu[i].flag = 1;
	}
	if (per_cpu)
		bpf_map_update_elem(bpf_object__find_map_fd_by_name(o, "ty_pcpu_hash"), &key, per_cpu, BPF_ANY);
	free(per_cpu);
}

/* Types that clang 14 does not emit: 64-bit enums, and names with bytes that must be escaped on a terminal and in JSON.
 */
static void make_enum64(void)
{
	struct btf *btf = btf__new_empty();
	int u32, e64, big, chars, rec;
	uint32_t key = 1;
	struct {
		uint64_t e, s;
		char text[8];
		uint32_t n, pad;
	} value = { 0x100000000ull, (uint64_t)-5, "a\"\\\n\x01z", 9, 0 };

	if (!btf)
		return;
	u32 = btf__add_int(btf, "unsigned int", 4, 0);
	e64 = btf__add_enum64(btf, "big64", 8, false);
	btf__add_enum64_value(btf, "SMALL", 1);
	btf__add_enum64_value(btf, "BIG", 0x100000000ull);
	big = btf__add_enum64(btf, "sig64", 8, true);
	btf__add_enum64_value(btf, "MINUS", (uint64_t)-5);
	int c = btf__add_int(btf, "char", 1, BTF_INT_CHAR);
	chars = btf__add_array(btf, u32, c, 8);
	rec = btf__add_struct(btf, "rec64", sizeof(value));
	btf__add_field(btf, "e", e64, 0, 0);
	btf__add_field(btf, "s", big, 64, 0);
	btf__add_field(btf, "text", chars, 128, 0);
	btf__add_field(btf, "n", u32, 192, 0);
	if (btf__load_into_kernel(btf)) {
		fact("map", "ty_enum64", -errno, "x");
		return;
	}
	LIBBPF_OPTS(bpf_map_create_opts, opts, .btf_fd = btf__fd(btf), .btf_key_type_id = u32,
		    .btf_value_type_id = rec);
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "ty_enum64", 4, sizeof(value), 4, &opts);

	if (fact("map", "ty_enum64", fd, "type=hash") >= 0)
		bpf_map_update_elem(fd, &key, &value, BPF_ANY);
}

static const char *const map_words[] = {
	[BPF_MAP_TYPE_HASH] = "hash",
	[BPF_MAP_TYPE_ARRAY] = "array",
	[BPF_MAP_TYPE_PERCPU_HASH] = "percpu_hash",
	[BPF_MAP_TYPE_PERCPU_ARRAY] = "percpu_array",
	[BPF_MAP_TYPE_LRU_HASH] = "lru_hash",
	[BPF_MAP_TYPE_LPM_TRIE] = "lpm_trie",
	[BPF_MAP_TYPE_ARRAY_OF_MAPS] = "array_of_maps",
	[BPF_MAP_TYPE_HASH_OF_MAPS] = "hash_of_maps",
	[BPF_MAP_TYPE_TASK_STORAGE] = "task_storage",
	[BPF_MAP_TYPE_SK_STORAGE] = "sk_storage",
	[BPF_MAP_TYPE_INODE_STORAGE] = "inode_storage",
};

/* A map type that this kernel lacks does not stop the others. */
static void leave_out_unknown(struct bpf_object *o)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, o)
		if (!libbpf_probe_bpf_map_type(bpf_map__type(map), NULL))
			bpf_map__set_autocreate(map, false);
}

void make_maps(const struct place *p)
{
	char path[512];
	struct bpf_object *o;
	struct bpf_map *map;

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		const struct plain *m = &plain[i];
		LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = m->flags);
		int fd = bpf_map_create(m->type, m->name, m->key, m->value, m->entries, &opts);

		if (fact("map", m->name, fd, "type=%s key=%u value=%u entries=%u", m->word, m->key, m->value,
			 m->entries) < 0)
			continue;
		fill(fd, m);
		fill_special(p, fd, m->name);
		if (!strcmp(m->name, "h_4_4"))
			pin_fact(p, "map", "h_4_4", fd);
	}
	make_enum64();
	snprintf(path, sizeof(path), "%s/maps.bpf.o", p->objects);
	o = bpf_object__open_file(path, NULL);
	if (o)
		leave_out_unknown(o);
	if (!o || bpf_object__load(o)) {
		fact("map", "maps.bpf.o", -errno, "x");
		return;
	}
	bpf_object__for_each_map(map, o) {
		unsigned type = bpf_map__type(map);

		if (!bpf_map__autocreate(map))
			fprintf(stderr, "skip map %s: this kernel has no such type\n", bpf_map__name(map));
		else
			fact("map", bpf_map__name(map), bpf_map__fd(map), "type=%s",
			     map_words[type] ? map_words[type] : "?");
	}
	fact("prog", "keeps_maps", bpf_program__fd(bpf_object__next_program(o, NULL)),
	     "type=socket_filter metadata=version,num");
	fill_typed(o);
	pin_fact(p, "map", "ty_struct", bpf_object__find_map_fd_by_name(o, "ty_struct"));
	pin_fact(p, "prog", "keeps_maps", bpf_program__fd(bpf_object__next_program(o, NULL)));
}
