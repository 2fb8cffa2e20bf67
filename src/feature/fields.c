/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/env.h"
#include "feature/feature.h"
#include "feature/report.h"
#include "kernel/names.h"
#include "record/field.h"
#include "render/doc.h"

#define FIELD_FEATURE(T, help) FIELD(T, key, "feature", help, .flags = FIELD_NOPLAIN)

static size_t setting_text(const void *rec, char *buf, size_t size)
{
	const struct feature_setting *s = rec;
	const char *value = s->value + (*s->value == '"');

	if (s->sentence)
		return str_snprintf(buf, size, "%s", s->sentence);
	if (!strcmp(s->value, "null"))
		return str_snprintf(buf, size, "%s is not set", s->key);
	return str_snprintf(buf, size, "%s is set to %.*s", s->key, (int)strcspn(value, "\""), value);
}
static const struct field setting_fields[] = {
	FIELD_FEATURE(feature_setting, "name of the setting, or of the option"),
	FIELD_AS(feature_setting, value, FT_JSON, "value",
		 "its value: a number, -1 if it cannot be read, or a name; null: not set", .plain = "%",
		 .text = setting_text),
};
static const struct schema setting_schema = SCHEMA("setting", feature_setting, setting_fields);

static const struct field have_fields[] = {
	FIELD_FEATURE(feature, "name of the feature"),
	FIELD_IF(feature, have, known, "have", "whether the caller can use it",
		 .plain = " is available| is NOT available", .col = 1),
	FIELD(feature, what, "what", "description of the feature", .role = ROLE_KIND, .plain = "%", .col = 0),
	FIELD(feature, reason, "reason", "why it is refused", .plain = ": %", .col = 2),
};
static const struct schema have_schema = SCHEMA("have", feature, have_fields);

static const struct field helpers_fields[] = {
	FIELD_FEATURE(feature_helpers, "name of the list"),
	FIELD_LIST(feature_helpers, names, n, FT_STR, "names", "helpers that programs of the type may call",
		   .plain = "- %", .flags = FIELD_EACH, .line = 1, FIELD_WHEN(feature_helpers, known)),
	FIELD(feature_helpers, type, "type", "program type", .among = &names_prog_type, .role = ROLE_KIND,
	      .plain = "eBPF helpers supported for program type %:"),
	FIELD(feature_helpers, none, "none", "why the list is empty", .plain = "%", .line = 1),
};
static const struct schema helpers_schema = SCHEMA("helpers", feature_helpers, helpers_fields);

static const struct field callable_fields[] = {
	FIELD_FEATURE(feature_helpers, "name of the list"),
	FIELD_LIST(feature_helpers, names, n, FT_STR, "names",
		   "functions of the kernel that programs of the type may call; with a question mark: unknown",
		   .plain = "- %", .flags = FIELD_EACH, .line = 1),
	FIELD(feature_helpers, type, "type", "program type", .among = &names_prog_type, .role = ROLE_KIND,
	      .plain = "kfuncs for program type %:"),
	FIELD(feature_helpers, none, "none", "why the list is empty", .plain = "%", .line = 1),
};
static const struct schema callable_schema = SCHEMA("callable", feature_helpers, callable_fields);

static const struct field reason_fields[] = {
	FIELD_FEATURE(feature_reason, "name of the feature"),
	FIELD(feature_reason, why, "why", "errno of the refusal"),
};
static const struct schema reason_schema = SCHEMA("reason", feature_reason, reason_fields);

#define FEATURE_FIELD_SECTION(m, n, rows, when_, name, help) \
	FIELD_ROWS(feature_report, m, n, &rows, name, help, .flags = FIELD_KEYED | FIELD_NOPLAIN, \
		   FIELD_WHEN(feature_report, when_))
