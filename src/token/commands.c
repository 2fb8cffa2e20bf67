/* SPDX-License-Identifier: BSD-2-Clause */
#include "token/token.h"

#include "cli/command.h"
#include "cli/records.h"
#include "host/caps.h"
#include "record/field.h"
#include "render/doc.h"
#include "render/text.h"
#include "token/read.h"

#define TOKEN_FIELD_LIST(i, nm, hlp) \
	FIELD_LIST(token_rec, allowed[i].word, allowed[i].n, FT_STR, nm, hlp ", by the kernel's names; any: all", \
		   .flags = FIELD_DEFAULT)
static const struct field fields[] = {
	FIELD(token_rec, path, "token_info", "where the bpffs is mounted", .title = "PATH", .role = ROLE_PLACE,
	      .flags = FIELD_DEFAULT),
	FIELD(token_rec, mnt_ns, "mnt_ns", "inode number of the mount namespace"),
	FIELD(token_rec, pid, "pid", "process, in that namespace if it is not the caller's", .unit = FU_PID,
	      .flags = FIELD_NONZERO),
	TOKEN_FIELD_LIST(ALLOWED_CMDS, "allowed_cmds", "commands of bpf(2) that are delegated"),
	TOKEN_FIELD_LIST(ALLOWED_MAPS, "allowed_maps", "map types"),
	TOKEN_FIELD_LIST(ALLOWED_PROGS, "allowed_progs", "program types"),
	TOKEN_FIELD_LIST(ALLOWED_ATTACHS, "allowed_attachs", "attach types"),
};
const struct schema token_schema = SCHEMA("token", token_rec, fields);

struct token_opts {
	bool all;
	struct records_opts records;
};

/* @line: "? processes ERRNO" */
static void unseen_report(struct env *env, const char *line)
{
	const char *number = strrchr(line, ' ');
	uint32_t err;

	if (!number || num_parse_u32(number + 1, &err) || !err || err > 4095)
		return;
	report_add_unseen(env->report, -(int)err);
}

static int mounts_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	const struct token_opts *o = opts;
	char *text, *line;
	struct token_rec r;
	int err = ask_lines(env->machine, env->keep, &text, Q_BPFFS);

	if (err == -ENODATA)
		return err_set(e, err, "this archive does not have the mounts of bpffs");
	if (err) {
		err_sys(e, err, "cannot list mounts of bpffs");
		return machine_is_saved(env->machine) ? err : proc_explain(e);
	}
	while ((line = strsep(&text, "\n"))) {
		if (o->all && str_starts(line, "? "))
			unseen_report(env, line);
		else if (token_parse(line, env->keep, &r) && (o->all || !r.pid))
			*(struct token_rec *)records_add(ret, env) = r;
	}
	return 0;
}

enum { PER_LINE = 4, WIDTH = 20 };

/* A block in bpftool's format. */
static void block_put(const struct token_rec *r, struct out *o)
{
	out_str(o, "token_info  ");
	out_text(o, r->path);
	if (r->pid)
		out_fmt(o, "  mnt_ns %llu  pid %u", llu(r->mnt_ns), r->pid);
	for (size_t i = 0; i < token_schema.n; i++) {
		const struct field *f = &fields[i];
		struct value v = field_get(&token_schema, f, r), word;

		if (f->type != FT_LIST)
			continue;
		out_fmt(o, "\n\t%s:", f->name);
		for (uint32_t k = 0; k < v.list.n; k++) {
			char text[256];
			size_t n;

			word = value_elem(f, &v, k);
			n = value_text(f, &word, VALUE_PLAIN, text, sizeof(text));
			out_str(o, k % PER_LINE ? "" : "\n\t  ");
			out_text(o, text);
			out_fmt(o, "%*s", n < WIDTH ? (int)(WIDTH - n) : 0, "");
		}
	}
	out_char(o, '\n');
}

static void block_draw(void *ctx, struct out *o)
{
	struct out buffer;

	if (!out_line(o)) {
		block_put(ctx, o);
		return;
	}
	render_fold(&buffer, o);
	block_put(ctx, &buffer);
	render_put_folded(&buffer, o);
}

static int show_run(struct env *env, const void *opts, struct err *e)
{
	struct records recs = { .s = &token_schema };
	struct doc d;
	int err = mounts_collect(env, opts, &recs, e);

	if (err)
		return err;
	env_doc(env, &d);
	doc_stream(&d, NULL);
	for (size_t i = 0; i < recs.n; i++)
		doc_drawn(&d, &token_schema, recs.rec + i * sizeof(struct token_rec), block_draw,
			  recs.rec + i * sizeof(struct token_rec));
	doc_end(&d);
	env_doc_end(env, &d);
	return 0;
}

/* In the bpftool personality, `list` is `show`. */
static int list_run(struct env *env, const void *opts, struct err *e)
{
	const struct token_opts *o = opts;
	const struct records_opts *r = &o->records;

	if (env->opts->as_bpftool && !r->columns && !r->sort && !r->filter && !r->list_columns)
		return show_run(env, opts, e);
	return records_run(env, r, opts, mounts_collect, e);
}

#define ALL \
	ARG("--all", ARG_FLAG, struct token_opts, all, \
	    "in the mount namespaces of all processes, such as those of containers", .alias = "-a")
static const struct arg show_args[] = { ALL };
static const struct arg list_args[] = { ALL, RECORDS_ARGS(struct token_opts, records) };

static const struct command show = {
	.name = "show",
	.summary = "show mounts of bpffs with delegate_ options, in bpftool's format",
	.example = "token show",
	ARGS(show_args, struct token_opts),
	.flags = CMD_READ,
	.run = show_run,
};
static const struct command list = {
	.name = "list",
	.summary = "list the same mounts, one per line",
	.example = "token list --all -o token_info,allowed_progs,pid -Q 'allowed_progs == xdp'",
	ARGS(list_args, struct token_opts),
	.flags = CMD_READ,
	.run = list_run,
	.schema = &token_schema,
};
const struct command *const token_commands[] = { &show, &list, NULL };
