/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ipt DIR RAN DECODED ADDRESS LENGTH: run the function at ADDRESS with the code of DIR (report --text) at the moment
 * RAN, an instruction at a time, in this machine's user space; write what a processor would trace of it (Intel SDM,
 * volume 3, "Intel Processor Trace"); decode that with libipt and the code at the moment DECODED, and compare. LENGTH
 * is what the program reads from its context. Status 0: the same instructions; 1: others; 2: this did not work.
 */
#include <errno.h>
#include <intel-pt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS 100000
#define PAGE 4096ul
#define SHIFT 0xffffffff80000000ul /* from user space to the upper 2 GB, where the kernel has its code */

struct section {
	uint64_t addr, from, to;
	size_t n;
	char path[512];
};
static struct section section[65536];
static size_t nsections;
static uint64_t step[STEPS + 1];
static size_t nsteps;
static unsigned char trace[1 << 20];
static size_t ntrace;

static void fail(const char *what)
{
	fprintf(stderr, "ipt: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* The ten lines of the manual. */
static void index_read(const char *dir)
{
	char path[512], file[128], to[32];
	FILE *f;

	snprintf(path, sizeof(path), "%s/index", dir);
	f = fopen(path, "r");
	if (!f)
		fail(path);
	while (nsections < sizeof(section) / sizeof(section[0])) {
		struct section *s = &section[nsections];

		if (fscanf(f, "%lx %zu %lu %31s %127s%*[^\n]", &s->addr, &s->n, &s->from, to, file) != 5)
			break;
		s->to = strcmp(to, "-") ? strtoull(to, NULL, 10) : UINT64_MAX;
		snprintf(s->path, sizeof(s->path), "%s/%s", dir, file);
		nsections++;
	}
	fclose(f);
}

static int section_is_at(const struct section *s, uint64_t time)
{
	return s->from <= time && time < s->to;
}

static const struct section *section_at(uint64_t ip, uint64_t time)
{
	for (size_t i = 0; i < nsections; i++)
		if (section_is_at(&section[i], time) && ip - section[i].addr < section[i].n)
			return &section[i];
	return NULL;
}

static void section_map(const struct section *s)
{
	const uint64_t at = s->addr - SHIFT, page = at & ~(PAGE - 1);
	FILE *f = fopen(s->path, "rb");

	/* Pages that several have are mapped once. */
	for (uint64_t p = page; p < at + s->n; p += PAGE)
		if (mmap((void *)p, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED &&
		    errno != EEXIST)
			fail("mmap");
	if (!f || fread((void *)at, 1, s->n, f) != s->n)
		fail(s->path);
	fclose(f);
}

static void child(uint64_t addr, uint64_t ran, uint32_t length)
{
	uint32_t *context = calloc(1, PAGE);

	for (size_t i = 0; i < PAGE / sizeof(*context); i++)
		context[i] = length;
	for (size_t i = 0; i < nsections; i++)
		if (section_is_at(&section[i], ran))
			section_map(&section[i]);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		fail("ptrace");
	raise(SIGSTOP);
	((int (*)(void *, void *))(addr - SHIFT))(context, NULL);
	_exit(0);
}

/* Addresses of the instructions, as in the kernel, up to the first outside of the code. */
static void run(uint64_t addr, uint64_t ran, uint32_t length)
{
	const pid_t pid = fork();
	struct user_regs_struct regs;
	int status, in = 0;

	if (!pid)
		child(addr, ran, length);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) && nsteps < STEPS) {
		uint64_t ip;

		if (ptrace(PTRACE_GETREGS, pid, NULL, &regs))
			fail("ptrace");
		ip = regs.rip + SHIFT;
		in |= ip == addr;
		if (in) {
			step[nsteps] = ip;
			if (!section_at(ip, ran) || WSTOPSIG(status) != SIGTRAP)
				break;
			nsteps++;
		}
		ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

static void put(const void *p, size_t n)
{
	if (ntrace + n > sizeof(trace))
		exit(2);
	memcpy(trace + ntrace, p, n);
	ntrace += n;
}

/* A packet with a whole address: TIP, TIP.PGE. */
static void put_ip(unsigned char opcode, uint64_t ip)
{
	const unsigned char head = opcode | 6 << 5;

	put(&head, 1);
	put(&ip, sizeof(ip));
}

/* Branches that were taken or not, up to six of them. */
static unsigned branches, nbranches;
static void branches_put(void)
{
	const unsigned char tnt = (unsigned char)((1u << nbranches | branches) << 1);

	if (nbranches)
		put(&tnt, 1);
	branches = nbranches = 0;
}

static void branch(int taken)
{
	branches = branches << 1 | (taken != 0);
	if (++nbranches == 6)
		branches_put();
}

static void trace_write(void)
{
	static const unsigned char begin[] = { 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
					       0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, /* PSB */
					       0x99, 0x01,				       /* MODE.Exec: 64 bits */
					       0x02, 0x23 };				       /* PSBEND */

	put(begin, sizeof(begin));
	put_ip(0x11, step[0]);
	for (size_t i = 0; i < nsteps; i++) {
		const unsigned char *p = (const unsigned char *)(uintptr_t)(step[i] - SHIFT);

		if (p[0] >= 0x70 && p[0] <= 0x7f) {
			branch(step[i + 1] != step[i] + 2);
		} else if (p[0] == 0x0f && p[1] >= 0x80 && p[1] <= 0x8f) {
			branch(step[i + 1] != step[i] + 6);
		} else if (p[0] == 0xc3 || (p[0] == 0xff && ((p[1] >> 3 & 7) == 2 || (p[1] >> 3 & 7) == 4)) ||
			   (p[0] == 0x41 && p[1] == 0xff && ((p[2] >> 3 & 7) == 2 || (p[2] >> 3 & 7) == 4))) {
			branches_put();
			put_ip(0x0d, step[i + 1]);
		}
	}
	branches_put();
}

static int decode(uint64_t decoded)
{
	struct pt_image *image = pt_image_alloc("bpf");
	struct pt_insn_decoder *d;
	struct pt_config config;
	struct pt_event event;
	struct pt_insn insn;
	size_t n = 0;
	int status;

	pt_config_init(&config);
	config.begin = trace;
	config.end = trace + ntrace;
	d = pt_insn_alloc_decoder(&config);
	for (size_t i = 0; i < nsections; i++)
		if (section_is_at(&section[i], decoded) &&
		    pt_image_add_file(image, section[i].path, 0, section[i].n, NULL, section[i].addr))
			return 2;
	pt_insn_set_image(d, image);
	status = pt_insn_sync_forward(d);
	while (status >= 0) {
		while (status & pts_event_pending) {
			status = pt_insn_event(d, &event, sizeof(event));
			if (status < 0)
				break;
		}
		if (status < 0)
			break;
		status = pt_insn_next(d, &insn, sizeof(insn));
		if (insn.iclass == ptic_error)
			break;
		if (n >= nsteps || insn.ip != step[n]) {
			printf("instruction %zu is at %#lx, not %#lx\n", n, insn.ip, n < nsteps ? step[n] : 0);
			return 1;
		}
		n++;
	}
	printf("%zu of %zu instructions: %s\n", n, nsteps, pt_errstr(pt_errcode(status)));
	return n != nsteps;
}

int main(int argc, char **argv)
{
	uint64_t addr, ran;

	if (argc != 6)
		return 2;
	index_read(argv[1]);
	ran = strtoull(argv[2], NULL, 0);
	addr = strtoull(argv[4], NULL, 0);
	run(addr, ran, (uint32_t)strtoul(argv[5], NULL, 0));
	if (!nsteps)
		return 2;
	/* To look at the instructions. */
	for (size_t i = 0; i < nsections; i++)
		if (section_is_at(&section[i], ran))
			section_map(&section[i]);
	trace_write();
	return decode(strtoull(argv[3], NULL, 0));
}
