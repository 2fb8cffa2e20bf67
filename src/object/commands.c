/* SPDX-License-Identifier: BSD-2-Clause */

#include "types/btf.h"
#include "cli/records.h"
#include "object/dump.h"
#include "object/file.h"
#include "object/needs.h"
#include "object/object.h"
#include "object/read.h"
#include "object/refusals.h"
#include "object/usdt.h"
#include "render/render.h"

struct object_show_opts {
	struct object_path file;
};
static const struct arg show_args[] = { FILE_ARGS(struct object_show_opts, file) };

static int rec_read(const struct object *o, bool brief, struct object_rec *r, struct err *e)
{
	const char *license = object_license(o);

	*r = (struct object_rec){
		.file = o->path,
		.arch = object_arch(o),
		.license = license,
		.gpl_compatible = license_gpl_compatible(license),
		.version = object_version(o),
		.btf_size = o->btf_size,
		.btf_types = o->btf ? btf_count(o->btf) - 1 : 0,
		.core_relocations = object_ncores(o),
	};
	object_sections(o, false, &r->sections, &r->nsections);
	object_maps(o, &r->maps, &r->nmaps);
	object_vars(o, brief, &r->variables, &r->nvariables);
	object_externs(o, &r->externs, &r->nexterns);
	/* Too many to read; plain text has their number. */
	if (!brief)
		object_cores(o, &r->relocations, &r->nrelocations);
	return object_progs(o, &r->programs, &r->nprograms, e);
}

static void table_print(struct render *r, const struct schema *s, const void *rows, uint32_t n)
{
	if (!n)
		return;
	render_section(r, s, NULL);
	for (uint32_t i = 0; i < n; i++)
		render_record(r, (const char *)rows + (size_t)i * s->rec_size);
}

static void tables_print(struct env *env, const struct object_rec *rec)
{
	struct render r = { .ops = &render_table, .out = env->report->out, .arena = env->keep, .headings = true };

	out_char(env->report->out, '\n');
	render_begin(&r);
	table_print(&r, &object_prog_schema, rec->programs, rec->nprograms);
	table_print(&r, &object_map_schema, rec->maps, rec->nmaps);
	table_print(&r, &object_var_schema, rec->variables, rec->nvariables);
	table_print(&r, &object_extern_schema, rec->externs, rec->nexterns);
	render_end(&r);
	report_left_out(env->report, &r);
}

static int show_run(struct env *env, const void *opts, struct err *e)
{
	const struct object_show_opts *o = opts;
	struct render r;
	struct object_rec rec;
	struct object *obj;
	int err = object_open(env, &o->file, &obj, e);

	if (!err)
		err = rec_read(obj, !env->opts->json, &rec, e);
	if (err)
		return err;
	env_render(env, &r);
	r.single = true;
	render_begin(&r);
	render_section(&r, &object_schema, NULL);
	render_record(&r, &rec);
	report_render_end(env->report, &r);
	if (!env->opts->json && (rec.nprograms || rec.nmaps || rec.nvariables || rec.nexterns))
		tables_print(env, &rec);
	return 0;
}

static const struct command object_show = {
	.name = "show",
	.summary = "show what is in an object file",
	.help = "Shows licence, sections, programs, maps, global variables and externs of a BPF object file without "
		"loading it: no privilege and no kernel is needed. Types and targets of programs are those that "
		"libbpf derives from the names of sections. Maps are those that are defined, and those that libbpf "
		"makes from data sections. A file name with a dot or a slash needs no verb before it.",
	.example = "object trace.bpf.o",
	.schema = &object_schema,
	ARGS(show_args, struct object_show_opts),
	.flags = CMD_NOSOURCE | CMD_OURS,
	.run = show_run,
};

/* The parts as tables. */
struct part_opts {
	struct object_path file;
	struct records_opts records;
};
static const struct arg part_args[] = {
	FILE_ARGS(struct part_opts, file),
	RECORDS_ARGS(struct part_opts, records),
};

/* Read one part of an object, chosen by the schema of its records. */
static int part_read(const struct object *o, const struct schema *s, bool brief, const void **ret, uint32_t *ret_n,
		     struct err *e)
{
	struct object_rec r = { 0 };
	int err = 0;

