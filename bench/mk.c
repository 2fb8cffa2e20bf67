/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include "../tests/live/held.h"

/*
 * Creates the objects of the benchmark: PROGS programs, MAPS maps, for each type below a map of ENTRIES elements
 * (4-byte key, 40-byte struct with BTF), and LINKS links, half at a tracepoint that does not occur and half iterators.
 * Holds them until the end of standard input, in three processes, because 20,000 descriptors are often the limit of
 * one. Prints "prog ID", "calls ID", "map ID", "TYPE ID" for each type, "link ID", "ready". usage: mk PROGS MAPS
 * ENTRIES LINKS
 */
struct entry {
	uint64_t packets, bytes;
	uint32_t addr, ifindex;
	uint16_t port, flags;
	uint8_t proto, pad[3];
	uint64_t seen;
};
_Static_assert(sizeof(struct entry) == 40, "the value has 40 bytes");

static void interrupted(int sig)
{
	(void)sig; /* read() returns, so that main() and the holders end */
}

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "mk: %s: %s\n", what, strerror(errno));
	exit(1);
}

static unsigned id_of(int fd)
{
	struct bpf_map_info info = { 0 }; /* type and id are also the first members of a program's info */
	uint32_t len = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &len) ? 0 : info.id;
}

static const struct {
	const char *name;
	enum bpf_map_type type;
	uint32_t flags;
} types[] = {
	{ "hash", BPF_MAP_TYPE_HASH, 0 },
	{ "array", BPF_MAP_TYPE_ARRAY, 0 },
	{ "lru", BPF_MAP_TYPE_LRU_HASH, 0 },
	{ "percpu", BPF_MAP_TYPE_PERCPU_HASH, 0 },
	{ "lpm", BPF_MAP_TYPE_LPM_TRIE, BPF_F_NO_PREALLOC },
};

/* Ids of the key (an integer, or the prefix of a trie) and of the value. */
static int make_btf(int *key, int *prefix, int *value)
{
	struct btf *btf = btf__new_empty();
	int u64, u32, u16, u8, arr;

	u64 = btf__add_int(btf, "unsigned long long", 8, 0);
	u32 = btf__add_int(btf, "unsigned int", 4, 0);
	u16 = btf__add_int(btf, "unsigned short", 2, 0);
	u8 = btf__add_int(btf, "unsigned char", 1, 0);
	arr = btf__add_array(btf, u32, u8, 3);
	*key = u32;
	*prefix = btf__add_struct(btf, "prefix", 8);
	btf__add_field(btf, "len", u32, 0, 0);
	btf__add_field(btf, "addr", u32, 32, 0);
	*value = btf__add_struct(btf, "entry", sizeof(struct entry));
	btf__add_field(btf, "packets", u64, 0, 0);
	btf__add_field(btf, "bytes", u64, 64, 0);
	btf__add_field(btf, "addr", u32, 128, 0);
	btf__add_field(btf, "ifindex", u32, 160, 0);
	btf__add_field(btf, "port", u16, 192, 0);
	btf__add_field(btf, "flags", u16, 208, 0);
	btf__add_field(btf, "proto", u8, 224, 0);
	btf__add_field(btf, "pad", arr, 232, 0);
	btf__add_field(btf, "seen", u64, 256, 0);
	if (btf__load_into_kernel(btf))
		die("BTF");
	return btf__fd(btf);
}

static void fill(int fd, unsigned entries, bool lpm, unsigned cpus)
{
	enum { BATCH = 4096 };
	uint32_t *keys = calloc(BATCH, 8);
	struct entry *values = calloc((size_t)BATCH * cpus, sizeof(*values));

	if (!keys || !values)
		die("memory");
	for (unsigned done = 0; done < entries;) {
		uint32_t n = entries - done < BATCH ? entries - done : BATCH;

		for (uint32_t i = 0; i < n; i++) {
			uint32_t k = done + i;

			if (lpm) {
				keys[2 * i] = 32;
				keys[2 * i + 1] = k * 2654435761u;
			} else {
				keys[i] = k;
			}
			for (unsigned cpu = 0; cpu < cpus; cpu++)
				values[i * cpus + cpu] =
					(struct entry){ k, 1500ull * k, k * 2654435761u, k % 64,	(uint16_t)k,
							1, 17,		{ 0 },		 1ull << 40 | k };
		}
		if (bpf_map_update_batch(fd, keys, values, &n, NULL))
			die("fill");
		done += n;
	}
	free(keys);
	free(values);
}

static void make_large(unsigned entries)
{
	int key, prefix, value, btf = make_btf(&key, &prefix, &value), cpus = libbpf_num_possible_cpus();

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		bool lpm = types[i].type == BPF_MAP_TYPE_LPM_TRIE, percpu = types[i].type == BPF_MAP_TYPE_PERCPU_HASH;
		LIBBPF_OPTS(bpf_map_create_opts, opts, .btf_fd = btf, .btf_key_type_id = lpm ? prefix : key,
			    .btf_value_type_id = value, .map_flags = types[i].flags);
		int fd =
			bpf_map_create(types[i].type, "bench_large", lpm ? 8 : 4, sizeof(struct entry), entries, &opts);

		if (fd < 0)
			die(types[i].name);
		fill(fd, entries, lpm, percpu ? cpus : 1);
		printf("%s %u\n", types[i].name, id_of(fd));
	}
}

