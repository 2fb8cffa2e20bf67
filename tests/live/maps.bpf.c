/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps with BTF, of every type that libbpf can declare; mkobj loads and fills them. */
#include "types.bpf.h"
#include "values.h"

#define MAP(name, t, n, k, v, ...) \
	struct { \
		__uint(type, t); \
		__uint(max_entries, n); \
		__type(key, k); \
		__type(value, v); \
		__VA_ARGS__ \
	} name SEC(".maps")
#define STORAGE(name, t, v) \
	struct { \
		__uint(type, t); \
		__uint(map_flags, F_NO_PREALLOC); \
		__type(key, int); \
		__type(value, v); \
	} name SEC(".maps")

typedef int myint;
MAP(ty_struct, MAP_HASH, 64, int, struct value, );
MAP(ty_u64, MAP_ARRAY, 3, __u32, __u64, );
MAP(ty_pcpu_array, MAP_PERCPU_ARRAY, 2, int, long, );
MAP(ty_pcpu_hash, MAP_PERCPU_HASH, 4, int, struct inner, );
MAP(ty_enum, MAP_LRU_HASH, 8, myint, enum color, );
MAP(ty_lpm, MAP_LPM_TRIE, 8, struct lpm_key, __u32, __uint(map_flags, F_NO_PREALLOC););
MAP(ty_float, MAP_ARRAY, 1, __u32, struct with_float, );
MAP(ty_empty, MAP_HASH, 4, int, struct inner, );
STORAGE(ty_task, MAP_TASK_STORAGE, int);
STORAGE(ty_sk, MAP_SK_STORAGE, struct inner);
STORAGE(ty_inode, MAP_INODE_STORAGE, __u64);

struct inner_map {
	__uint(type, MAP_HASH);
	__uint(max_entries, 10);
	__type(key, int);
	__type(value, int);
} inner_one SEC(".maps"), inner_two SEC(".maps");
struct {
	__uint(type, MAP_ARRAY_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, int);
	__array(values, struct inner_map);
} ty_aom SEC(".maps") = { .values = { [1] = &inner_one } };
struct {
	__uint(type, MAP_HASH_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, int);
	__array(values, struct inner_map);
} ty_hom SEC(".maps");

/* .data, .bss and .rodata */
int counter = 3;
static int hidden = 4;
long in_bss;
struct value initial = { .a = -7, .comm = "initial", .col = BLUE };
const volatile int limit = 5;
const char bpf_metadata_version[] SEC(".rodata") = "v1.2.3";
const int bpf_metadata_num SEC(".rodata") = 42;

static __noinline int scale(int x)
{
	volatile int y = x * 3;

	return y + hidden;
}

SEC("socket") int keeps_maps(void *ctx)
{
	int zero = 0;
	struct value *v = bpf_map_lookup_elem(&ty_struct, &zero);

	if (v)
		counter += v->a;
	hidden += limit + bpf_metadata_num + bpf_metadata_version[0];
	in_bss += initial.a;
	bpf_map_lookup_elem(&ty_u64, &zero);
	bpf_map_lookup_elem(&ty_pcpu_array, &zero);
	if (bpf_ktime_get_ns() & 1)
		return scale(counter);
	return 0;
}
