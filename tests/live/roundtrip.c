/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

/*
 * Pairs of maps of the same form, for an export of the first and an import into the second: every type of map that
 * accepts values from user space, with values of every kind of BTF. Prints "pair NAME FIRST SECOND VALUES" for each,
 * "ready", and then for each line on standard input "same NAME" or "differ NAME WHY" for each pair, and "done".
 */
enum { PAIRS = 64, SCALARS = 1400, ZOO = 512 };

static struct pair {
	char name[32];
	int fd[2];
	uint32_t key, value, cpus, id[2];
} pairs[PAIRS];
static unsigned npairs;
static struct btf *btf;

static uint64_t rnd(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x * 0x2545f4914f6cdd1dull;
}

static void rnd_bytes(void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((unsigned char *)p)[i] = (unsigned char)(rnd() >> 32);
}

/* A struct with members at the offsets that a compiler chooses; sane: values as a program would write them. */
enum sane { ANY, BOOL, TEXT, FLOAT, DOUBLE, SMALL };
static struct member {
	uint32_t off, size;
	enum sane sane;
} members[ZOO];
static uint32_t nmembers, at;

static void member(const char *name, int type, uint32_t size, uint32_t align, enum sane sane)
{
	at = (at + align - 1) / align * align;
	btf__add_field(btf, name, type, at * 8, 0);
	members[nmembers++] = (struct member){ at, size, sane };
	at += size;
}

/* All bits of an int32: signed, unsigned, an enum's. */
static void bit_fields(int s32, int u32, int word)
{
	at = (at + 3) / 4 * 4;
	btf__add_field(btf, "neg", s32, at * 8, 5);
	btf__add_field(btf, "pos", u32, at * 8 + 5, 20);
	btf__add_field(btf, "word", word, at * 8 + 25, 7);
	members[nmembers++] = (struct member){ at, 4, ANY };
	at += 4;
}

static void sane_value(unsigned char *p)
{
	memset(p, 0, at);
	for (uint32_t i = 0; i < nmembers; i++) {
		const struct member *m = &members[i];
		double d = (double)(int64_t)rnd() / 1024;
		float f = (float)d;

		switch (m->sane) {
		case BOOL:
			p[m->off] = rnd() & 1;
			break;
		case FLOAT:
			memcpy(p + m->off, &f, sizeof(f));
			break;
		case DOUBLE:
			memcpy(p + m->off, &d, sizeof(d));
			break;
		case SMALL:
			p[m->off] = rnd() % 4;
			break;
		case ANY:
			rnd_bytes(p + m->off, m->size);
			break;
		case TEXT:
			for (uint32_t k = 0, n = rnd() % m->size; k < n; k++)
				p[m->off + k] = ' ' + rnd() % 95;
		}
	}
}

static uint32_t id_of(int fd)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &len) ? 0 : info.id;
}