	if (s == &object_prog_schema) {
		err = object_progs(o, &r.programs, ret_n, e);
		*ret = r.programs;
	} else if (s == &object_map_schema) {
		object_maps(o, &r.maps, ret_n);
		*ret = r.maps;
	} else if (s == &object_var_schema) {
		object_vars(o, brief, &r.variables, ret_n);
		*ret = r.variables;
	} else if (s == &object_extern_schema) {
		object_externs(o, &r.externs, ret_n);
		*ret = r.externs;
	} else if (s == &object_core_schema) {
		object_cores(o, &r.relocations, ret_n);
		*ret = r.relocations;
	} else {
		object_sections(o, true, &r.sections, ret_n);
		*ret = r.sections;
	}
	return err;
}

/* The table has a column for it only on request; nothing else says that some functions are not listed. */
static void progs_note(struct env *env, const char *path, const struct object *o, const struct object_prog *progs,
		       uint32_t n)
{
	if (!n && o->nfuncs)
		report_note(
			env->report,
			"%s: all its functions are in .text, for libbpf functions that programs call: 'object dump' prints them",
			path);
	for (uint32_t i = 0; i < n; i++)
		if (progs[i].refused) {
			report_note(env->report, "%s: libbpf does not accept function %s: %s", path, progs[i].name,
				    progs[i].refused);
			return;
		}
}

static int files_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	const struct part_opts *o = opts;
	size_t size = ret->s->rec_size;
	const void *rows = NULL;
	struct object *obj;
	uint32_t n = 0;
	int err = object_open(env, &o->file, &obj, e);

	if (!err)
		err = part_read(obj, ret->s, !env->opts->json, &rows, &n, e);
	if (!err && ret->s == &object_prog_schema)
		progs_note(env, o->file.path, obj, rows, n);
	for (uint32_t i = 0; !err && i < n; i++)
		memcpy(records_add(ret, env), (const char *)rows + i * size, size);
	return err;
}

#define PART_COMMAND(nm, sch, ...) \
	{ \
		.name = nm, .schema = sch, ARGS(part_args, struct part_opts), .flags = CMD_NOSOURCE | CMD_OURS, \
		COLLECT(files_collect, struct part_opts), ##__VA_ARGS__ \
	}
static const struct command object_programs = PART_COMMAND(
	"programs", &object_prog_schema, .summary = "list its programs: type, target, size, subprograms, source",
	.help = "Functions in .text are subprograms, unless the file has no other functions.",
	.example = "object programs trace.bpf.o -o name,type,target,total_insns");
static const struct command object_cmd_maps =
	PART_COMMAND("maps", &object_map_schema, .summary = "list its maps, defined or made from data sections",
		     .example = "object maps trace.bpf.o");
static const struct command object_variables =
	PART_COMMAND("variables", &object_var_schema, .summary = "list its global variables and their initial values",
		     .example = "-j object variables trace.bpf.o");
static const struct command object_cmd_externs =
	PART_COMMAND("externs", &object_extern_schema, .summary = "list what it takes from the kernel by name",
		     .example = "object externs trace.bpf.o");
static const struct command object_relocations = PART_COMMAND(
	"relocations", &object_core_schema,
	.summary = "list its CO-RE relocations: members, types and enumerators of the kernel",
	.help = "The kernel's types may differ from those that an object file was compiled with. Each record is an "
		"instruction that the loader corrects: byte_off and byte_sz are the offset and size of a member, "
		"field_exists, type_exists and enumval_exists are whether the kernel has it.",
	.example = "object relocations trace.bpf.o");
static const struct command object_cmd_sections =
	PART_COMMAND("sections", &object_section_schema, .summary = "list all its ELF sections",
		     .example = "object sections trace.bpf.o");

const struct command *const object_commands[] = {
	&object_show,	     &object_programs,	  &object_cmd_maps,	&object_variables,
	&object_cmd_externs, &object_relocations, &object_cmd_sections, &object_dump,
	&object_needs,	     &object_usdt,	  &object_diff,		NULL,
};
