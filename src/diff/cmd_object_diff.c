/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/difference.h"
#include "diff/objects.h"
#include "object/object.h"

static void object_put(void *ctx, const struct object_difference *f)
{
	difference_put(ctx, &(struct diff_record){
				    .change = f->code.n		       ? DIFFERENCE_CODE :
					      f->old_has && f->new_has ? DIFFERENCE_FIELD :
					      f->new_has	       ? DIFFERENCE_NEW :
									 DIFFERENCE_GONE,
				    .kind = f->kind,
				    .type = f->type && *f->type ? f->type : NULL,
				    .name = f->name,
				    .field = f->field,
				    .before = f->before,
				    .after = f->after,
				    .has_before = f->field ? AVAIL_YES : AVAIL_NO,
				    .has_after = f->field ? AVAIL_YES : AVAIL_NO,
				    .code = f->code.line,
				    .ncode = (uint32_t)f->code.n,
				    .has_code = f->code.n ? AVAIL_YES : AVAIL_NO,
				    .increase = f->increase,
				    .has_increase = f->has_increase,
			    });
}

int object_files_compare(struct differences *d, const char *const path[2], bool verify, struct err *e)
{
	int err;

	if (d->env->opts->at)
		return err_usage(e, "--at is for recordings, and these are object files");
	differences_begin(d);
	err = objects_compare(d->env, path, object_put, d, e);
	if (!err && verify)
		err = objects_verified_compare(d->env, path, object_put, d, e);
	differences_end(d);
	return err;
}

struct object_diff_opts {
	const char *which[2];
	struct differences_opts differences;
	bool verify;
};

static int object_diff_run(struct env *env, const void *opts, struct err *e)
{
	const struct object_diff_opts *o = opts;
	struct differences d;
	int err = differences_init(&d, env, &o->differences, e);

	return err ? err : object_files_compare(&d, o->which, o->verify, e);
}

static const struct schema *const parts[] = { &diff_stat_schema, NULL };
static const struct arg args[] = {
	OPERAND("A", ARG_PATH, struct object_diff_opts, which[0], "an object file"),
	OPERAND("B", ARG_PATH, struct object_diff_opts, which[1], "another build of it"),
	DIFFERENCES_FILTER(struct object_diff_opts, differences),
	DIFFERENCES_IGNORE(struct object_diff_opts, differences),
	DIFFERENCES_STAT(struct object_diff_opts, differences),
	OBJECTS_VERIFY(struct object_diff_opts, verify),
};

const struct command object_diff = {
	.name = "diff",
	.summary = "compare two builds of an object file",
	.help = "Compares licence, programs, functions, maps, variables, externs, types and needs by their names; `diff` does the same. "
		"Instructions follow as in diff -u; jumps are compared by what they lead to, and lines, comments and paths of the source "
		"are no difference. The exit status is that of diff(1).",
	.example = "object diff old.bpf.o new.bpf.o --stat",
	.schema = &diff_schema,
	.parts = parts,
	ARGS(args, struct object_diff_opts),
	.flags = CMD_NOSOURCE | CMD_OURS | CMD_DIFF,
	.run = object_diff_run,
};