static int percpu(unsigned type)
{
	return type == BPF_MAP_TYPE_PERCPU_HASH || type == BPF_MAP_TYPE_PERCPU_ARRAY ||
	       type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static struct pair *pair(const char *name, unsigned type, uint32_t key, uint32_t value, uint32_t entries, int key_type,
			 int value_type, int inner)
{
	struct pair *p = &pairs[npairs];
	LIBBPF_OPTS(bpf_map_create_opts, opts, .btf_fd = value_type ? btf__fd(btf) : 0, .btf_key_type_id = key_type,
		    .btf_value_type_id = value_type, .inner_map_fd = inner,
		    .map_flags = type == BPF_MAP_TYPE_LPM_TRIE ? BPF_F_NO_PREALLOC : 0);

	snprintf(p->name, sizeof(p->name), "%s", name);
	p->key = key;
	p->value = value;
	p->cpus = percpu(type) ? libbpf_num_possible_cpus() : 1;
	for (int i = 0; i < 2; i++) {
		/* The name is part of the export. */
		p->fd[i] = bpf_map_create(type, "roundtrip", key, value, entries, &opts);
		if (p->fd[i] < 0) {
			printf("skip %s %s\n", name, strerror(errno));
			return NULL;
		}
		p->id[i] = id_of(p->fd[i]);
	}
	npairs++;
	return p;
}

/* @n elements with keys 0.. or random ones; every second value of the big structure as a program would write it. */
static void fill(struct pair *p, uint32_t n, int random_keys, int zoo)
{
	uint32_t step = (p->value + 7) / 8 * 8, done = 0;
	unsigned char key[64], *value = calloc(p->cpus, step);

	for (uint32_t i = 0; p->fd[0] >= 0 && i < n; i++) {
		memset(key, 0, sizeof(key));
		memcpy(key, &i, 4);
		if (random_keys)
			rnd_bytes(key, p->key);
		if (random_keys == 2)
			memcpy(key, &(uint32_t){ rnd() % 33 }, 4);
		for (uint32_t cpu = 0; cpu < p->cpus; cpu++) {
			rnd_bytes(value + cpu * step, p->value);
			if (zoo && i & 1)
				sane_value(value + cpu * step);
		}
		done += bpf_map_update_elem(p->fd[0], key, value, BPF_ANY) ? 0 : p->cpus;
	}
	free(value);
	printf("pair %s %u %u %u\n", p->name, p->id[0], p->id[1], done);
}

static int ints[16], zoo_type, lpm_type, data_type, outer[24];
enum { U8, S8, U16, S16, U32, S32, U64, S64, CHAR, BOOLEAN, U128, S128 };

static void make_ints(void)
{
	static const struct {
		const char *name;
		uint32_t size;
		int encoding;
	} rows[] = {
		[U8] = { "unsigned char", 1, 0 },	 [S8] = { "signed char", 1, BTF_INT_SIGNED },
		[U16] = { "unsigned short", 2, 0 },	 [S16] = { "short", 2, BTF_INT_SIGNED },
		[U32] = { "unsigned int", 4, 0 },	 [S32] = { "int", 4, BTF_INT_SIGNED },
		[U64] = { "unsigned long", 8, 0 },	 [S64] = { "long", 8, BTF_INT_SIGNED },
		[CHAR] = { "char", 1, BTF_INT_CHAR },	 [BOOLEAN] = { "_Bool", 1, BTF_INT_BOOL },
		[U128] = { "unsigned __int128", 16, 0 }, [S128] = { "__int128", 16, BTF_INT_SIGNED },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ints[i] = btf__add_int(btf, rows[i].name, rows[i].size, rows[i].encoding);
}

enum {
	ENUM,
	SENUM,
	ENUM64,
	SENUM64,
	FLT,
	DBL,
	PTR,
	FPTR,
	FUNC,
	RPTR,
	TAGGED,
	ALIAS,
	CV,
	ARR,
	GRID,
	TXT,
	UNI,
	FIX,
	NOUTER
};
static const uint32_t outer_size[NOUTER] = { 4, 4, 8, 8, 4, 8, 8, 8, 8, 8, 8, 8, 4, 12, 12, 16, 8, 8 };

/* Every kind of type that a value can have. */
static void make_types(void)
{
	int *t = outer, proto, fwd;

	t[ENUM] = btf__add_enum(btf, "color", 4);
	for (int i = 0; i < 4; i++)
		btf__add_enum_value(btf, (const char *[]){ "RED", "GREEN", "BLUE", "WHITE" }[i], i);
	t[SENUM] = btf__add_enum(btf, "sign", 4);
	btf__add_enum_value(btf, "MINUS", -1);
	t[ENUM64] = btf__add_enum64(btf, "big", 8, false);
	btf__add_enum64_value(btf, "HUGE", 1ull << 63);
	t[SENUM64] = btf__add_enum64(btf, "bigsign", 8, true);
	btf__add_enum64_value(btf, "DEEP", (uint64_t)INT64_MIN);
	t[FLT] = btf__add_float(btf, "float", 4);
	t[DBL] = btf__add_float(btf, "double", 8);
	t[PTR] = btf__add_ptr(btf, 0);
	fwd = btf__add_fwd(btf, "unknown", BTF_FWD_STRUCT);
	t[FPTR] = btf__add_ptr(btf, fwd);
	proto = btf__add_func_proto(btf, ints[S32]);
	btf__add_func_param(btf, "x", ints[S32]);
	t[FUNC] = btf__add_ptr(btf, proto);
	t[RPTR] = btf__add_restrict(btf, t[PTR]);
	t[TAGGED] = btf__add_ptr(btf, btf__add_type_tag(btf, "user", ints[U8]));
	t[ALIAS] = btf__add_typedef(btf, "alias_t", ints[S64]);
	t[CV] = btf__add_const(btf, btf__add_volatile(btf, ints[U32]));
	t[ARR] = btf__add_array(btf, ints[U32], ints[S32], 3);
	t[GRID] = btf__add_array(btf, ints[U32], btf__add_array(btf, ints[U32], ints[S16], 3), 2);
	t[TXT] = btf__add_array(btf, ints[U32], ints[CHAR], 16);
	t[UNI] = btf__add_union(btf, "either", 8);
	btf__add_field(btf, "whole", ints[U64], 0, 0);
	btf__add_field(btf, "half", ints[S32], 0, 0);
	btf__add_field(btf, "text", btf__type_cnt(btf) + 0, 0, 0);
	btf__add_array(btf, ints[U32], ints[CHAR], 8);
	t[FIX] = btf__add_struct(btf, "endpoint", 8);
	btf__add_field(btf, "port", ints[U16], 0, 0);
	btf__add_field(btf, "flags", ints[U16], 16, 0);
	btf__add_field(btf, "addr", ints[U32], 32, 0);
}

static void make_zoo(void)
{
	static const enum sane sane[NOUTER] = { [ENUM] = SMALL, [FLT] = FLOAT, [DBL] = DOUBLE, [TXT] = TEXT };
	static const uint32_t align[NOUTER] = { 4, 4, 8, 8, 4, 8, 8, 8, 8, 8, 8, 8, 4, 4, 2, 1, 8, 4 };
	static char names[NOUTER + 12][8];
	int anonymous = btf__add_union(btf, NULL, 4), padded;

	btf__add_field(btf, "u1", ints[S32], 0, 0);
	btf__add_field(btf, "u2", ints[U16], 0, 0);
	padded = btf__add_struct(btf, NULL, 16);
	btf__add_field(btf, "small", ints[U8], 0, 0);
	btf__add_field(btf, "long", ints[U64], 64, 0);
	zoo_type = btf__add_struct(btf, "zoo", 0);
	for (int i = U8; i <= S128; i++) {
		uint32_t size = i == CHAR || i == BOOLEAN ? 1 : i >= U128 ? 16 : 1u << i / 2;

		snprintf(names[i], sizeof(names[i]), "i%d", i);
		member(names[i], ints[i], size, size, i == BOOLEAN ? BOOL : ANY);
	}
	for (int i = 0; i < NOUTER; i++) {
		snprintf(names[12 + i], sizeof(names[i]), "o%d", i);
		member(names[12 + i], outer[i], outer_size[i], align[i], sane[i]);
	}
	bit_fields(ints[S32], ints[U32], outer[ENUM]);
	member(NULL, anonymous, 4, 4, ANY);
	member(NULL, padded, 16, 8, SMALL);
	at = (at + 15) / 16 * 16;
	((struct btf_type *)btf__type_by_id(btf, zoo_type))->size = at;
	btf__add_decl_tag(btf, "animals", zoo_type, -1);
	lpm_type = btf__add_struct(btf, "prefix", 8);
	btf__add_field(btf, "len", ints[U32], 0, 0);
	btf__add_field(btf, "addr", btf__type_cnt(btf), 32, 0);
	btf__add_array(btf, ints[U32], ints[U8], 4);
	int var = btf__add_var(btf, "state", BTF_VAR_GLOBAL_ALLOCATED, zoo_type),
	    count = btf__add_var(btf, "count", BTF_VAR_STATIC, ints[U64]);

	data_type = btf__add_datasec(btf, ".data", at + 8);
	btf__add_datasec_var_info(btf, var, 0, at);
	btf__add_datasec_var_info(btf, count, at, 8);
}

static void make_scalars(void)
{
	char name[16];

	for (int i = U8; i <= S128; i++) {
		snprintf(name, sizeof(name), "int_%d", i);
		struct pair *p = pair(name, BPF_MAP_TYPE_HASH, 4,
				      i == CHAR || i == BOOLEAN ? 1 :
				      i >= U128			? 16 :
								  1u << i / 2,
				      SCALARS, ints[i % 2 ? S32 : U32], ints[i], 0);

		if (p)
			fill(p, SCALARS, i & 1, 0);
	}
	for (int i = 0; i < NOUTER; i++) {
		snprintf(name, sizeof(name), "type_%d", i);
		struct pair *p = pair(name, i & 1 ? BPF_MAP_TYPE_ARRAY : BPF_MAP_TYPE_HASH, 4, outer_size[i], SCALARS,
				      ints[U32], outer[i], 0);

		if (p)
			fill(p, SCALARS, 0, 0);
	}
}

static void make_maps(void)
{
	static const struct {
		const char *name;
		unsigned type, n, room;
	} rows[] = {
		{ "hash", BPF_MAP_TYPE_HASH, 12000, 1 },
		{ "array", BPF_MAP_TYPE_ARRAY, 12000, 1 },
		{ "lru_hash", BPF_MAP_TYPE_LRU_HASH, 8000, 4 },
		{ "percpu_hash", BPF_MAP_TYPE_PERCPU_HASH, 4000, 1 },
		{ "percpu_array", BPF_MAP_TYPE_PERCPU_ARRAY, 4000, 1 },
		{ "lru_percpu_hash", BPF_MAP_TYPE_LRU_PERCPU_HASH, 2000, 4 },
	};
	struct pair *p;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		p = pair(rows[i].name, rows[i].type, 4, at, rows[i].n * rows[i].room, ints[U32], zoo_type, 0);
		if (p)
			fill(p, rows[i].n, 0, 1);
	}
	p = pair("lpm_trie", BPF_MAP_TYPE_LPM_TRIE, 8, 8, 10000, lpm_type, outer[FIX], 0);
	if (p)
		fill(p, 8000, 2, 0);
	p = pair("struct_key", BPF_MAP_TYPE_HASH, 8, 4, 8000, outer[UNI], ints[U32], 0);
	if (p)
		fill(p, 8000, 1, 0);
	p = pair("no_types", BPF_MAP_TYPE_HASH, 7, 21, 4000, 0, 0, 0);
	if (p)
		fill(p, 4000, 1, 0);
	p = pair("global_data", BPF_MAP_TYPE_ARRAY, 4, at + 8, 1, 0, data_type, 0);
	if (p)
		fill(p, 1, 0, 0);
}

static void make_references(void)
{
	const struct bpf_insn insns[] = { { .code = 0xb7 }, { .code = 0x95 } };
	static const struct {
		const char *name;
		unsigned type;
	} rows[] = {
		{ "hash_of_maps", BPF_MAP_TYPE_HASH_OF_MAPS },
		{ "array_of_maps", BPF_MAP_TYPE_ARRAY_OF_MAPS },
		{ "prog_array", BPF_MAP_TYPE_PROG_ARRAY },
	};
	int inner = bpf_map_create(BPF_MAP_TYPE_HASH, "inner", 4, 4, 8, NULL), fd;

	for (unsigned i = 0; i < 3; i++) {
		struct pair *p = pair(rows[i].name, rows[i].type, 4, 4, 16, 0, 0, i < 2 ? inner : 0);
		uint32_t done = 0;

		for (uint32_t key = 3; p && key < 16; key += 2) {
			fd = i < 2 ? bpf_map_create(BPF_MAP_TYPE_HASH, "inner", 4, 4, 8, NULL) :
				     bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "called", "GPL", insns, 2, NULL);
			done += !bpf_map_update_elem(p->fd[0], &key, &fd, BPF_ANY);
		}
		if (p)
			printf("pair %s %u %u %u\n", p->name, p->id[0], p->id[1], done);
	}
}

