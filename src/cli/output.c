/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/output.h"

#include <sys/stat.h>

#include "cli/parse/arg.h"

static int refuse_same(const char *path, const struct stat *out, struct err *e)
{
	struct stat st;

	if (!path || stat(path, &st) || st.st_dev != out->st_dev || st.st_ino != out->st_ino)
		return 0;
	return err_usage(e, "%s is both the output and an input", path);
}

static int inputs_check(const struct command *c, const void *opts, const struct stat *out, struct err *e)
{
	int err = 0;

	for (const struct arg *a = c->args; a < args_end(c) && !err; a++) {
		const void *value = (const char *)opts + a->off;
		const struct arg_list *list = value;

		if (a->output || !arg_is_file(a))
			continue;
		if (a->type == ARG_PATH && !(a->flags & ARG_REPEAT))
			err = refuse_same(*(const char *const *)value, out, e);
		else
			for (size_t i = 0; i < list->n && !err; i++)
				err = refuse_same(list->word[i], out, e);
	}
	return err;
}

int output_check(const struct command *c, const void *opts, const struct globals *g, struct err *e)
{
	int err = 0;

	for (const struct arg *a = c->args; a < args_end(c) && !err; a++) {
		const char *path = a->output ? *(const char *const *)((const char *)opts + a->off) : NULL;
		struct stat out;

		if (!path || stat(path, &out) || !S_ISREG(out.st_mode))
			continue;
		err = inputs_check(c, opts, &out, e);
		for (unsigned i = 0; i < g->nfroms && !err; i++)
			err = refuse_same(g->froms[i], &out, e);
		if (!err)
			err = refuse_same(g->from, &out, e);
	}
	return err;
}
