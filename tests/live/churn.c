/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/bpf.h>
#include <mntent.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include "held.h"

/* Create and close programs and maps in a loop until killed, so that ids vanish during a reading. */
static void objects(void)
{
	const struct bpf_insn insns[] = { { .code = 0xb7 }, { .code = 0x95 } };
	struct held held = { 0 };

	puts("ready");
	fflush(stdout);
	for (unsigned round = 0; getppid() != 1; round++) {
		for (int i = 0; i < 64; i++) {
			int fd =
				i & 1 ? bpf_map_create(BPF_MAP_TYPE_HASH, "churn_map", 4, 4, 8, NULL) :
					bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "churn_prog", "GPL", insns, 2, NULL);

			if (fd >= 0)
				held_add(&held, fd);
		}
		usleep(round % 8 ? 500 * (round % 8) : 40000); /* some live for one reading, some for many */
		held_close(&held);			       /* not faster than the kernel frees them */
	}
}

/*
 * Maps with elements that come and go: of 6,000 keys, 3,000 stay (the even ones), and the others are added and deleted.
 * Keys are 8 bytes: the length 64 - 32, and the number as an address.
 */
enum { KEYS = 6000 };
struct churned {
	const char *name;
	enum bpf_map_type type;
	uint32_t flags, value_size;
	int fd;
};

static int update(const struct churned *m, uint32_t number, int inner)
{
	static uint64_t values[1024];
	uint32_t key[2] = { 32, __builtin_bswap32(10u << 24 | number) };

	values[0] = m->type == BPF_MAP_TYPE_HASH_OF_MAPS ? (uint64_t)inner : number;
	return bpf_map_update_elem(m->fd, key, values, 0);
}

static void erase(const struct churned *m, uint32_t number)
{
	uint32_t key[2] = { 32, __builtin_bswap32(10u << 24 | number) };

	bpf_map_delete_elem(m->fd, key);
}

/* In one call: each update of a map of maps waits for every program to end. */
static int fill(const struct churned *m, int inner)
{
	static uint32_t keys[KEYS / 2][2], values[KEYS / 2];
	uint32_t n = KEYS / 2;

	for (uint32_t i = 0; i < n; i++) {
		keys[i][0] = 32;
		keys[i][1] = __builtin_bswap32(10u << 24 | 2 * i);
		values[i] = (uint32_t)inner;
		if (m->type != BPF_MAP_TYPE_HASH_OF_MAPS && update(m, 2 * i, inner))
			return -1;
	}
	return m->type == BPF_MAP_TYPE_HASH_OF_MAPS ? bpf_map_update_batch(m->fd, keys, values, &n, NULL) : 0;
}

static void churn(const struct churned *m, int inner)
{
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		uint32_t number = (uint32_t)random() % (KEYS / 2) * 2 + 1;

		if (random() & 1)
			update(m, number, inner);
		else
			erase(m, number);
		if (!(random() & 255))
			usleep(100);
	}
}

static void elements(void)
{
	struct churned maps[] = {
		{ "hash", BPF_MAP_TYPE_HASH, 0, 8, -1 },
		{ "lru_hash", BPF_MAP_TYPE_LRU_HASH, 0, 8, -1 },
		{ "percpu_hash", BPF_MAP_TYPE_PERCPU_HASH, 0, 8, -1 },
		/* Several batches: only the first comes from the kernel's own walk. */
		{ "lpm_trie", BPF_MAP_TYPE_LPM_TRIE, BPF_F_NO_PREALLOC, 1000, -1 },
		{ "hash_of_maps", BPF_MAP_TYPE_HASH_OF_MAPS, 0, 4, -1 },
	};
	int inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "churn_inner", 4, 4, 1, NULL);

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		struct churned *m = &maps[i];
		struct bpf_map_info info = { 0 };
		uint32_t len = sizeof(info);
		LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = m->flags);

		if (m->type == BPF_MAP_TYPE_HASH_OF_MAPS)
			opts.inner_map_fd = (uint32_t)inner;
		m->fd = bpf_map_create(m->type, "churn_elems", 8, m->value_size, 4 * KEYS, &opts);
		if (m->fd < 0 || bpf_obj_get_info_by_fd(m->fd, &info, &len))
			continue;
		if (fill(m, inner))
			continue;
		printf("%s %u\n", m->name, info.id);
		fflush(stdout);
		churn(m, inner);
	}
	puts("ready");
	fflush(stdout);
	while (getppid() != 1)
		usleep(100000);
}

