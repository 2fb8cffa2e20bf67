/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/command.h"
#include "cli/fleet.h"
#include "object/dump.h"
#include "object/file.h"
#include "object/needs.h"
#include "object/refusals.h"
#include "record/field.h"
#include "render/doc.h"

const char *const needed_words[NEEDED_KINDS] = {
	[NEEDED_PROG_TYPE] = "prog_type",
	[NEEDED_ATTACH_TYPE] = "attach_type",
	[NEEDED_TARGET] = "target",
	[NEEDED_HELPER] = "helper",
	[NEEDED_KFUNC] = "kfunc",
	[NEEDED_KSYM] = "ksym",
	[NEEDED_KCONFIG] = "kconfig",
	[NEEDED_MAP_TYPE] = "map_type",
	[NEEDED_MAP_FLAG] = "map_flag",
	[NEEDED_MAP_SIZE] = "map_size",
	[NEEDED_PIN] = "pin",
	[NEEDED_LIBBPF] = "libbpf",
	[NEEDED_TYPE] = "type",
	[NEEDED_MEMBER] = "member",
	[NEEDED_ENUMERATOR] = "enumerator",
	[NEEDED_FEATURE] = "feature",
};
static const struct names kind_names = NAMES(needed_words);
static const char *const state_words[NEEDED_STATES] = {
	[NEEDED_MISSING] = "missing",
	[NEEDED_LOADER] = "loader",
	[NEEDED_UNKNOWN] = "unknown",
	[NEEDED_HERE] = "there",
};
static const struct names state_names = NAMES(state_words);

static const struct field need_fields[] = {
	FIELD_AS(needed, kind, FT_ENUM, "kind", "kind (of the requirement)", .role = ROLE_KIND, .names = &kind_names,
		 .plain = "%"),
	FIELD(needed, name, "name", "its name", .role = ROLE_NAME, .plain = " %"),
	FIELD(needed, type, "type", "program type that needs to call the helper", .role = ROLE_KIND, .plain = " (%)",
	      .flags = FIELD_NONZERO),
	FIELD_AS(
		needed, state, FT_ENUM, "state",
		"state: there; missing; unknown: the kernel does not report it; loader: to be set by the program that loads the file",
		.names = &state_names, .flags = FIELD_NOPLAIN),
	FIELD(needed, why, "why", "reason: what the kernel has instead, or why the state is unknown", .plain = ": %",
	      .flags = FIELD_NONZERO),
	FIELD(needed, optional, "optional", "why the file loads even without it", .plain = "; %",
	      .flags = FIELD_NONZERO),
	FIELD_LIST(needed, programs, nprograms, FT_STR, "programs", "the programs that need it; none: the whole file",
		   .plain = "  in %", .flags = FIELD_NONZERO),
};
static const struct schema need_schema = SCHEMA("need", needed, need_fields, .indent = "\t");

static const char *const verdict_words[NEEDED_STATES] = {
	[NEEDED_MISSING] = "missing",
	[NEEDED_UNKNOWN] = "unknown",
	[NEEDED_HERE] = "there",
};
const struct names needs_verdict_names = NAMES(verdict_words);
static const struct field needs_fields[] = {
	FIELD(needs_rec, file, "file", "the file", .plain = "%"),
	FIELD(needs_rec, kernel, "against", "name of the kernel, or of the file with its types", .plain = " on %:"),
	FIELD_AS(
		needs_rec, verdict, FT_ENUM, "state",
		"state; there: all requirements are there; missing: some are missing; unknown: none is missing, some are unknown",
		.names = &needs_verdict_names, .flags = FIELD_NOPLAIN),
	FIELD(needs_rec, count[NEEDED_MISSING], "missing", "number of missing requirements", .plain = " % missing"),
	FIELD(needs_rec, count[NEEDED_UNKNOWN], "unknown", "number of unknown requirements", .plain = ", % unknown"),
	FIELD(needs_rec, count[NEEDED_LOADER], "loader", "number of requirements for the loader to set",
	      .plain = ", % for its loader"),
	FIELD(needs_rec, count[NEEDED_HERE], "there", "number of requirements that are there", .plain = ", % there"),
	FIELD_ROWS(needs_rec, needs, nneeds, &need_schema, "needs", "all requirements, missing ones first",
		   .flags = FIELD_NOPLAIN),
};
const struct schema needs_schema = SCHEMA("needs", needs_rec, needs_fields);

/* The headings of the plain text, in the order of the records. */
enum needs_part { PART_MISSING, PART_LOADER, PART_UNKNOWN, PART_OPTIONAL, PART_HERE };
static enum needs_part needed_part(const struct needed *n)
{
	if (n->state == NEEDED_HERE)
		return PART_HERE;
	return n->optional ? PART_OPTIONAL : (enum needs_part)n->state;
}

static void here_print(struct doc *d, const struct needed *n, const struct needed *before)
{
	const bool first = !before || needed_part(before) != PART_HERE || before->kind != n->kind;

	if (!first && !strcmp(before->name, n->name))
		return;
	if (first) {
		doc_text(d, before && needed_part(before) == PART_HERE ? "\n\t" : "\t");
		doc_text(d, needed_words[n->kind]);
		doc_text(d, " ");
	} else {
		doc_text(d, ", ");
	}
	doc_text_escape(d, n->name);
}

