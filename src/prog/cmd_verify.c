/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/env.h"
#include "cli/records.h"
#include "kernel/log.h"
#include "object/file.h"
#include "prog/load_args.h"
#include "prog/prog.h"
#include "prog/verify.h"

struct verify_opts {
	struct arg_list files;
	struct load_setup setup;
	const char *limit, *against, *log;
	const char *tolerance;
	bool lines;
	struct records_opts records;
};

/* The other result: an object file that is verified likewise, or a stored result. */
static int before_read(struct env *env, const struct verify_opts *o, const struct load_request *q,
		       struct verify_limits *l, struct err *e)
{
	struct records before = { .s = &verify_schema };
	struct load_request other = *q;
	STR bytes = { 0 };
	int err;

	if (!o->against)
		return 0;
	err = object_bytes(&bytes, o->against);
	if (err)
		return err_sys(e, err, "cannot open %s", o->against);
	other.path = o->against;
	if (bytes.n > 4 && !memcmp(bytes.p, "\177ELF", 4))
		err = verify_file(env, &other, false, &before, e);
	else
		err = verify_results_read(env, o->against, &before, e);
	l->before = (const struct verify_rec *)before.rec;
	l->nbefore = before.n;
	for (size_t i = 0; i < before.n; i++)
		if (!l->before[i].was)
			((struct verify_rec *)before.rec)[i].was = verdict_words[l->before[i].verdict];
	return err;
}

static int limits_read(struct env *env, const struct verify_opts *o, struct verify_limits *l, struct err *e)
{
	char *end;

	if (o->tolerance) {
		l->tolerance = strtod(o->tolerance, &end);
		if (end == o->tolerance || (*end && strcmp(end, "%")) || !(l->tolerance >= 0 && l->tolerance <= 1e6))
			return err_usage(e, "'%s' is not a percentage", o->tolerance);
		if (!o->against)
			return err_usage(e, "'--tolerance' is for '--against'");
	}
	return verify_limits_parse(env, l, o->limit, e);
}

static int unread_add(struct env *env, const char *path, struct err *e, struct records *ret)
{
	*(struct verify_rec *)records_add(ret, env) = (struct verify_rec){
		.file = path, .verdict = VERDICT_FAILED, .why = arena_str(env->keep, e->msg, SIZE_MAX)
	};
	*e = (struct err){ 0 };
	log_forget();
	return 0;
}

static const char *word_missing(const struct arg_list *words, const struct hash *found)
{
	for (size_t i = 0; i < words->n; i++)
		if (!hash_get(found, load_word_key(words->word[i])))
			return words->word[i];
	return NULL;
}

/* A file need not have what others have; what none has is an error. */
static int words_check(const struct load_request *q, struct err *e)
{
	const char *set = word_missing(&q->set, q->found), *resize = word_missing(&q->resize, q->found);
	const char *word = set ? set : resize;

	if (word)
		return err_set(e, -ENOENT, "no %s '%.*s' in these files", set ? "variable" : "map",
			       (int)strcspn(word, set ? ".[=" : "="), word);
	for (size_t i = 0; i < q->reuse.n; i++) {
		const struct arg_reuse *r = &q->reuse.v[i];

		if (!hash_get(q->found, load_word_key(r)))
			return r->name ? err_set(e, -ENOENT, "no map '%s' in these files", r->name) :
					 err_set(e, -ENOENT, "no map idx %u in these files", r->idx);
	}
	return 0;
}

static int verify_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	const struct verify_opts *o = opts;
	struct load_request q = { 0 };
	struct verify_limits limits = { 0 };
	struct hash found;
	int err = limits_read(env, o, &limits, e);

	load_setup_apply(&o->setup, env, &q);
	hash_init(&found, env->keep);
	q.found = &found;
	if (!err)
		err = before_read(env, o, &q, &limits, e);
	if (o->files.n == 1)
		q.found = NULL;
	for (size_t i = 0; !err && i < o->files.n; i++) {
		q.path = o->files.word[i];
		err = verify_file(env, &q, o->lines, ret, e);
		/* One of many that cannot be read does not hide what is known of the others. */
		if (err && e->status != EXIT_USAGE && o->files.n > 1)
			err = unread_add(env, q.path, e, ret);
	}
	if (!err && q.found)
		err = words_check(&q, e);
	if (!err && q.only && !ret->n)
		err = err_set(e, -ENOENT, "no program '%s' in %s", q.only, o->files.n > 1 ? "these files" : q.path);
	for (size_t i = 0; i < ret->n; i++)
		if (verify_judge((struct verify_rec *)(ret->rec + i * ret->s->rec_size), &limits))
			env->report->differs = true;
	if (o->against && o->limit)
		ret->more = "over,changes";
	else if (o->against || o->limit)
		ret->more = o->against ? "changes" : "over";
	return err;
}

static int verify_run(struct env *env, const void *opts, struct err *e)
{
	const struct verify_opts *o = opts;

	if (o->log && o->files.n < 2)
		return verify_log_explain(env, o->log, o->files.n ? o->files.word[0] : NULL, e);
	if (o->log || (!o->files.n && !o->records.list_columns))
		return err_usage(e, "'verify' needs object files, or '--log' and at most one");
	return o->lines ? records_show(env, &o->records, o, verify_collect, e) :
			  records_run(env, &o->records, o, verify_collect, e);
}

static const struct arg verify_args[] = {
	ARG("FILE", ARG_PATH, struct verify_opts, files, "object files", .flags = ARG_POSITIONAL | ARG_REPEAT),
	LOAD_TYPE_ARGS(struct verify_opts, setup),
	LOAD_SETUP_ARGS(struct verify_opts, setup),
	ARG("--lines", ARG_FLAG, struct verify_opts, lines,
	    "the functions and lines of source on which the verifier spent its instructions, the most expensive first"),
	ARG("--limit", ARG_STR, struct verify_opts, limit,
	    "exit status 1 if a figure is larger: insns, states, peak_states, stack, xlated, jited; a percentage is of the kernel's limit",
	    .metavar = "FIGURE=N,..."),
	ARG("--against", ARG_PATH, struct verify_opts, against,
	    "compare with another build of the file, or with what this command printed with -j; exit status 1 if a figure is worse",
	    .metavar = "FILE"),
	ARG("--tolerance", ARG_STR, struct verify_opts, tolerance, "with --against: what may be worse by that much",
	    .metavar = "PERCENT"),
	ARG("--log", ARG_PATH, struct verify_opts, log,
	    "explain the verifier's log in a file, as somebody sends it, with its object file if there is one; loads nothing",
	    .metavar = "FILE", .rejects = "--lines --limit --against --tolerance"),
	RECORDS_ARGS(struct verify_opts, records),
};

const struct command prog_verify = {
	.name = "verify",
	.summary = "show what the verifier says about the programs of object files, and what they cost it",
	.help = "Loads each program alone, with the maps of its file, and unloads it: nothing is pinned, attached or kept. "
		"Programs that are not loaded by default are also verified. A map whose max_entries is 0 gets one element. "
		"The exit status is 0 if all programs are accepted, 1 if one is refused, beyond a limit or, with --against, worse than "
		"before, and 2 if a file cannot be read.",
	.example = "prog verify app.bpf.o --limit insns=80%,stack=400",
	.schema = &verify_schema,
	ARGS(verify_args, struct verify_opts),
	.flags = CMD_WRITE | CMD_OURS | CMD_DIFF,
	.run = verify_run,
	.records = offsetof(struct verify_opts, records),
};