/* Open and close each new program as soon as it exists, even before its loader has the descriptor. */
static void closer(void)
{
	uint32_t last = 0;

	while (!bpf_prog_get_next_id(last, &last))
		;
	puts("ready");
	fflush(stdout);
	while (getppid() != 1) {
		for (uint32_t id = last + 1; id < last + 4; id++) {
			int fd = bpf_prog_get_fd_by_id(id);

			if (fd < 0)
				continue;
			close(fd);
			last = id;
		}
	}
}

/*
 * Other processes of a machine: each has types, a map, programs, a link, a pin, a cgroup, and some a network namespace,
 * for a moment. About 50 objects in a second.
 */
enum { OTHERS = 6, OTHERS_US = 80000, OTHERS_PER_NETNS = 16 };

static void cgroup_path(char *path, size_t size)
{
	FILE *f = setmntent("/proc/mounts", "r");
	const struct mntent *m;

	*path = '\0';
	while (f && (m = getmntent(f)))
		if (!strcmp(m->mnt_type, "cgroup2"))
			snprintf(path, size, "%s/churn-%d", m->mnt_dir, getpid());
	if (f)
		endmntent(f);
}

static void other(unsigned round)
{
	const struct bpf_insn insns[] = { { .code = 0xb7 }, { .code = 0x95 } };
	LIBBPF_OPTS(bpf_map_create_opts, map, .btf_key_type_id = 1, .btf_value_type_id = 1);
	struct btf *btf = btf__new_empty();
	char pin[64], cgroup[256];
	int fd;

	if (round % OTHERS_PER_NETNS == 0)
		unshare(CLONE_NEWNET);
	cgroup_path(cgroup, sizeof(cgroup));
	mkdir(cgroup, 0700);
	btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	btf__load_into_kernel(btf);
	map.btf_fd = (uint32_t)btf__fd(btf);
	bpf_map_create(BPF_MAP_TYPE_ARRAY, "churn_map", 4, 4, 1, &map);
	bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "churn_prog_name", "GPL", insns, 2, NULL);
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "churn_attached", "GPL", insns, 2, NULL);
	bpf_raw_tracepoint_open("sched_process_exit", fd);
	snprintf(pin, sizeof(pin), "/sys/fs/bpf/churn%d", getpid());
	bpf_obj_pin(fd, pin);
	usleep((useconds_t)random() % (OTHERS * OTHERS_US));
	unlink(pin);
	rmdir(cgroup);
	_exit(0);
}

static void others(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("bpf", "/sys/fs/bpf", "bpf", 0, NULL)) {
		perror("churn");
		return;
	}
	puts("ready");
	fflush(stdout);
	for (unsigned round = 0; getppid() != 1; round++) {
		srandom(round);
		if (!fork())
			other(round);
		usleep(OTHERS_US);
		while (waitpid(-1, NULL, round < OTHERS ? WNOHANG : 0) > 0 && round < OTHERS)
			;
	}
}

int main(int argc, char **argv)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	if (argc > 1 && !strcmp(argv[1], "elements"))
		elements();
	else if (argc > 1 && !strcmp(argv[1], "close"))
		closer();
	else if (argc > 1 && !strcmp(argv[1], "others"))
		others();
	else
		objects();
	return 0;
}
