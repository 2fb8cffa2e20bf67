/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * captures N PROCESSES [PAUSE [DIRECTORY]]: processes load N programs in total, of four sizes, read back what the
 * kernel reports of each, and close it at once; meanwhile own/capture/capture.c copies them. Prints how many copies are
 * complete, and how many are equal to what the loader read. After each 50 programs a process sleeps PAUSE milliseconds
 * (30), because a kernel that has to free many at once may hang. With a directory nothing is copied: what each process
 * read is in a file there.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "kernel/bpf.h"
#include "own/capture/capture.h"
#include "own/own.h"

struct size {
	unsigned subs, insns, types;
	bool btf, fresh, map;
};
static const struct size sizes[] = {
	{ 0, 2, 0, false, false, false },   { 1, 16, 10, true, false, true }, { 3, 80, 200, true, true, true },
	{ 8, 540, 4000, true, true, true }, { 100, 4, 10, true, true, true },
};
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))
#define ROOM 16384

struct maker {
	struct bpf_insn insns[ROOM];
	struct bpf_func_info funcs[128];
	struct bpf_line_info lines[ROOM];
	unsigned n, nfuncs, nlines;
	int btf_fd, map;
};

static void die(const char *what)
{
	fprintf(stderr, "captures: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void put(struct maker *m, uint8_t code, uint8_t dst, uint8_t src, int16_t off, int32_t imm)
{
	if (m->n == ROOM)
		die("too many instructions");
	m->insns[m->n++] = (struct bpf_insn){ code, dst, src, off, imm };
}

static void fill(struct maker *m, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put(m, BPF_ALU64 | BPF_ADD | BPF_K, 0, 0, 0, (int)(i * 77 + 1));
}

static void body(struct maker *m, const struct size *s, unsigned seed)
{
	unsigned calls[128], sub;

	if (s->map) {
		put(m, BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0);
		put(m, BPF_LD | BPF_IMM | BPF_DW, 6, BPF_PSEUDO_MAP_VALUE, 0, m->map);
		put(m, 0, 0, 0, 0, 8);
		put(m, BPF_LDX | BPF_MEM | BPF_DW, 7, 6, 0, 0);
		put(m, BPF_LD | BPF_IMM | BPF_DW, 1, BPF_PSEUDO_MAP_FD, 0, m->map);
		put(m, 0, 0, 0, 0, 0);
		put(m, BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0);
		put(m, BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4);
		put(m, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem);
	}
	put(m, BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, (int)seed);
	fill(m, s->insns - 2);
	for (sub = 0; sub < s->subs; sub++) {
		calls[sub] = m->n;
		put(m, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0);
	}
	put(m, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	for (sub = 0; sub < s->subs; sub++) {
		m->insns[calls[sub]].imm = (int)(m->n - calls[sub] - 1);
		m->funcs[m->nfuncs++].insn_off = m->n;
		put(m, BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, (int)sub);
		fill(m, s->insns - 2 + sub);
		put(m, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	}
}

static void types(struct maker *m, const struct size *s, unsigned seed)
{
	struct btf *btf = btf__new_empty();
	int i32 = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), ptr = btf__add_ptr(btf, 0), proto;
	int file = btf__add_str(btf, "captures.c");
	char name[64];

	proto = btf__add_func_proto(btf, i32);
	btf__add_func_param(btf, "ctx", ptr);
	for (unsigned i = 0; i < m->nfuncs; i++) {
		snprintf(name, sizeof(name), "function_%u_%u", seed, i);
		m->funcs[i].type_id = (uint32_t)btf__add_func(btf, name, BTF_FUNC_STATIC, proto);
	}
	for (unsigned i = 0; i < s->types; i++) {
		snprintf(name, sizeof(name), "a_struct_to_fill_%u_%u", seed, i);
		btf__add_struct(btf, name, 4);
		btf__add_field(btf, "member", i32, 0, 0);
	}
	for (unsigned i = 0; i < m->n; i++) {
		if (!m->insns[i].code)
			continue;
		snprintf(name, sizeof(name), "	line %u of %u", i, seed);
		m->lines[m->nlines++] =
			(struct bpf_line_info){ i, (uint32_t)file, (uint32_t)btf__add_str(btf, name), i << 10 | 2 };
	}
	m->btf_fd = btf__load_into_kernel(btf) ? -1 : dup(btf__fd(btf));
	if (m->btf_fd < 0)
		die("btf");
	btf__free(btf);
}

static void make(struct maker *m, const struct size *s, unsigned seed)
{
	m->n = m->nlines = 0;
	m->nfuncs = 1;
	m->funcs[0].insn_off = 0;
	body(m, s, seed);
	m->btf_fd = 0;
	if (s->btf)
		types(m, s, seed);
}

static int load(const struct maker *m)
{
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)m->insns;
	attr.insn_cnt = m->n;
	attr.license = (uintptr_t) "GPL";
	strcpy(attr.prog_name, "captured");
	if (m->btf_fd) {
		attr.prog_btf_fd = (uint32_t)m->btf_fd;
		attr.func_info = (uintptr_t)m->funcs;
		attr.func_info_cnt = m->nfuncs;
		attr.func_info_rec_size = sizeof(m->funcs[0]);
		attr.line_info = (uintptr_t)m->lines;
		attr.line_info_cnt = m->nlines;
		attr.line_info_rec_size = sizeof(m->lines[0]);
	}
	fd = sys_bpf_new(BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0) {
		errno = -fd;
		die("load");
	}
	return fd;
}

/* One program: head, info, arrays and types, each with its size before. */
struct truth {
	uint32_t id, pid, btf_id, info_len;
};
#define ARRAYS 9
static const struct {
	uint16_t ptr, count, size;
} arrays[ARRAYS] = {
#define A(p, c, s) \
	{ \
		offsetof(struct abi_prog_info, p), offsetof(struct abi_prog_info, c), s \
	}
	A(xlated_prog_insns, xlated_prog_len, 1),
	A(jited_prog_insns, jited_prog_len, 1),
	A(map_ids, nr_map_ids, 4),
	A(jited_ksyms, nr_jited_ksyms, 8),
	A(jited_func_lens, nr_jited_func_lens, 4),
	A(func_info, nr_func_info, 8),
	A(line_info, nr_line_info, 16),
	A(jited_line_info, nr_jited_line_info, 8),
	A(prog_tags, nr_prog_tags, 8),
};

static void part_add(struct str *s, const void *p, size_t n)
{
	uint32_t size = (uint32_t)n;

	str_add(s, &size, sizeof(size));
	str_add(s, p, n);
}

static void info_add(struct str *s, struct abi_prog_info info)
{
	for (unsigned i = 0; i < ARRAYS; i++)
		memset((char *)&info + arrays[i].ptr, 0, 8);
	part_add(s, &info, sizeof(info));
}

static void types_add(struct str *s, uint32_t id)
{
	struct abi_btf_info info = { 0 };
	uint32_t len = sizeof(info);
	int fd = id ? sys_object_open(OBJECT_BTF, id) : -1;

	if (fd >= 0 && !sys_object_info(fd, &info, &len)) {
		void *p = malloc(info.btf_size);
		uint32_t n = info.btf_size;

		info = (struct abi_btf_info){ .btf = (uintptr_t)p, .btf_size = n };
		len = sizeof(info);
		if (!p || sys_object_info(fd, &info, &len))
			die("btf info");
		part_add(s, p, n);
		free(p);
	} else {
		part_add(s, "", 0);
	}
	if (fd >= 0)
		close(fd);
}

static void read_back(int fd, struct str *s)
{
	static unsigned char buf[ARRAYS][1 << 20];
	struct abi_prog_info info = { 0 }, with = { 0 };
	uint32_t len = sizeof(info), count;
	struct truth t;

	if (sys_object_info(fd, &info, &len))
		die("info");
	for (unsigned i = 0; i < ARRAYS; i++) {
		uint64_t p = (uintptr_t)buf[i];

		memcpy((char *)&with + arrays[i].ptr, &p, 8);
		memcpy((char *)&with + arrays[i].count, (char *)&info + arrays[i].count, 4);
	}
	with.func_info_rec_size = 8;
	with.line_info_rec_size = 16;
	with.jited_line_info_rec_size = 8;
	len = sizeof(with);
	if (sys_object_info(fd, &with, &len))
		die("info with arrays");
	t = (struct truth){ with.id, (uint32_t)getpid(), with.btf_id, len };
	str_add(s, &t, sizeof(t));
	info_add(s, with);
	for (unsigned i = 0; i < ARRAYS; i++) {
		memcpy(&count, (char *)&with + arrays[i].count, 4);
		part_add(s, buf[i], (size_t)count * arrays[i].size);
	}
	types_add(s, with.btf_id);
}

static void loader(unsigned n, unsigned seed, int out, unsigned pause)
{
	static struct maker m;
	int shared = -1, fd;

	m.map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "captures", 4, 64, 1, NULL);
	if (m.map < 0)
		die("map");
	for (unsigned i = 0; i < n; i++) {
		const struct size *s = &sizes[i % SIZES];
		STR got = { 0 };

		make(&m, s, s->fresh || shared < 0 ? seed + i : seed);
		if (s->btf && !s->fresh) { /* one for all programs of this size */
			if (shared < 0)
				shared = dup(m.btf_fd);
			close(m.btf_fd);
			m.btf_fd = dup(shared);
		}
		fd = load(&m);
		read_back(fd, &got);
		close(fd);
		if (m.btf_fd)
			close(m.btf_fd);
		for (size_t at = 0; at < got.n;) {
			ssize_t w = write(out, got.p + at, got.n - at);

			if (w <= 0)
				die("write");
			at += (size_t)w;
		}
		if (i % 50 == 49)
			usleep(pause * 1000);
	}
	exit(0);
}

static struct str *copies; /* by id - first: the contents of struct truth and what follows it */
static uint32_t first_id;
#define IDS (1u << 20)
static unsigned whole, seen, twice;

static void take(const struct captured *p)
{
	struct str *s;

	if (!p->by_loader || p->id - first_id >= IDS)
		return;
	s = &copies[p->id - first_id];
	if (s->n) {
		twice++;
		return;
	}
	seen++;
	whole += !p->missing;
	str_add(s, &(struct truth){ p->id, p->pid, p->info.btf_id, p->info_len }, sizeof(struct truth));
	info_add(s, p->info);
	for (unsigned i = 0; i < ARRAYS; i++)
		part_add(s, p->array[i].p, p->array[i].n);
	part_add(s, p->btf.p, p->btf.n);
}

static bool read_part(const unsigned char **at, const unsigned char *end, const unsigned char **ret, uint32_t *ret_n)
{
	if ((size_t)(end - *at) < 4)
		return false;
	memcpy(ret_n, *at, 4);
	*ret = *at + 4;
	*at += 4 + *ret_n;
	return *at <= end;
}

/* Bit i: part i differs; info is 0, the arrays follow, types are last. @at is moved past the program. */
static unsigned differs(const unsigned char **at, const unsigned char *end, const struct str *copy)
{
	const unsigned char *c = (const unsigned char *)copy->p + sizeof(struct truth),
			    *c_end = (const unsigned char *)copy->p + copy->n;
	static bool types_known[IDS];
	unsigned ret = 0;
	struct truth t;

	memcpy(&t, *at, sizeof(t));
	*at += sizeof(t);
	if (copy->n && memcmp(&t, copy->p, sizeof(t)))
		ret |= 1u << 31;
	for (unsigned i = 0; i < ARRAYS + 2; i++) {
		const unsigned char *a, *b = NULL;
		uint32_t n, bn = 0;

		if (!read_part(at, end, &a, &n))
			die("truth is cut");
		if (!copy->n || !read_part(&c, c_end, &b, &bn)) {
			ret |= 1u << i;
			continue;
		}
		if (i == ARRAYS + 1 && !bn && types_known[t.btf_id % IDS])
			continue;
		if (n != bn || memcmp(a, b, n))
			ret |= 1u << i;
		else if (i == ARRAYS + 1)
			types_known[t.btf_id % IDS] = true;
	}
	return ret;
}

static void drain(struct capture *c, bool all)
{
	struct captured p;

	if (capture_read(c))
		die("read");
	while (capture_next(c, all, &p))
		take(&p);
}

static int compare(FILE **truth, unsigned n)
{
	unsigned total = 0, same = 0, shown = 0;

	for (unsigned i = 0; i < n; i++) {
		struct stat st;
		const unsigned char *p, *at;

		fstat(fileno(truth[i]), &st);
		p = st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fileno(truth[i]), 0) : NULL;
		for (at = p; at < p + st.st_size; total++) {
			struct truth t;
			unsigned d;

			memcpy(&t, at, sizeof(t));
			d = differs(&at, p + st.st_size, &copies[(t.id - first_id) % IDS]);
			same += !d;
			if (d && shown++ < 5)
				fprintf(stderr, "program %u differs: %x, copy %zu bytes\n", t.id, d,
					copies[(t.id - first_id) % IDS].n);
		}
	}
	printf("loaded %u seen %u whole %u identical %u twice %u", total, seen, whole, same, twice);
	return total && same == total && whole == seen && !twice ? 0 : 1;
}

