/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bytes_file.h"
#include "cli/command.h"
#include "render/jsonw.h"
#include "source/file/tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Two archives with any answers, and a command that reads several machines. Input: which command (a byte), then answers
 * in turn for one and the other machine: which question (a byte), length (two bytes), bytes. JSON is made by one
 * process.
 */
enum { MACHINES = 2 };
static const char *const commands[][6] = {
	{ "prog", "list" },
	{ "map", "show" },
	{ "link", "list", "-o", "+id" },
	{ "btf", "list" },
	{ "ls" },
	{ "mem" },
	{ "orphans" },
	{ "pin", "list" },
	{ "net", "list" },
	{ "prog", "show", "id", "1" },
};
static const char *const keys[] = { "prog/ids",	      "map/ids",      "link/ids",	   "btf/ids",
				    "prog/1/info",    "map/1/info",   "link/1/info",	   "btf/1/info",
				    "prog/1/fdinfo",  "map/1/fdinfo", "sys/pins",	   "sys/holders",
				    "prog/1/map_ids", "sys/created",  "sys/boot_realtime", "sys/kallsyms" };
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static void add(struct tar_writer *w, const char *key, const void *p, size_t n)
{
	STR name = { 0 };

	tar_name_put(&name, key);
	tar_writer_add(w, name.p, p, n, NULL);
}

static void archives_write(const uint8_t *p, size_t left, const int *fd)
{
	static const char meta[] = "bpflens 0.1.0\ncreated 2026-11-23T00:47:42Z\nendian little\nformat 2\n";
	struct tar_writer *w[MACHINES] = { 0 };

	for (unsigned i = 0; i < MACHINES; i++) {
		if (tar_writer_open(&w[i], fd[i], NULL))
			abort();
		add(w[i], "meta", meta, sizeof(meta) - 1);
	}
	for (unsigned i = 0; left >= 3; i++) {
		size_t n = p[1] | (size_t)p[2] << 8;

		n = n < left - 3 ? n : left - 3;
		add(w[i % MACHINES], keys[p[0] % COUNT(keys)], p + 3, n);
		p += 3 + n;
		left -= 3 + n;
	}
	for (unsigned i = 0; i < MACHINES; i++) {
		tar_writer_finish(w[i], NULL);
		tar_writer_close(&w[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd[MACHINES] = { bytes_file(NULL, 0), bytes_file(NULL, 0) }, null = open("/dev/null", O_WRONLY | O_CLOEXEC),
	    argc = 0;
	const struct bytes_path path[MACHINES] = { bytes_path(fd[0]), bytes_path(fd[1]) };
	struct globals opts = { .color = "never", .no_pager = true, .json = true, .nfroms = MACHINES };
	const char *const *argv = size ? commands[data[0] % COUNT(commands)] : commands[0];
	struct err e = { 0 };
	struct jsonw jw;
	struct out out;
	struct report report = { .out = &out, .jw = &jw };
	struct env env;

	archives_write(data + !!size, size - !!size, fd);
	opts.froms[0] = path[0].text;
	opts.from = opts.froms[1] = path[1].text;
	while (argc < 6 && argv[argc])
		argc++;
	out_init(&out, null);
	jsonw_init(&jw, &out, false);
	env_init(&env, &opts, &report);
	command_main(&env, argc, argv, &e);
	if (jw.depth || jw.named)
		abort();
	out_close(&out, NULL);
	env_close(&env);
	report_release(&report);
	for (unsigned i = 0; i < MACHINES; i++)
		close(fd[i]);
	close(null);
	return 0;
}
