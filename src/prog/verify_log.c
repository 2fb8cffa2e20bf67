/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/env.h"
#include "load/rejection.h"
#include "object/file.h"
#include "prog/verify.h"
#include "render/doc.h"

#define LOG_FILE_MAX (256u << 20)

/* The name in libbpf's "prog 'NAME': -- BEGIN PROG LOAD LOG --"; NULL: another line. */
static const char *begun_name(struct env *env, const char *line)
{
	const char *name = strstr(line, "prog '"), *end = strstr(line, "': -- BEGIN PROG LOAD LOG --");

	return name && end && name < end ? arena_str(env->keep, name + 6, (size_t)(end - name - 6)) : NULL;
}

static void log_complete(struct env *env, const struct object *o, const char *log, struct rejection *r)
{
	const uint32_t n = o ? verify_log_complete(o, log, r) : 1;

	if (!n)
		report_note(env->report, "%s has no program%s%s with the instructions of the log", o->path,
			    r->prog ? " " : "", r->prog ? r->prog : "");
	else if (n > 1)
		report_note(env->report, "%u programs of %s may be the one of the log", n, o->path);
}

/* False: the log rejects nothing. */
static bool log_print(struct env *env, struct doc *d, const struct object *o, const char *name, const char *log)
{
	struct rejection r;

	rejection_read(&r, log, env->keep);
	if (!r.nmessages || !(r.has_insn || r.processed || r.cause))
		return false;
	r.prog = name;
	log_complete(env, o, log, &r);
	name = r.prog;
	doc_text(d, name ? "program " : "the program");
	doc_text_escape(d, name ? name : "");
	doc_text(d, " is rejected: ");
	doc_text_escape(d, r.meaning ? r.meaning : r.messages[0]);
	doc_text(d, "\n");
	doc_record(d, &rejection_schema, &r);
	if (r.remedy)
		doc_text(d, arena_fmt(env->keep, "hint: %s\n", r.remedy));
	return true;
}

/* What is between libbpf's lines about a log is one; without such lines the whole file is. */
static uint32_t logs_print(struct env *env, struct doc *d, const struct object *o, char *text)
{
	const bool marked = strstr(text, "-- BEGIN PROG LOAD LOG --");
	const char *name = NULL, *line;
	bool inside = !marked;
	uint32_t n = 0;
	STR log = { 0 };

	while ((line = strsep(&text, "\n"))) {
		const char *begun = begun_name(env, line);

		line += str_starts(line, "libbpf: ") ? strlen("libbpf: ") : 0;
		if (begun) {
			name = begun;
			inside = true;
			str_reset(&log);
		} else if (marked && strstr(line, "-- END PROG LOAD LOG --")) {
			n += log_print(env, d, o, name, log.p ? log.p : "");
			inside = false;
		} else if (inside) {
			str_fmt(&log, "%s\n", line);
		}
	}
	return n + (inside && log_print(env, d, o, name, log.p ? log.p : ""));
}

int verify_log_explain(struct env *env, const char *path, const char *object, struct err *e)
{
	struct object *o = NULL;
	STR text = { 0 };
	struct doc d;
	uint32_t n;
	int err = str_read_file(&text, path, LOG_FILE_MAX);

	if (err)
		return err_sys(e, err, "cannot read %s", path);
	err = object ? object_open(env, &(struct object_path){ object }, &o, e) : 0;
	if (err)
		return err;
	env_doc(env, &d);
	doc_list(&d, NULL);
	n = logs_print(env, &d, o, text.p ? text.p : (char[]){ "" });
	doc_end(&d);
	env_doc_end(env, &d);
	env->report->differs = n;
	if (!n)
		report_note(env->report, "%s has no message of the verifier that rejects a program", path);
	return 0;
}
