/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>

/*
 * Measures loads of programs, which are closed at once, and other system calls. Prints "NAME MICROSECONDS", the median,
 * for each. With RATE and SECONDS: loads RATE small programs per second for this time, and prints "loads N". With
 * "run": measures a computation, and 1,000 runs of a small program. usage: loads [run | RATE SECONDS]
 */
#define INSNS 4096
#define MANY 20000
/* A kernel that has to free many programs at once may hang. */
enum { SLICE = 50, SLICE_US = 20000 };

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "loads: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void median_print(const char *name, double *took, unsigned n)
{
	qsort(took, n, sizeof(*took), ascending);
	printf("%s %.3f\n", name, took[n / 2]);
}

/* Returns the descriptor of a program. *ret_us: microseconds that its load took. */
static int load_open(unsigned insns, double *ret_us)
{
	static struct bpf_insn insn[INSNS];
	union bpf_attr attr;
	double took;
	int fd;

	insn[0] = (struct bpf_insn){ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0 };
	for (unsigned i = 1; i < insns - 1; i++)
		insn[i] = (struct bpf_insn){ BPF_ALU64 | BPF_ADD | BPF_K, 0, 0, 0, (int)i };
	insn[insns - 1] = (struct bpf_insn){ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 };
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)insn;
	attr.insn_cnt = insns;
	attr.license = (uintptr_t) "GPL";
	took = now();
	fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	took = now() - took;
	if (fd < 0)
		die("load");
	*ret_us = took;
	return fd;
}

static double load(unsigned insns)
{
	double ret;

	close(load_open(insns, &ret));
	return ret;
}

static void loads(const char *name, unsigned insns, unsigned n)
{
	double took[400];

	for (unsigned i = 0; i < n; i++) {
		took[i] = load(insns);
		if (i % SLICE == SLICE - 1)
			usleep(SLICE_US);
	}
	median_print(name, took, n);
}

static void others(void)
{
	static double took[MANY];
	int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "loads", 4, 8, 1, NULL);
	uint32_t key = 0;
	uint64_t value;

	if (map < 0)
		die("map");
	for (unsigned i = 0; i < MANY; i++) {
		took[i] = now();
		bpf_map_lookup_elem(map, &key, &value);
		took[i] = now() - took[i];
	}
	median_print("bpf", took, MANY);
	for (unsigned i = 0; i < MANY; i++) {
		took[i] = now();
		syscall(SYS_getppid);
		took[i] = now() - took[i];
	}
	median_print("getppid", took, MANY);
	close(map);
}

static void at_rate(unsigned rate, unsigned seconds)
{
	const double begin = now(), each = 1e6 / rate;
	const unsigned n = rate * seconds;

	for (unsigned i = 0; i < n; i++) {
		const double wait = begin + i * each - now();

		if (wait > 0)
			usleep((useconds_t)wait);
		load(16);
	}
	printf("loads %u\n", n);
}

static void computing(void)
{
	volatile uint64_t sum = 1;
	double took[101];

	for (unsigned i = 0; i < 101; i++) {
		took[i] = now();
		for (unsigned n = 0; n < 10000000; n++)
			sum = sum * 3 + n;
		took[i] = now() - took[i];
	}
	median_print("compute", took, 101);
}

static void running(void)
{
	static double took[1000];
	unsigned char data[64] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = data, .data_size_in = sizeof(data), .repeat = 1000);
	double unused;
	int fd = load_open(16, &unused);

	for (unsigned i = 0; i < 1000; i++) {
		took[i] = now();
		if (bpf_prog_test_run_opts(fd, &opts))
			die("run");
		took[i] = now() - took[i];
	}
	median_print("run", took, 1000);
	close(fd);
}

int main(int argc, char **argv)
{
	const int rate = argc > 2 ? atoi(argv[1]) : 0, seconds = argc > 2 ? atoi(argv[2]) : 0;

	if (rate > 0 && seconds > 0) {
		at_rate((unsigned)rate, (unsigned)seconds);
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "run")) {
		computing();
		running();
		return 0;
	}
	loads("2", 2, 400);
	loads("300", 300, 400);
	loads("4000", 4000, 100);
	others();
	return 0;
}