static uint32_t id_now(void)
{
	static struct maker m = { .n = 0 };
	uint32_t id = 0;
	int fd;

	make(&m, &sizes[0], 0);
	fd = load(&m);
	sys_object_id(fd, &id);
	close(fd);
	return id;
}

static FILE *truth_file(const char *dir, unsigned i)
{
	char path[4096];
	FILE *f;

	if (!dir)
		return tmpfile();
	snprintf(path, sizeof(path), "%s/%u", dir, i);
	f = fopen(path, "w");
	return f;
}

int main(int argc, char **argv)
{
	const unsigned n = argc > 2 ? (unsigned)atoi(argv[1]) : 200, processes = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	const unsigned pause = argc > 3 ? (unsigned)atoi(argv[3]) : 30;
	const char *dir = argc > 4 ? argv[4] : NULL;
	struct own own = { 0 };
	struct capture_counts counts;
	struct capture *c = NULL;
	FILE *truth[16];
	unsigned running = processes;
	int err = processes > 16 ? -EINVAL : 0, ret;

	copies = calloc(IDS, sizeof(*copies));
	if (!err && !dir)
		err = capture_open(&c, &own, &(struct capture_options){ 0 });
	if (err) {
		printf("SKIP: cannot capture: %s\n", strerror(-err));
		return err == -EPERM ? 77 : 1;
	}
	first_id = dir ? 0 : id_now();
	for (unsigned i = 0; i < processes; i++) {
		truth[i] = truth_file(dir, i);
		if (!truth[i])
			die("tmpfile");
		if (!fork())
			loader(n / processes, 100000 * (i + 1), fileno(truth[i]), pause);
	}
	while (running) {
		poll(&(struct pollfd){ c ? capture_fd(c) : -1, POLLIN, 0 }, 1, 20);
		if (c)
			drain(c, false);
		while (running && waitpid(-1, NULL, WNOHANG) > 0)
			running--;
	}
	if (dir)
		return 0;
	drain(c, true);
	ret = compare(truth, processes);
	capture_counts(c, &counts);
	printf(" lost %llu by %s%s\n", (unsigned long long)counts.lost, capture_way(c),
	       capture_knows_insns(c) ? "" : ", insns unknown");
	capture_close(&c);
	own_release(&own);
	return ret;
}
