/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/bpf.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
#include <bpf/bpf.h>

/* Make and close programs, maps and BTF-less links in a loop until killed, so that ids vanish under a reader. */
int main(void)
{
	const struct bpf_insn insns[] = { { .code = 0xb7 }, { .code = 0x95 } };
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	int fds[64];

	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	puts("ready");
	fflush(stdout);
	for (unsigned round = 0; getppid() != 1; round++) {
		for (int i = 0; i < 64; i++) {
			if (i & 1)
				fds[i] = bpf_map_create(BPF_MAP_TYPE_HASH, "churn_map", 4, 4, 8, NULL);
			else
				fds[i] = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "churn_prog", "GPL", insns, 2, NULL);
		}
		usleep(round % 8 ? 500 * (round % 8) : 40000);	/* some live for one look, some for many */
		for (int i = 0; i < 64; i++)
			if (fds[i] >= 0)
				close(fds[i]);
	}
	return 0;
}
