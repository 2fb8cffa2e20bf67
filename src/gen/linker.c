/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/newfile.h"
#include "cli/complete.h"
#include "cli/records.h"
#include "gen/file.h"
#include "gen/commands.h"
#include "host/elf/elf.h"
#include "kernel/log.h"
#include "object/coverage/coverage.h"
#include "object/file.h"

struct link_opts {
	const char *out;
	struct arg_list in;
	bool coverage;
	const char *section;
};
static const struct arg link_args[] = {
	OPERAND("OUTPUT", ARG_PATH, struct link_opts, out, "the object file to write; replaced if it exists",
		.output = true),
	OPERAND("OBJ", ARG_REST, struct link_opts, in, "object files", .offers = complete_files),
	ARG("--coverage", ARG_FLAG, struct link_opts, coverage,
	    "add a counter to each basic block, and list the functions; one object file is otherwise left as it is"),
	ARG("--section", ARG_STR, struct link_opts, section,
	    "with --coverage: .data or .data.NAME instead of .data.coverage, for loaders that do not know that",
	    .metavar = "NAME"),
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

/* The object, or what libbpf links. */
static int linked_read(const struct link_opts *o, struct str *ret, struct err *e)
{
	CLEAN_FD fd = -1;
	int err;

	if (o->in.n == 1) {
		err = object_bytes(ret, o->in.word[0]);
		return err ? err_sys(e, err, "cannot read %s", o->in.word[0]) : 0;
	}
	fd = memfd_create("linked", MFD_CLOEXEC);
	if (fd < 0)
		return err_sys(e, -errno, "cannot create a file in memory");
	err = inputs_check(o, e);
	if (!err)
		err = link_to(fd, o, e);
	if (!err && (lseek(fd, 0, SEEK_SET) < 0 || str_read_fd(ret, fd, SIZE_MAX)))
		err = err_sys(e, -errno, "cannot read the linked object");
	return err;
}

static int cover_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	const struct link_opts *o = opts;
	STR in = { 0 };
	STR out = { 0 };
	struct covered covered;
	const struct coverage_ask ask = { .path = o->in.word[0], .section = o->section };
	int err = linked_read(o, &in, e);

	if (!err)
		err = coverage_add(&out, &covered, &ask, &in, env->keep, e);
	if (!err)
		err = gen_file_write(o->out, out.p, out.n, e);
	for (uint32_t i = 0; !err && i < covered.nfuncs; i++)
		*(struct covered_func *)records_add(ret, env) = covered.funcs[i];
	return err;
}

static int link_run(struct env *env, const void *opts, struct err *e)
{
	static const struct records_opts all = { 0 };
	const struct link_opts *o = opts;
	struct newfile file;
	int err;

	if (o->section && !o->coverage)
		return err_usage(e, "'--section' needs '--coverage'");
	if (o->section && strcmp(o->section, ".data") && !str_starts(o->section, ".data."))
		return err_usage(e, "'--section %s': loaders know .data and .data.NAME", o->section);
	if (o->coverage)
		return records_run(env, &all, o, cover_collect, e);
	err = inputs_check(o, e);
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
		"information. With --coverage, any loader loads a program that counts its basic blocks in the map .data.coverage: "
		"bpflens-gen(8) has what that changes. Functions without counters are listed with the reason.",
	.example = "gen object app.bpf.o main.bpf.o maps.bpf.o",
	.schema = &covered_func_schema,
	ARGS(link_args, struct link_opts),
	.flags = CMD_NOSOURCE,
	.run = link_run,
};
