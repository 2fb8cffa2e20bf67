/* SPDX-License-Identifier: BSD-2-Clause */
#include "audit/audit.h"

#include "audit/baseline.h"
#include "audit/look.h"
#include "cli/command.h"
#include "cli/fleet.h"
#include "cli/records.h"
#include "record/field.h"

#define TAG 8
struct audit_rec {
	const char *finding, *kind, *type, *name, *why;
	uint64_t id, address;
	uint8_t tag[TAG];
	const char **seen_by;
	uint32_t nseen_by;
	uint8_t has_id, has_address, has_tag; /* enum avail */
};
static const char *const kind_words[] = { "prog", "map", "link", "btf", "process", "code" };
static const struct names audit_kinds = NAMES(kind_words);
static const struct field audit_fields[] = {
	FIELD(audit_rec, finding, "finding", "kind of finding", .role = ROLE_LIMITED,
	      .flags = FIELD_DEFAULT | FIELD_ANSWER),
	FIELD(audit_rec, kind, "kind", "kind: prog, map, link, btf, process, or code, which belongs to no program",
	      .names = &audit_kinds, .role = ROLE_KIND, .flags = FIELD_DEFAULT),
	FIELD_IF(audit_rec, id, has_id, "id", "number of the object or process", .role = ROLE_ID,
		 .flags = FIELD_DEFAULT),
	FIELD(audit_rec, type, "type", "its type", .role = ROLE_KIND, .flags = FIELD_DEFAULT | FIELD_NONZERO,
	      .drop = 2),
	FIELD(audit_rec, name, "name", "name of the object, or symbol of the code", .role = ROLE_NAME,
	      .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD_AS(audit_rec, tag, FT_BYTES, "tag", "hash of the program's instructions", FIELD_WHEN(audit_rec, has_tag)),
	FIELD_IF(audit_rec, address, has_address, "addr", "address of the code", .unit = FU_ADDR),
	FIELD(audit_rec, why, "why", "reason (what was found)", .flags = FIELD_DEFAULT | FIELD_PROSE),
	FIELD_LIST(audit_rec, seen_by, nseen_by, FT_STR, "seen_by", "where the object was seen",
		   .flags = FIELD_DEFAULT | FIELD_NONZERO, .drop = 1),
};
const struct schema audit_schema = SCHEMA("audit", audit_rec, audit_fields);

struct audit_opts {
	struct records_opts records;
	const char *baseline, *write;
	struct baseline allowed; /* the programs in the file */
};

static void finding_print(struct env *env, const struct finding *f, struct records *ret)
{
	struct audit_rec *r = records_add(ret, env);
	const bool code = !strcmp(f->kind, "code");

	*r = (struct audit_rec){ .finding = f->finding,
				 .kind = f->kind,
				 .type = f->type,
				 .name = f->name,
				 .why = f->why,
				 .seen_by = f->seen_by,
				 .nseen_by = f->nseen_by,
				 .has_id = code ? AVAIL_NO : AVAIL_YES,
				 .has_address = code ? AVAIL_YES : AVAIL_NO };
	*(code ? &r->address : &r->id) = f->id;
	if (f->tag)
		memcpy(r->tag, f->tag, sizeof(r->tag));
	r->has_tag = f->tag ? AVAIL_YES : AVAIL_NO;
}

static void keep_sure(struct findings *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].sure)
			f->v[n++] = f->v[i];
	f->n = n;
}

/* Objects that came or went during the first look are not found in a second one. An archive has one look only. */
static int confirm(struct env *env, struct look *l, struct err *e)
{
	struct report unused = { .out = env->report->out };
	struct look again;
	struct env other;
	int err;

	if (machine_is_saved(env->machine)) {
		keep_sure(&l->found);
		l->code.n = 0;
		return 0;
	}
	if (!l->found.n && !l->code.n)
		return 0;
	err = env_other(env, "live", &other, e);
	if (err)
		return err;
	other.report = &unused;
	err = look_read(&other, &again, e);
	if (!err) {
		findings_keep(&l->found, &again.found);
		findings_keep(&l->code, &again.code);
		code_confirm(env, &l->code);
	}
	report_release(&unused);
	return err;
}

static int findings_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	const struct audit_opts *o = opts;
	struct look l;
	int err = look_read(env, &l, e);

	err = err ? err : confirm(env, &l, e);
	if (err)
		return err;
	loaders_find(&l);
	helpers_find(&l);
	places_find(&l);
	if (o->baseline)
		baseline_compare(&l, &o->allowed);
	if (o->write && baseline_write(&l, o->write, e))
		return e->code;
	for (size_t i = 0; i < l.found.n; i++)
		finding_print(env, &l.found.v[i], ret);
	for (size_t i = 0; i < l.code.n; i++)
		finding_print(env, &l.code.v[i], ret);
	if (ret->n)
		env->report->status = 1;
	return 0;
}

static int run_audit(struct env *env, const void *opts, struct err *e)
{
	struct audit_opts o = *(const struct audit_opts *)opts;

	if (o.baseline && o.write)
		return err_usage(e, "'--output' writes a baseline and '--baseline' reads one: use one of them");
	if (o.write && fleet_is_used(env))
		return err_usage(e, "'--output' reads one machine");
	if (o.baseline && baseline_read(&o.allowed, o.baseline, env->keep, e))
		return e->code;
	return records_run(env, &o.records, &o, findings_collect, e);
}

static const struct arg audit_args[] = {
	ARG("--baseline", ARG_PATH, struct audit_opts, baseline,
	    "file of programs that may run, written by --output: other programs are findings; what these programs do is not",
	    .metavar = "FILE"),
	ARG("--output", ARG_PATH, struct audit_opts, write, "also write the programs of the machine to such a file",
	    .alias = "--write", .output = true, .metavar = "FILE"),
	RECORDS_ARGS(struct audit_opts, records),
};

const struct command command_audit = {
	.name = "audit",
	.summary = "check whether all lists of objects agree, and find suspicious programs",
	.help = "Compares lists of ids, iterators, symbols of code, descriptors of processes, pins, programs of links, attachments and elements of "
		"maps. An object that is in one list and not in another is a finding, if a second look confirms it. So is a program that calls dangerous "
		"helpers, or that runs where the kernel is asked for objects, files and processes.",
	.example = "audit",
	.schema = &audit_schema,
	.flags = CMD_READ | CMD_OURS | CMD_MANY,
	ARGS(audit_args, struct audit_opts),
	.run = run_audit,
};