/* A program that calls helpers and a subprogram, with a source line for each instruction. */
static void make_calls(void)
{
	enum { CALLS = 20, INSNS = CALLS + 4 };
	struct bpf_insn insns[INSNS] = { { 0 } };
	struct bpf_line_info lines[INSNS];
	struct bpf_func_info funcs[2];
	struct btf *btf = btf__new_empty();
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	int integer = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), pointer = btf__add_ptr(btf, 0), proto, fd;

	for (int i = 0; i < CALLS; i++)
		insns[i] = (struct bpf_insn){ .code = 0x85, .imm = BPF_FUNC_get_prandom_u32 };
	insns[CALLS] = (struct bpf_insn){ .code = 0x85, .src_reg = BPF_PSEUDO_CALL, .imm = 1 };
	insns[CALLS + 2] = (struct bpf_insn){ .code = 0xb7 };
	insns[CALLS + 1] = insns[INSNS - 1] = (struct bpf_insn){ .code = 0x95 };
	proto = btf__add_func_proto(btf, integer);
	funcs[0] = (struct bpf_func_info){ 0, btf__add_func(btf, "bench_calls", BTF_FUNC_GLOBAL, proto) };
	btf__add_func_param(btf, "ctx", pointer);
	proto = btf__add_func_proto(btf, integer);
	funcs[1] = (struct bpf_func_info){ CALLS + 2, btf__add_func(btf, "bench_sub", BTF_FUNC_STATIC, proto) };
	for (int i = 0; i < INSNS; i++)
		lines[i] = (struct bpf_line_info){ i, btf__add_str(btf, "calls.c"),
						   btf__add_str(btf, "return bench_sub();"), (uint32_t)i << 10 };
	if (btf__load_into_kernel(btf))
		die("BTF");
	opts.prog_btf_fd = btf__fd(btf);
	opts.func_info = funcs;
	opts.func_info_cnt = 2;
	opts.func_info_rec_size = sizeof(funcs[0]);
	opts.line_info = lines;
	opts.line_info_cnt = INSNS;
	opts.line_info_rec_size = sizeof(lines[0]);
	fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "bench_calls", "GPL", insns, INSNS, &opts);
	if (fd < 0)
		die("program with calls");
	printf("calls %u\n", id_of(fd));
}

static void make_progs(unsigned n)
{
	const struct bpf_insn insns[] = { { .code = 0xb7 }, { .code = 0x95 } };
	char name[24];
	int fd = -1;

	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "bench_%u", i);
		fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, name, "GPL", insns, 2, NULL);
		if (fd < 0)
			die("program");
	}
	printf("prog %u\n", id_of(fd));
	make_calls();
}

static void make_maps(unsigned n, unsigned entries)
{
	char name[24];
	int fd = -1;

	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "bench_%u", i);
		fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, name, 4, 8, 1, NULL);
		if (fd < 0)
			die("map");
	}
	printf("map %u\n", id_of(fd));
	if (entries)
		make_large(entries);
}

static void make_links(unsigned n)
{
	const struct bpf_insn insns[] = { { .code = 0xb7 }, { .code = 0x95 } };
	LIBBPF_OPTS(bpf_prog_load_opts, iter, .expected_attach_type = BPF_TRACE_ITER);
	int target = libbpf_find_vmlinux_btf_id("task", BPF_TRACE_ITER), raw, task, fd = -1;

	iter.attach_btf_id = target > 0 ? (unsigned)target : 0;
	raw = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "bench_raw", "GPL", insns, 2, NULL);
	task = bpf_prog_load(BPF_PROG_TYPE_TRACING, "bench_iter", "GPL", insns, 2, &iter);
	if (raw < 0 || task < 0)
		die("programs of links");
	for (unsigned i = 0; i < n; i++) {
		fd = i % 2 ? bpf_raw_tracepoint_open("sched_process_hang", raw) :
			     bpf_link_create(task, 0, BPF_TRACE_ITER, NULL);
		if (fd < 0)
			die("link");
	}
	if (n)
		printf("link %u\n", id_of(fd));
}

/* Creates objects in a child process that holds them. */
static void hold(void (*make)(int argc, char **argv), int argc, char **argv, int done[2])
{
	char c;

	switch (fork()) {
	case -1:
		die("fork");
	case 0:
		prctl(PR_SET_PDEATHSIG, SIGTERM); /* else the reader of our output waits for ever */
		atexit(held_close_all);
		make(argc, argv);
		fflush(stdout);
		close(done[0]);
		close(done[1]);
		while (read(STDIN_FILENO, &c, 1) > 0)
			;
		exit(0);
	}
}

static void maps_of(int argc, char **argv)
{
	make_maps(argc > 2 ? atoi(argv[2]) : 10000, argc > 3 ? atoi(argv[3]) : 1000000);
}

static void links_of(int argc, char **argv)
{
	make_links(argc > 4 ? atoi(argv[4]) : 10000);
}

int main(int argc, char **argv)
{
	unsigned nprogs = argc > 1 ? atoi(argv[1]) : 10000;
	struct rlimit files, locked = { RLIM_INFINITY, RLIM_INFINITY };
	int done[2];
	char c;

	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = interrupted }, NULL);
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = interrupted }, NULL);
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_MEMLOCK, &locked); /* has an effect before Linux 5.11 only */
	if (pipe(done))
		die("pipe");
	hold(maps_of, argc, argv, done);
	hold(links_of, argc, argv, done);
	atexit(held_close_all);
	make_progs(nprogs);
	close(done[1]);
	if (read(done[0], &c, 1))
		die("wait");
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	return 0;
}
