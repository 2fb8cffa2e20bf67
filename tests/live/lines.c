/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include "held.h"

/*
 * Random programs of 2 to 5,000 instructions: arithmetic, jumps and calls, some with functions of
 * their own, with handmade BTF, so that each has lines at other instructions. usage: lines COUNT SEED
 * Prints the id of each, then "ready", and holds them until its input ends; then it closes a few at a time.
 */
#define INSNS_MAX 5000
#define FUNCS_MAX 6

struct program {
	struct bpf_insn insn[INSNS_MAX];
	struct bpf_func_info func[FUNCS_MAX];
	struct bpf_line_info line[INSNS_MAX];
	unsigned n, nfuncs, nlines, chance; /* chance of a line at an instruction, in percent */
	struct btf *btf;
	int proto;
};

static unsigned upto(unsigned n)
{
	return (unsigned)random() % n;
}

static void line(struct program *p, unsigned chance)
{
	static const char *const files[] = { "lines.bpf.c", "./include/a header.h", "b.h" };
	struct bpf_line_info *l = &p->line[p->nlines];
	char text[64];

	if (upto(100) >= chance)
		return;
	snprintf(text, sizeof(text), "%*sline %u: r0 += \"%u\";", (int)upto(3), "", p->nlines, p->n);
	l->insn_off = p->n;
	l->file_name_off = (unsigned)btf__add_str(p->btf, files[upto(3)]);
	l->line_off = (unsigned)btf__add_str(p->btf, text);
	l->line_col = upto(9000) << 10 | upto(300);
	p->nlines++;
}

static void put(struct program *p, unsigned code, unsigned dst, unsigned src, int off, int imm)
{
	p->insn[p->n++] = (struct bpf_insn){
		.code = (unsigned char)code, .dst_reg = dst & 15, .src_reg = src & 15, .off = (short)off, .imm = imm
	};
}

/* One random instruction that is one slot long. */
static void step(struct program *p, unsigned room)
{
	unsigned sort = upto(20);

	line(p, p->chance);
	if (sort == 0 && room >= 2) {
		put(p, 0x18, 2, 0, 0, (int)random());
		put(p, 0, 0, 0, 0, (int)random());
	} else if (sort == 1) {
		put(p, 0x85, 0, 0, 0, BPF_FUNC_ktime_get_ns);
	} else if (sort == 2 && room >= 2) {
		put(p, 0x15, 0, 0, 1, (int)upto(50));
		line(p, p->chance);
		put(p, 0x07, 0, 0, 0, (int)random());
	} else {
		static const unsigned char codes[] = { 0x07, 0xa7, 0x47, 0x67, 0xb7, 0x04 };
		unsigned code = codes[upto(sizeof(codes))];

		put(p, code, 0, 0, 0, code == 0x67 ? (int)upto(63) : (int)upto(1u << (1 + upto(30))));
	}
}

/* The first function calls the others in order. */
static void function(struct program *p, unsigned i, unsigned size, const unsigned *starts, unsigned nfuncs)
{
	unsigned end = p->n + size, next = 1;
	char name[32];

	snprintf(name, sizeof(name), i ? "part_%u_of_it" : "lines_main", i);
	p->func[p->nfuncs++] =
		(struct bpf_func_info){ p->n, (unsigned)btf__add_func(p->btf, name, BTF_FUNC_STATIC, p->proto) };
	line(p, 100);
	put(p, 0xb7, 0, 0, 0, (int)random());
	while (p->n + 1 < end) {
		if (!i && next < nfuncs) {
			line(p, p->chance);
			put(p, 0x85, 0, 1, 0, (int)starts[next++] - (int)p->n - 1);
		} else {
			step(p, end - p->n - 1);
		}
	}
	line(p, p->chance);
	put(p, 0x95, 0, 0, 0, 0);
}

/* Most are small, each size is possible, and the smallest and the largest are always included. */
static unsigned size_of(int i)
{
	return i == 0 ? 2 : i == 1 ? INSNS_MAX : 2 + upto(upto(20) ? 8u << upto(8) : INSNS_MAX - 1);
}

static void build(struct program *p, unsigned size)
{
	unsigned nfuncs = size >= 60 && upto(100) < 40 ? 2 + upto(FUNCS_MAX - 1) : 1, starts[FUNCS_MAX + 1];
	int integer;

	memset(p, 0, sizeof(*p));
	p->btf = btf__new_empty();
	integer = btf__add_int(p->btf, "int", 4, BTF_INT_SIGNED);
	p->proto = btf__add_func_proto(p->btf, integer);
	p->chance = (unsigned[]){ 100, 30, 5 }[upto(3)];
	for (unsigned i = 0; i <= nfuncs; i++)
		starts[i] = size * i / nfuncs;
	for (unsigned i = 0; i < nfuncs; i++)
		function(p, i, starts[i + 1] - starts[i], starts, nfuncs);
}

static int load(struct program *p, struct held *held)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);
	int fd;

	if (btf__load_into_kernel(p->btf))
		return -1;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_btf_fd = (unsigned)btf__fd(p->btf), .func_info = p->func,
		    .func_info_cnt = p->nfuncs, .func_info_rec_size = sizeof(p->func[0]), .line_info = p->line,
		    .line_info_cnt = p->nlines, .line_info_rec_size = sizeof(p->line[0]));
	fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "lines_main", "GPL", p->insn, p->n, &opts);
	btf__free(p->btf);
	if (fd >= 0)
		held_add(held, fd);
	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
		return -1;
	printf("%u %u %u\n", info.id, p->n, p->nfuncs);
	return 0;
}

int main(int argc, char **argv)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY }, files = { 4096, 4096 };
	static struct program p;
	struct held held = { 0 };
	int status = 0;

	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	setrlimit(RLIMIT_NOFILE, &files);
	srandom(argc > 2 ? (unsigned)atoi(argv[2]) : 1);
	for (int i = 0; argc > 1 && i < atoi(argv[1]); i++) {
		build(&p, size_of(i));
		if (load(&p, &held)) {
			perror("cannot load a program");
			status = 1;
			break;
		}
	}
	if (!status)
		puts("ready");
	fflush(stdout);
	while (!status && getchar() != EOF)
		;
	held_close(&held);
	return status;
}
