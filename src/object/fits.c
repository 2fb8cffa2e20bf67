/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/env.h"
#include "cli/fleet.h"
#include "object/file.h"
#include "object/needs.h"
#include "record/field.h"
#include "render/render.h"

static const struct field fit_fields[] = {
	FIELD(object_fit, file, "file", "the file", .flags = FIELD_DEFAULT | FIELD_ANSWER),
	FIELD(object_fit, kernel, "against", "name of the kernel, or of the file with its types",
	      .flags = FIELD_DEFAULT | FIELD_ANSWER),
	FIELD(object_fit, from, "kernel_file", "the archive, or file with types"),
	FIELD_AS(
		object_fit, state, FT_ENUM, "state",
		"state; there: all requirements are there; missing: some are missing; unknown: none is missing, some are unknown",
		.names = &needs_verdict_names, .flags = FIELD_DEFAULT | FIELD_ANSWER),
	FIELD(object_fit, nunknown, "unknown", "number of unknown requirements", .flags = FIELD_DEFAULT),
	FIELD(object_fit, nloader, "loader", "number of requirements for the loader to set", .flags = FIELD_DEFAULT),
	FIELD_LIST(object_fit, names, nnames, FT_STR, "lacks", "names of what is missing", .title = "MISSING",
		   .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD(object_fit, why, "why", "reason: why it is not known",
	      .flags = FIELD_DEFAULT | FIELD_NONZERO | FIELD_PROSE),
};
const struct schema object_fit_schema = SCHEMA("object_fit", object_fit, fit_fields);

static void fit_read(struct env *env, const struct object *o, struct need_kernel *k, struct object_fit *ret)
{
	struct needs_rec rec;
	struct err why = { 0 };
	const char **names;
	uint32_t n = 0;

	ret->state = NEEDED_UNKNOWN;
	if (needs_read(o, k, &rec, &why)) {
		ret->why = arena_str(env->keep, why.msg, SIZE_MAX);
		return;
	}
	names = arena_array(env->keep, rec.nneeds, sizeof(*names));
	for (uint32_t i = 0; i < rec.nneeds; i++)
		if (rec.needs[i].state == NEEDED_MISSING && !rec.needs[i].optional &&
		    (!n || strcmp(names[n - 1], rec.needs[i].name)))
			names[n++] = rec.needs[i].name;
	ret->state = rec.verdict;
	ret->nunknown = rec.count[NEEDED_UNKNOWN];
	ret->nloader = rec.count[NEEDED_LOADER];
	ret->names = names;
	ret->nnames = n;
}

/* The kernel is opened once for all files. */
static void kernel_try(struct env *env, const char *from, const char *const *files, size_t n, struct render *r)
{
	struct need_kernel k;
	struct err closed = { 0 };

	(void)need_kernel_open(env, from, &k, &closed);
	for (size_t i = 0; i < n; i++) {
		struct object_fit fit = { .file = files[i], .from = from, .kernel = closed.code ? from : k.name };
		struct object_path path = { .path = files[i] };
		struct object *o;
		struct err e = closed;

		if (!e.code && !object_open(env, &path, &o, &e))
			fit_read(env, o, &k, &fit);
		if (e.code) {
			fit.state = NEEDED_UNKNOWN;
			fit.why = arena_str(env->keep, e.msg, SIZE_MAX);
		}
		env->report->differs |= fit.state != NEEDED_HERE;
		render_record(r, &fit);
	}
}

int object_fits(struct env *env, const char *const *files, size_t n, const char *kernels, struct err *e)
{
	const char **paths = &kernels;
	size_t npaths = 1;
	struct render r;
	int err = 0;

	if (fleet_is_folder(kernels))
		err = fleet_folder(env->keep, kernels, &paths, &npaths, e);
	if (err)
		return err;
	env_render(env, &r);
	if (r.ops == &render_plain)
		r.ops = &render_table;
	r.headings = true;
	render_begin(&r);
	render_section(&r, &object_fit_schema, NULL);
	for (size_t i = 0; i < npaths; i++)
		kernel_try(env, paths[i], files, n, &r);
	report_render_end(env->report, &r);
	return 0;
}