static unsigned count(int fd)
{
	unsigned char key[64], next[64];
	unsigned n = 0;

	for (void *from = NULL; !bpf_map_get_next_key(fd, from, next); from = memcpy(key, next, sizeof(key)))
		n++;
	return n;
}

static const char *compare(const struct pair *p)
{
	size_t size = (p->value + 7) / 8 * 8 * p->cpus;
	unsigned char key[64], next[64], *a = calloc(2, size), *b = a + size;
	const char *why = count(p->fd[0]) == count(p->fd[1]) ? NULL : "number of elements";

	for (void *from = NULL; !why && !bpf_map_get_next_key(p->fd[0], from, next);
	     from = memcpy(key, next, sizeof(key))) {
		int first = bpf_map_lookup_elem(p->fd[0], next, a), second = bpf_map_lookup_elem(p->fd[1], next, b);

		if (!first != !second)
			why = "no such element";
		else if (!first && memcmp(a, b, size) != 0)
			why = "bytes";
	}
	free(a);
	return why;
}

int main(void)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	char line[64];

	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	libbpf_set_print(NULL);
	btf = btf__new_empty();
	make_ints();
	make_types();
	make_zoo();
	if (btf__load_into_kernel(btf)) {
		printf("skip BTF %s\nready\n", strerror(errno));
		return 0;
	}
	make_scalars();
	make_maps();
	make_references();
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		for (unsigned i = 0; i < npairs; i++) {
			const char *why = compare(&pairs[i]);

			printf(why ? "differ %s %s\n" : "same %s\n", pairs[i].name, why);
		}
		puts("done");
		fflush(stdout);
	}
	return 0;
}