static const struct field report_fields[] = {
	FEATURE_FIELD_SECTION(config, nconfig, setting_schema, has_config, "system_config",
			      "settings of the kernel and options of its build"),
	FEATURE_FIELD_SECTION(syscalls, nsyscalls, have_schema, has_probes, "syscall_config",
			      "whether bpf(2) is available"),
	FEATURE_FIELD_SECTION(progs, nprogs, have_schema, has_more, "program_types",
			      "program types: whether the kernel accepts a program of the type"),
	FEATURE_FIELD_SECTION(maps, nmaps, have_schema, has_more, "map_types",
			      "map types: whether the kernel creates a map of the type"),
	FEATURE_FIELD_SECTION(
		helpers, nhelpers, helpers_schema, has_more, "helpers",
		"helpers that programs of each type may call; also empty if they depend on the program that is replaced, or were refused"),
	FEATURE_FIELD_SECTION(misc, nmisc, have_schema, has_more, "misc", "what the verifier supports"),
	FEATURE_FIELD_SECTION(
		attach, nattach, have_schema, has_attach, "attach_types",
		"attach types: whether the kernel names it and has its program type, or accepts a program for it"),
	FEATURE_FIELD_SECTION(refused, nrefused, reason_schema, has_refused, "refused",
			      "features that the kernel refuses to the caller, with the reason"),
	FEATURE_FIELD_SECTION(
		callable, ncallable, callable_schema, has_callable, "available_kfuncs",
		"with kfuncs: functions of the kernel that programs of each type may call; also empty if none could be tried"),
	FIELD_LIST(feature_report, kfuncs, nkfuncs, FT_STR, "kfuncs",
		   "functions of the kernel that programs may call, from its types (since Linux 6.10)",
		   .flags = FIELD_NOPLAIN, FIELD_WHEN(feature_report, has_kfuncs)),
};
const struct schema feature_schema = SCHEMA("features", feature_report, report_fields);

/* A section as text: its title, a line or more for each row, an empty line. */
static void section_print(struct doc *d, const char *title, const struct schema *s, const void *rows, uint32_t n)
{
	doc_text(d, title);
	for (uint32_t i = 0; i < n; i++)
		doc_record(d, s, (const char *)rows + (size_t)i * s->rec_size);
	doc_text(d, "\n");
}

static const struct field kfunc_fields[] = { FIELD(feature_kfunc, name, "name", "name of the function",
						   .plain = "\t- %") };
static const struct schema kfunc_schema = SCHEMA("kfunc", feature_kfunc, kfunc_fields);

static void feature_text_print(struct doc *d, const struct feature_report *r)
{
	if (r->has_config == AVAIL_YES)
		section_print(d, "Scanning system configuration...\n", &setting_schema, r->config, r->nconfig);
	if (r->has_probes == AVAIL_YES)
		section_print(d, "Scanning system call availability...\n", &have_schema, r->syscalls, r->nsyscalls);
	if (r->has_more == AVAIL_YES) {
		section_print(d, "Scanning eBPF program types...\n", &have_schema, r->progs, r->nprogs);
		section_print(d, "Scanning eBPF map types...\n", &have_schema, r->maps, r->nmaps);
		section_print(d, "Scanning eBPF helper functions...\n", &helpers_schema, r->helpers, r->nhelpers);
		section_print(d, "Scanning miscellaneous eBPF features...\n", &have_schema, r->misc, r->nmisc);
	}
	if (r->has_attach == AVAIL_YES)
		section_print(d, "Scanning eBPF attach types...\n", &have_schema, r->attach, r->nattach);
	if (r->has_callable == AVAIL_YES)
		section_print(d, "Scanning kernel functions by eBPF program type...\n", &callable_schema, r->callable,
			      r->ncallable);
	/* The list of names is an array of rows in text, so that each name is on a line. */
	if (r->has_kfuncs == AVAIL_YES)
		section_print(d, "Scanning kernel functions for eBPF programs...\n", &kfunc_schema, r->kfuncs,
			      r->nkfuncs);
}

void feature_print(struct env *env, const struct feature_report *r)
{
	struct doc d;

	env_doc(env, &d);
	if (doc_is_text(&d))
		feature_text_print(&d, r);
	else
		doc_record(&d, &feature_schema, r);
	env_doc_end(env, &d);
}
