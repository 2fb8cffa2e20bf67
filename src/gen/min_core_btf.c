/* SPDX-License-Identifier: BSD-2-Clause */

#include "types/btf.h"
#include "types/files.h"
#include "types/nesting.h"
#include "cli/command.h"
#include "cli/complete.h"
#include "gen/commands.h"
#include "gen/file.h"
#include "gen/wanted.h"
#include "object/core.h"
#include "object/file.h"

struct min_opts {
	const char *in, *out;
	struct arg_list objects;
};
static const struct arg min_args[] = {
	OPERAND("INPUT", ARG_PATH, struct min_opts, in, "the types of a kernel: raw BTF, or an ELF file"),
	OPERAND("OUTPUT", ARG_PATH, struct min_opts, out, "file to write the needed types to; replaced if it exists",
		.output = true),
	OPERAND("OBJ", ARG_REST, struct min_opts, objects, "object files", .offers = complete_files),
};

static void found_want(struct wanted *w, uint32_t kind, const struct core_found *found)
{
	if (kind == CORE_TYPE_MATCHES)
		wanted_whole(w, found->type);
	else if (kind <= CORE_RSHIFT)
		wanted_field(w, found);
	else
		wanted_type(w, found->type);
}

/*
 * Of several types with the same result, only the first is kept. Types with another result are also kept, because
 * libbpf then does not load the object, and must not load it with the reduced types either. False: no type matches, so
 * the relocation has no target, with all types as with the reduced ones.
 */
static bool reloc_want(struct wanted *w, struct core_target *t, const struct core_reloc *r)
{
	struct core_found first, other;

	if (r->kind == CORE_TYPE_ID_LOCAL || !core_find(t, r, 0, &first))
		return false;
	found_want(w, r->kind, &first);
	for (uint32_t after = first.type; core_find(t, r, after, &other); after = other.type)
		if (other.bits != first.bits || other.value != first.value)
			found_want(w, r->kind, &other);
	return true;
}

/* A relocation for a type id, as in bpf_core_cast(): the reduced types have other ids. */
static void number_wanted(struct env *env, const char *path, const struct object *o, const struct core_reloc *r)
{
	report_note(env->report, "%s asks for the id of type %s in the kernel, which is different in the reduced BTF",
		    path, btf_name(o->btf, r->type));
}

static int object_want(struct env *env, struct wanted *w, const char *path, struct err *e)
{
	const struct object_path which = { .path = path };
	struct core_target t;
	struct object *o;
	int err = object_open(env, &which, &o, e);

	if (err)
		return err;
	if (!o->btf) {
		err_set(e, -ENODATA, "%s has no section .BTF", path);
		return err_hint(e, "compile it with -g");
	}
	err = nesting_check(o->btf, e);
	if (err)
		return err_in(e, "%s", path);
	core_target_init(&t, w->t, o->btf, env->keep);
	for (uint32_t s = 1; o->ext[EXT_CORE] && s < o->elf.nsects; s++)
		for (uint32_t i = 0; i < o->ext[EXT_CORE][s].n; i++) {
			const struct core_reloc r = core_reloc(o, &o->ext[EXT_CORE][s], i);

			if (r.kind >= CORE_KINDS)
				return err_set(e, -ENOTSUP, "%s has relocations of the unknown kind %u", path, r.kind);
			if (reloc_want(w, &t, &r) && r.kind == CORE_TYPE_ID_TARGET)
				number_wanted(env, path, o, &r);
		}
	return 0;
}

static int min_run(struct env *env, const void *opts, struct err *e)
{
	const struct min_opts *o = opts;
	BTF_FILES files = { 0 };
	STR bytes = { 0 };
	struct wanted w;
	int err = btf_files_read(&files, &o->in, 1, env->opts->base_btf, e);

	if (!err && (err = nesting_check(files.types, e)))
		err_in(e, "%s", o->in);
	if (err)
		return err;
	wanted_init(&w, files.types, env->keep);
	for (size_t i = 0; i < o->objects.n && !err; i++)
		err = object_want(env, &w, o->objects.word[i], e);
	if (err)
		return err;
	wanted_bytes(&w, env->keep, &bytes);
	return gen_file_write(o->out, bytes.p, bytes.n, e);
}

const struct command gen_min_core_btf = {
	.name = "min_core_btf",
	.summary = "write the part of a kernel's types that objects need",
	.help = "Writes raw BTF with those of a kernel's types that the CO-RE relocations of the objects need: small "
		"enough to be shipped with them, for kernels without BTF. Objects load with it, by libbpf's option "
		"btf_custom_path, as with all types. Objects that ask for the id of a type in the kernel, as "
		"bpf_core_cast() does, are exceptions: a note reports them.",
	.example = "gen min_core_btf vmlinux-5.4.btf 5.4.btf app.bpf.o",
	ARGS(min_args, struct min_opts),
	.flags = CMD_NOSOURCE,
	.run = min_run,
};
