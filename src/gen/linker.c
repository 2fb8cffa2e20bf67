/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/newfile.h"
#include "cli/command.h"
#include "cli/complete.h"
#include "gen/commands.h"
#include "host/elf/elf.h"
#include "kernel/log.h"
#include "object/file.h"

struct link_opts {
	const char *out;
	struct arg_list in;
};
static const struct arg link_args[] = {
	OPERAND("OUTPUT", ARG_PATH, struct link_opts, out, "the object file to write; replaced if it exists",
		.output = true),
	OPERAND("OBJ", ARG_REST, struct link_opts, in, "object files", .offers = complete_files),
};

static int inputs_check(const struct link_opts *o, struct err *e)
{
	int err = 0;

	for (size_t i = 0; i < o->in.n && !err; i++) {
		STR bytes = { 0 };

		err = object_bytes(&bytes, o->in.word[i]);
		err = err ? err_sys(e, err, "cannot read %s", o->in.word[i]) : object_check(o->in.word[i], &bytes, e);
	}
	return err;
}

/* libbpf links only files with types. */
static int not_linked(const char *path, int err, struct err *e)
{
	STR bytes = { 0 };
	const void *types;
	size_t n;

	if (object_bytes(&bytes, path) || elf_section(bytes.p, bytes.n, ".BTF", &types, &n) != -ENOENT)
		return err_sys(e, err, "cannot link %s", path);
	err_set(e, err, "cannot link %s: it has no types (section .BTF)", path);
	return err_hint(e, "compile it with -g");
}

/*
 * libbpf has one error for all that can go wrong when it writes. If the file system has no room for as much as the
 * inputs, that was it. 0 or -errno.
 */
static int room_check(int fd, const struct arg_list *in)
{
	off_t sum = 0;
	int err;

	for (size_t i = 0; i < in->n; i++) {
		struct stat st;

		sum += stat(in->word[i], &st) ? 0 : st.st_size;
	}
	err = posix_fallocate(fd, 0, sum);
	return err == ENOSPC || err == EDQUOT || err == EFBIG ? -err : 0;
}

static int linked(struct bpf_linker *linker, int fd, const struct link_opts *o, struct err *e)
{
	int err = 0, room;

	for (size_t i = 0; i < o->in.n; i++) {
		err = bpf_linker__add_file(linker, o->in.word[i], NULL);
		if (err)
			return not_linked(o->in.word[i], log_error(err), e);
	}
	err = bpf_linker__finalize(linker);
	room = err ? room_check(fd, &o->in) : 0;
	if (room)
		return err_sys(e, room, "%s: cannot write the output", o->out);
	return err ? err_sys(e, log_error(err), "cannot link these objects") : 0;
}

/* libbpf opens its output by name, so pass the descriptor as a path. */
static int link_to(int fd, const struct link_opts *o, struct err *e)
{
	struct bpf_linker *linker;
	char path[40];
	int err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	linker = bpf_linker__new(path, NULL);
	err = linker ? linked(linker, fd, o, e) : err_sys(e, log_error(-errno), "libbpf cannot write the output");
	bpf_linker__free(linker);
	return err;
}

static int link_run(struct env *env, const void *opts, struct err *e)
{
	const struct link_opts *o = opts;
	struct newfile file;
	int err = inputs_check(o, e);

	if (err)
		return err;
	err = newfile_open(&file, o->out, e);
	if (!err)
		err = link_to(file.fd, o, e);
	if (!err)
		err = newfile_publish(&file, e);
	newfile_release(&file);
	return err;
}

const struct command gen_link = {
	.name = "object",
	.summary = "link object files into one",
	.help = "Combines sections, symbols, maps and types of several object files like a linker: what is extern in "
		"one file is defined in another. With one file, removes what libbpf does not need, such as debug "
		"information.",
	.example = "gen object app.bpf.o main.bpf.o maps.bpf.o",
	ARGS(link_args, struct link_opts),
	.flags = CMD_NOSOURCE,
	.run = link_run,
};
