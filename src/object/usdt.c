/* SPDX-License-Identifier: BSD-2-Clause */
#include "object/usdt.h"

#include <fcntl.h>

#include "cli/records.h"
#include "record/field.h"

struct usdt_rec {
	const char *provider, *name;
	uint64_t address, offset, semaphore;
	const char *const *args;
	uint32_t nargs;
};
#define D .flags = FIELD_DEFAULT
static const struct field fields[] = {
	FIELD(usdt_rec, provider, "provider", "who defines the probe", D),
	FIELD(usdt_rec, name, "name", "its name", .role = ROLE_NAME, .title = "PROBE", D),
	FIELD(usdt_rec, address, "location", "address of its instruction, as linked", .unit = FU_HEX, D),
	FIELD(usdt_rec, offset, "offset", "offset in bytes, of its instruction in the file, which uprobes need",
	      .unit = FU_HEX, D),
	FIELD(usdt_rec, semaphore, "semaphore",
	      "address of the counter that is not 0 while the probe is used; none: it always fires", .unit = FU_HEX,
	      .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD_LIST(usdt_rec, args, nargs, FT_STR, "arguments",
		   "its arguments: signed or unsigned, bits, and where, in the words of the assembler",
		   .flags = FIELD_DEFAULT | FIELD_NONZERO, .drop = 1),
};
static const struct schema schema_usdt = SCHEMA("usdt", usdt_rec, fields);

struct usdt_opts {
	const char *path;
	struct records_opts records;
};
static const struct arg args[] = {
	OPERAND("FILE", ARG_PATH, struct usdt_opts, path, "a program or shared library"),
	RECORDS_ARGS(struct usdt_opts, records),
};

int usdt_probes_read(struct usdt_file *ret, const char *path, struct arena *a, struct err *e)
{
	CLEAN_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int err = fd < 0 ? -errno : usdt_read(ret, fd, a);

	switch (err) {
	case 0:
		return 0;
	case -ENOEXEC:
		return err_set(e, err, "%s is not a program or library", path);
	case -ENODATA:
		err_set(e, -ENOENT, "%s has no USDT probes", path);
		return err_hint(e, "they are in its section .note.stapsdt; libraries that it uses may have some");
	case -EBADMSG:
		return err_set(e, err, "%s: its section .note.stapsdt is damaged", path);
	default:
		return err_sys(e, err, "%s", path);
	}
}

/* "s32 %edi" */
static const char *arg_text(const struct usdt_arg *arg, struct arena *a)
{
	return arg->size ? arena_fmt(a, "%c%u %s",
				     arg->is_float  ? 'f' :
				     arg->is_signed ? 's' :
						      'u',
				     arg->size * 8, arg->where) :
			   arg->where;
}

static void args_read(struct usdt_rec *r, const char *text, struct arena *a)
{
	const char **list = NULL;
	struct usdt_arg arg;
	size_t n = 0, cap = 0;

	while (usdt_arg_next(&text, &arg, a)) {
		ARENA_MORE(a, list, n, cap);
		list[n++] = arg_text(&arg, a);
	}
	r->args = list;
	r->nargs = (uint32_t)n;
}

static int usdt_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	const struct usdt_opts *o = opts;
	struct usdt_file f;
	int err = usdt_probes_read(&f, o->path, env->keep, e);

	for (size_t i = 0; !err && i < f.n; i++) {
		struct usdt_rec *r = records_add(ret, env);

		*r = (struct usdt_rec){ .provider = f.probes[i].provider,
					.name = f.probes[i].name,
					.address = f.probes[i].address,
					.offset = f.probes[i].offset,
					.semaphore = f.probes[i].semaphore };
		args_read(r, f.probes[i].args, env->keep);
	}
	if (!err && f.outside)
		report_note(env->report,
			    "%s: notes of %zu probe%s are left out: they are at addresses that it does not load",
			    o->path, f.outside, plural(f.outside));
	return err;
}

const struct command object_usdt = {
	.name = "usdt",
	.summary = "list the USDT probes of a program or library",
	.help = "A probe that is in several places has a row for each. Programs with a section usdt/PATH:PROVIDER:NAME are attached to "
		"them, and with `attach`.",
	.example = "object usdt /usr/lib/x86_64-linux-gnu/libstdc++.so.6",
	.schema = &schema_usdt,
	ARGS(args, struct usdt_opts),
	.flags = CMD_NOSOURCE | CMD_OURS,
	COLLECT(usdt_collect, struct usdt_opts),
};
