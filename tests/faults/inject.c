/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define LEFT_MS 1000

/*
 * Preloaded into the program under test, this starts it repeatedly and refuses one call of each run: the n-th
 * system call of a kind, or the n-th allocation. It is controlled by a socket, FAULT_SOCKET in the environment: for
 * each struct request it forks a child, which runs the program as if it had just been started, and sends a struct reply
 * when the child has ended.
 *
 * A seccomp filter sends the calls to a handler in the process itself, so those of libc are included; the handler makes
 * them again from an instruction that the filter allows. Processes and threads are counted where libc creates them: a
 * new stack cannot return from a handler.
 */
enum { NOTHING = -1, MALLOC = -2, FORK = -3 }; /* kinds that are not the number of a system call */
struct request {
	int32_t sort, error;
	uint64_t nth; /* from 1; 0: refuse none */
};
struct reply {
	int32_t status;		/* of waitpid(2) */
	int32_t left;		/* processes that it left running */
	uint64_t seen, refused; /* calls of the kind; whether the n-th was made */
};
struct counts {
	uint64_t seen, refused;
};
static volatile struct counts *counts; /* shared with children */
static uint64_t nth;
static int error;
static int sort = NOTHING;

static bool refuse(void)
{
	if (__atomic_add_fetch(&counts->seen, 1, __ATOMIC_RELAXED) != nth)
		return false;
	counts->refused = 1;
	return true;
}

extern const char fault_passes[]; /* after the instruction that may call the kernel */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#define REG(uc, i) ((uc)->uc_mcontext.gregs[(const int[]){ REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9 }[i]])
#define RESULT(uc) ((uc)->uc_mcontext.gregs[REG_RAX])
static __attribute__((noinline)) long again(long nr, const long a[6])
{
	register long r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4], r9 __asm__("r9") = a[5];
	long ret;

	__asm__ volatile("syscall\n.globl fault_passes\nfault_passes:"
			 : "=a"(ret)
			 : "0"(nr), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#define REG(uc, i) ((uc)->uc_mcontext.regs[i])
#define RESULT(uc) ((uc)->uc_mcontext.regs[0])
static __attribute__((noinline)) long again(long nr, const long a[6])
{
	register long x8 __asm__("x8") = nr, x0 __asm__("x0") = a[0], x1 __asm__("x1") = a[1], x2 __asm__("x2") = a[2];
	register long x3 __asm__("x3") = a[3], x4 __asm__("x4") = a[4], x5 __asm__("x5") = a[5];

	__asm__ volatile("svc #0\n.globl fault_passes\nfault_passes:"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
#error "the handler knows x86_64 and aarch64"
#endif

static void trapped(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	long a[6];

	(void)sig;
	for (int i = 0; i < 6; i++)
		a[i] = (long)REG(uc, i);
	RESULT(uc) = refuse() ? -error : again(si->si_syscall, a);
}

static int filter(unsigned nr)
{
	uint64_t at = (uintptr_t)fault_passes;
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 0, 7),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)at, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(at >> 32), 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(f) / sizeof(f[0]), f };
	struct sigaction sa = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(SIGSYS, &sa, NULL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0);
}

/* Processes that the child left become children of this process. They get a moment to end, because the child has ended.
 */
static int reap(void)
{
	for (int ms = 0; ms < LEFT_MS; ms++) {
		pid_t pid;

		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0)
			return 0;
		usleep(1000);
	}
	return 1;
}

pid_t __fork(void);

/* Returns in each child, once. */
static void serve(int from)
{
	struct request r;
	struct reply reply;
	char unused;

	while (recv(from, &r, sizeof(r), 0) == sizeof(r)) {
		pid_t pid;

		counts->seen = counts->refused = 0;
		pid = __fork();
		if (!pid) {
			close(from);
			nth = r.nth;
			error = r.error;
			/* The first call of newer glibc maps memory with signals blocked, and a filter that cannot send
			 * SIGSYS kills. */
			getrandom(&unused, sizeof(unused), 0);
			if (r.sort >= 0 && filter((unsigned)r.sort))
				_exit(99);
			sort = r.sort;
			return;
		}
		if (pid < 0 || send(from, &pid, sizeof(pid), 0) < 0 || waitpid(pid, &reply.status, 0) != pid)
			_exit(99);
		reply.left = reap();
		reply.seen = counts->seen;
		reply.refused = counts->refused;
		if (send(from, &reply, sizeof(reply), 0) < 0)
			break;
	}
	_exit(0);
}

static __attribute__((constructor)) void start(void)
{
	const char *from = getenv("FAULT_SOCKET");

	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!from || counts == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
		_exit(99);
	unsetenv("LD_PRELOAD");
	serve(atoi(from));
}

/* glibc's names of the functions that are replaced here. */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

void *malloc(size_t n)
{
	return sort == MALLOC && refuse() ? errno = ENOMEM, NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return sort == MALLOC && refuse() ? errno = ENOMEM, NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return sort == MALLOC && refuse() ? errno = ENOMEM, NULL : __libc_realloc(p, n);
}

pid_t fork(void)
{
	return sort == FORK && refuse() ? errno = error, -1 : __fork();
}

pid_t vfork(void)
{
	return fork();
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		dlsym(RTLD_NEXT, "pthread_create");

	return sort == FORK && refuse() ? error : next(thread, attr, run, arg);
}

/* zlib's: files of save are not compressed, because that takes longer than all else. */
int deflateInit2_(void *z, int level, int method, int bits, int memory, int strategy, const char *version, int size)
{
	int (*next)(void *, int, int, int, int, int, const char *, int) = dlsym(RTLD_NEXT, "deflateInit2_");

	(void)level;
	return next ? next(z, 0, method, bits, memory, strategy, version, size) : -2;
}
