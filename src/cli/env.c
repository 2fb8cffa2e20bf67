/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/env.h"

#include "base/message.h"
#include "cli/fleet.h"
#include "record/view.h"
#include "render/doc.h"
#include "render/render.h"
#include "source/facts.h"
#include "source/lives.h"
#include "source/file/archive.h"
#include "source/file/box.h"
#include "source/live/source.h"

void env_init(struct env *env, const struct globals *opts, struct report *report)
{
	*env = (struct env){ .opts = opts, .report = report, .arena = arena_new(), .keep = arena_new() };
	ARENA_SCOPE(env->arena); /* its chunk stays: what a change reports after it finds room */
}

void env_use(struct env *env, struct machine *m)
{
	env->machine = m;
	memset(env->memo, 0, sizeof(env->memo));
}

static void note_recording(const struct lives *l, const char *path, char *note, size_t size)
{
	size_t missed = 0, parts = 0, n = 0;

	for (size_t i = 0; i < l->n; i++) {
		missed += l->life[i].how == LIFE_MISSED;
		parts += l->life[i].how != LIFE_MISSED && l->life[i].missing;
	}
	if (missed)
		n = str_snprintf(note, size, "%.60s lacks %zu program%s that %s unloaded before %s copied", path,
				 missed, plural(missed), missed == 1 ? "was" : "were",
				 missed == 1 ? "it was" : "they were");
	if (missed && parts)
		snprintf(note + n, size - n, ", and parts of %zu other program%s", parts, plural(parts));
	else if (parts)
		snprintf(note, size, "%.60s lacks parts of %zu program%s", path, parts, plural(parts));
}

void env_note_lacks(struct env *env, const char *path)
{
	const struct lives *l = facts_lives(env->machine);
	uint64_t answers;

	if (l)
		note_recording(l, path, env->report->note, sizeof(env->report->note));
	if (source_archive_cut(env->machine->src, &answers))
		snprintf(env->report->note, sizeof(env->report->note),
			 "%.60s is truncated after %llu answer%s; later ones are missing", path, llu(answers),
			 plural(answers));
}

static int source_of(const struct env *env, const char *path, struct source **ret, struct err *e)
{
	int err = path ? source_archive(ret, path, e) : source_live(ret, env->opts->debug, env->opts->no_load, e);

	if (!err && env->opts->trace)
		(*ret)->traced = path ? path : "live";
	return err;
}

static void other_free(void *p)
{
	machine_free(p);
}

/* The programs at one moment of a recording. */
static int open_at(struct env *env, const char *when, struct err *e)
{
	struct source *at;
	uint64_t boot;
	int err = source_at(&at, env->machine->src, when, e);

	if (!err) {
		boot = facts_boot_ns(env->machine);
		env->machine->saved_at = boot ? (boot + source_at_ns(at)) / NSEC_PER_SEC : 0;
		env->machine->at_ns = source_at_ns(at);
		env->machine->src = at;
	}
	return err;
}

int env_other_at(struct env *env, const char *which, const char *at, struct env *ret, const char **ret_path,
		 struct err *e)
{
	struct box_place place = { strcmp(which, "live") ? which : NULL, at };
	struct machine **m = arena_alloc(env->keep, sizeof(*m));
	struct source *s;
	int err = 0;

	if (at && !place.path)
		err = err_usage(e, "--at is for files, and the running kernel is at no other time than now");
	else if (at && fleet_is_folder(which))
		err = fleet_find_at(env, which, at, &place, e);
	if (!err)
		err = source_of(env, place.path, &s, e);
	if (err)
		return err;
	*ret_path = place.path;
	*m = machine_new(s);
	arena_defer(env->keep, other_free, m);
	*ret = *env;
	env_use(ret, *m);
	env_note_lacks(ret, place.path);
	return at ? open_at(ret, place.at, e) : 0;
}

int env_other(struct env *env, const char *which, struct env *ret, struct err *e)
{
	const char *path;

	return env_other_at(env, which, NULL, ret, &path, e);
}

void env_other_end(struct env *other)
{
	report_add_refused(other->report, other->machine);
}

int env_open(struct env *env, struct err *e)
{
	struct source *s;
	int err;

	if (env->machine)
		return 0;
	if (fleet_is_given(env->opts)) {
		err_usage(e, "this command reads one machine, and --from names several");
		return err_hint(
			e,
			"`list` of an object, `ls`, `mem`, `orphans`, `audit`, `pin list` and `net list` read several");
	}
	/* Few commands use it, but an error in the option must always be reported. */
	if (env->opts->base_btf) {
		err = base_btf_check(env->opts->base_btf, e);
		if (err)
			return err;
	}
	err = source_of(env, env->opts->from, &s, e);
	if (err)
		return err;
	env_use(env, machine_new(s));
	env_note_lacks(env, env->opts->from);
	if (!env->opts->at)
		return 0;
	return env->opts->from ? open_at(env, env->opts->at, e) : err_usage(e, "--at needs --from");
}

void env_close(struct env *env)
{
	if (!env->borrowed)
		machine_free(&env->machine);
	arena_free(env->arena);
	arena_free(env->keep);
	env_use(env, NULL);
	env->arena = env->keep = NULL;
}

void env_waits(const struct env *env, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	if (!env->report->progress)
		return;
	va_start(ap, fmt);
	str_vfit(what, sizeof(what), fmt, ap);
	va_end(ap);
	message("%s; Ctrl-C ends it", what);
}

void env_doc(const struct env *env, struct doc *ret)
{
	report_doc(env->report, env->keep, ret);
}

void env_doc_end(struct env *env, const struct doc *d)
{
	report_doc_end(env->report, d);
}

void env_doc_answers(struct env *env, const struct doc *d)
{
	env->report->in_document = !doc_is_text(d);
}

void env_render(struct env *env, struct render *ret)
{
	report_render(env->report, env->keep, ret);
	if (env->machine && ret->ops == &render_plain && out_line(ret->out))
		ret->now = facts_asked_at(env->machine);
}

int env_now(struct env *env, struct view *v, struct err *e)
{
	if (!(v->need & NEED_NOW))
		return 0;
	v->now = facts_asked_at(env->machine);
	if (v->now)
		return 0;
	err_set(e, -ENODATA, "filter: a relative time needs the time when %s was saved, which is not known",
		env->machine->host ? env->machine->host : "this file");
	return err_hint(e, "compare with an absolute time, as in loaded_at > 2026-01-31T23:59");
}

int env_check_page(const struct env *env, const char *output, struct err *e)
{
	if (env->opts->json)
		return err_usage(e, "'--html' is not compatible with JSON output");
	if (output || !env->report->out->tty)
		return 0;
	err_usage(e, "standard output is a terminal, and the page is for a browser");
	return err_hint(e, "`--output report.html` writes a file");
}
