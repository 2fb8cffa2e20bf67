/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/*
 * Loads an object file and says which maps it made: "map ID NAME", then "ready 0 PID". Then it obeys lines on stdin,
 * "PROGRAM [NUMBER [CPU]]": runs a program of it, NUMBER is its first argument, and says what it returned.
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

int main(int argc, char **argv)
{
	struct bpf_object *o = bpf_object__open_file(argc > 1 ? argv[1] : "", NULL);
	struct bpf_map *map;
	char line[128];

	if (!o || bpf_object__load(o)) {
		fprintf(stderr, "cannot load %s: %s\n", argc > 1 ? argv[1] : "nothing", strerror(errno));
		return 1;
	}
	bpf_object__for_each_map(map, o) {
		struct bpf_map_info info = { 0 };
		unsigned len = sizeof(info);

		if (!bpf_obj_get_info_by_fd(bpf_map__fd(map), &info, &len))
			printf("map %u %s\n", info.id, bpf_map__name(map));
	}
	printf("ready 0 %d\n", getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		printf("%d\n", run(o, line));
		fflush(stdout);
	}
	return 0;
}
