/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mkobj.h"

enum { LOG_SIZE = 1 << 20 };

/* Settings that the loader of an object makes before loading. */
static void prepare_maps(struct bpf_object *o)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, o) {
		enum bpf_map_type type = bpf_map__type(map);

		bpf_map__set_pin_path(map, NULL);
		if (!bpf_map__max_entries(map) && type != BPF_MAP_TYPE_PERF_EVENT_ARRAY &&
		    type < BPF_MAP_TYPE_SK_STORAGE)
			bpf_map__set_max_entries(map, 128);
		if (type == BPF_MAP_TYPE_STACK_TRACE && bpf_map__value_size(map) < 8)
			bpf_map__set_value_size(map, 127 * 8);
	}
}

/* Write the instructions that the kernel got and the verifier's log: DIR/ID.insns and DIR/ID.log. */
static void keep(const char *dir, int id, const char *what, const void *p, size_t n)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d.%s", dir, id, what);
	f = fopen(path, "w");
	if (!f)
		return;
	fwrite(p, 1, n, f);
	fclose(f);
}

static void loaded(const char *file, struct bpf_program *prog, const char *logs)
{
	int fd = bpf_program__fd(prog);
	size_t n;

	if (fact("prog", bpf_program__name(prog), fd, "object=%s type=%d", file, bpf_program__type(prog)) < 0 || !logs)
		return;
	const char *log = bpf_program__log_buf(prog, &n);
	keep(logs, object_id(fd), "insns", bpf_program__insns(prog),
	     bpf_program__insn_cnt(prog) * sizeof(struct bpf_insn));
	keep(logs, object_id(fd), "log", log, log ? strlen(log) : 0);
}

/* Load the program @only, or all of them. Objects stay open, so that their descriptors stay open. 0 or -errno. */
static int load_file(const char *path, const char *file, const char *only, const char *logs)
{
	struct bpf_object *o = bpf_object__open_file(path, NULL);
	struct bpf_program *prog;
	char *log[MAX_PROGS] = { NULL };
	size_t n = 0;
	int err;

	if (!o)
		return -errno;
	prepare_maps(o);
	bpf_object__for_each_program(prog, o) {
		bool wanted = !only || !strcmp(bpf_program__name(prog), only);

		bpf_program__set_autoload(prog, wanted);
		if (!wanted || !logs || n == MAX_PROGS)
			continue;
		log[n] = calloc(1, LOG_SIZE);
		bpf_program__set_log_buf(prog, log[n++], LOG_SIZE);
		bpf_program__set_log_level(prog, 2);
	}
	err = bpf_object__load(o);
	bpf_object__for_each_program(prog, o) {
		if (!err && bpf_program__autoload(prog))
			loaded(file, prog, logs);
	}
	if (err)
		bpf_object__close(o);
	while (n)
		free(log[--n]);
	if (err == -ENOSPC && logs) /* the log is longer than the buffer */
		return load_file(path, file, only, NULL);
	return err;
}

static int names_of(const char *path, char names[MAX_PROGS][128])
{
	struct bpf_object *o = bpf_object__open_file(path, NULL);
	struct bpf_program *prog;
	int n = 0;

	if (!o)
		return -errno;
	bpf_object__for_each_program(prog, o) {
		if (n < MAX_PROGS)
			snprintf(names[n++], sizeof(names[0]), "%s", bpf_program__name(prog));
	}
	bpf_object__close(o);
	return n;
}

void make_file(const char *path, const char *logs)
{
	static char names[MAX_PROGS][128];
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	int n = names_of(path, names), err;

	if (n > 1 && !load_file(path, file, NULL, logs))
		return;
	if (n <= 0)
		printf("refused %d - object=%s\n", -n, file);
	for (int i = 0; i < n; i++) { /* a program that this kernel refuses does not stop the others */
		err = load_file(path, file, names[i], logs);
		if (err)
			printf("refused %d %s object=%s\n", -err, names[i], file);
	}
}