static void needs_text_print(struct doc *d, const struct needs_rec *r)
{
	static const char *const heads[] = {
		[PART_MISSING] = "missing:\n", [PART_LOADER] = "to be set by its loader:\n",
		[PART_UNKNOWN] = "unknown:\n", [PART_OPTIONAL] = "missing or unknown, but not needed:\n",
		[PART_HERE] = "there:\n",
	};
	const struct needed *before = NULL;

	doc_headline(d, &needs_schema, r);
	for (uint32_t i = 0; i < r->nneeds; i++) {
		const struct needed *n = &r->needs[i];

		if (!before || needed_part(before) != needed_part(n))
			doc_text(d, heads[needed_part(n)]);
		if (needed_part(n) == PART_HERE) {
			here_print(d, n, before);
		} else {
			doc_text(d, "\t");
			doc_record(d, &need_schema, n);
		}
		before = n;
	}
	if (before && needed_part(before) == PART_HERE)
		doc_text(d, "\n");
}

static void folded_print(struct doc *d, const struct needs_rec *r)
{
	struct out buffer, *o = d->plain.out;

	render_fold(&buffer, o);
	d->plain.out = &buffer;
	needs_text_print(d, r);
	d->plain.out = o;
	render_put_folded(&buffer, o);
}

struct needs_opts {
	struct object_path file;
	struct arg_list more;
	bool needs;
};
static const struct arg needs_args[] = {
	FILE_ARGS(struct needs_opts, file),
	ARG("KERNEL", ARG_PATH, struct needs_opts, more,
	    "a file with the types of a kernel (raw BTF, or vmlinux), an archive, or live: the running kernel (default); after several files, or if it is a directory of such files: a table",
	    .flags = ARG_POSITIONAL | ARG_REPEAT),
	ARG("--needs", ARG_FLAG, struct needs_opts, needs,
	    "another form of this verb, after FILE: object FILE --needs KERNEL"),
};

/* All words but the last are files. */
static int table_run(struct env *env, const struct needs_opts *o, const char *kernels, struct err *e)
{
	const char **files = arena_array(env->keep, o->more.n, sizeof(*files));

	if (o->file.embedded)
		return err_usage(e, "'--embedded' is for one file");
	files[0] = o->file.path;
	for (size_t i = 1; i < o->more.n; i++)
		files[i] = o->more.word[i - 1];
	return object_fits(env, files, o->more.n, kernels, e);
}

static const struct schema *const needs_parts[] = { &object_fit_schema, NULL };

static int needs_run(struct env *env, const void *opts, struct err *e)
{
	const struct needs_opts *o = opts;
	struct need_kernel kernel;
	struct needs_rec rec;
	struct object *obj;
	struct doc d;
	const char *arch;
	const char *which = o->more.n ? o->more.word[o->more.n - 1] : NULL;
	int err;

	if (o->more.n > 1 || (which && fleet_is_folder(which)))
		return table_run(env, o, which, e);
	err = object_open(env, &o->file, &obj, e);

	if (!err && object_is_foreign(obj, &arch))
		report_note(env->report, "%s is compiled for %s", obj->path, arch);
	if (!err)
		err = need_kernel_open(env, which, &kernel, e);
	if (!err)
		err = needs_read(obj, &kernel, &rec, e);
	if (err == -ENOENT)
		e->status = EXIT_NOT_FOUND;
	if (err)
		return err;
	env->report->differs = rec.verdict == NEEDED_MISSING;
	env_doc(env, &d);
	if (doc_is_text(&d))
		folded_print(&d, &rec);
	else
		doc_record(&d, &needs_schema, &rec);
	env_doc_end(env, &d);
	return 0;
}

const struct command object_needs = {
	.name = "needs",
	.summary = "check whether a kernel can load the file, and what is missing",
	.help = "Lists what the programs, maps and externs of an object file require from a kernel, and whether the "
		"kernel has it: types of programs and maps, attach targets, helpers and kfuncs, configuration "
		"options, types and members (CO-RE), features of the verifier; also what the linked libbpf does not load. The running kernel or an archive of "
		"one answers all of it. A file with types only has names: it does not show what is in modules, nor "
		"which programs may call a helper. These may be missing: weak externs, what a program tests before "
		"using it, and what is only used in branches that are never taken with this kernel, its configuration "
		"and the constants in the file. With several files, or a directory of kernels, a table has a row for each file on each kernel. The exit status is 0 if nothing is missing, 1 if something is, 3 if "
		"there is no such file, and 2 if the answer could not be found for another reason.",
	.example = "object needs trace.bpf.o state.tar.gz",
	.schema = &needs_schema,
	.parts = needs_parts,
	ARGS(needs_args, struct needs_opts),
	.flags = CMD_READ | CMD_OURS | CMD_DIFF,
	.run = needs_run,
};
