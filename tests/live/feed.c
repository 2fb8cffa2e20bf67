/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "mkobj.h"

/*
 * Loads an object file and prints its maps: "map ID NAME", then "ready 0 PID"; maps of local storage get a
 * value of this process; cgroup storage one of the directory in the second argument. Then it reads lines on stdin,
 * "PROGRAM [NUMBER [CPU]]": runs a program of the file with NUMBER as its first argument, and prints the return value.
 */
static int run(struct bpf_object *o, const char *line)
{
	unsigned long long args[2] = { 0 };
	unsigned cpu = 0;
	char name[32];
	int words = sscanf(line, "%31s %llu %u", name, &args[0], &cpu);
	struct bpf_program *prog = bpf_object__find_program_by_name(o, name);
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args), .cpu = cpu,
		    .flags = words > 2 ? BPF_F_TEST_RUN_ON_CPU : 0);
	int err = prog ? bpf_prog_test_run_opts(bpf_program__fd(prog), &opts) : -ENOENT;

	return err ? err : (int)opts.retval;
}

/* A TCP socket that listens on the loopback device; the value is its port. */
static int listening(int family, int *port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	socklen_t len = family == AF_INET ? sizeof(in) : sizeof(in6);
	void *addr = family == AF_INET ? (void *)&in : (void *)&in6;
	int fd = socket(family, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, addr, len) || listen(fd, 1) || getsockname(fd, addr, &len))
		return -1;
	*port = ntohs(family == AF_INET ? in.sin_port : in6.sin6_port);
	return fd;
}

/* 1: put values in a map of local storage: of this process, its sockets, the directory or the cgroup @dir. */
static int store(const struct bpf_map *map, const char *dir)
{
	struct {
		int n;
		char word[8];
	} value = { 7, "feed" };
	int fd = -1;

	switch ((int)bpf_map__type(map)) {
	case BPF_MAP_TYPE_TASK_STORAGE:
		fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
		break;
	case BPF_MAP_TYPE_SK_STORAGE:
		fd = listening(AF_INET6, &value.n);
		bpf_map_update_elem(bpf_map__fd(map), &fd, &value, BPF_ANY);
		fd = listening(AF_INET, &value.n);
		break;
	case TYPE_CGRP_STORAGE:
	case BPF_MAP_TYPE_INODE_STORAGE:
		fd = open(dir, O_RDONLY | O_DIRECTORY);
		break;
	default:
		return 0;
	}
	return !bpf_map_update_elem(bpf_map__fd(map), &fd, &value, BPF_ANY);
}

int main(int argc, char **argv)
{
	struct bpf_object *o = bpf_object__open_file(argc > 1 ? argv[1] : "", NULL);
	struct bpf_map *map;
	char line[128];

	/* A map type that this kernel lacks does not stop the others. */
	if (o)
		bpf_object__for_each_map(map, o)
			if (!libbpf_probe_bpf_map_type(bpf_map__type(map), NULL))
				bpf_map__set_autocreate(map, false);
	if (!o || bpf_object__load(o)) {
		fprintf(stderr, "cannot load %s: %s\n", argc > 1 ? argv[1] : "nothing", strerror(errno));
		return 1;
	}
	bpf_object__for_each_map(map, o) {
		struct bpf_map_info info = { 0 };
		unsigned len = sizeof(info);

		if (!bpf_map__autocreate(map))
			continue;
		int stored = store(map, argc > 2 ? argv[2] : "/");

		if (!bpf_obj_get_info_by_fd(bpf_map__fd(map), &info, &len))
			printf("map %u %s%s\n", info.id, bpf_map__name(map), stored ? " stored" : "");
	}
	printf("ready 0 %d\n", getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		printf("%d\n", run(o, line));
		fflush(stdout);
	}
	return 0;
}
