/* SPDX-License-Identifier: BSD-2-Clause */
#include "load/rejection.h"

#include <bpf/libbpf.h>

#include "base/message.h"
#include "cli/env.h"
#include "host/caps.h"
#include "kernel/hooks.h"
#include "kernel/log.h"
#include "kernel/names.h"
#include "kernel/secname.h"
#include "load/steps.h"
#include "object/file.h"
#include "object/refusals.h"
#include "record/field.h"
#include "source/facts.h"
#include "types/btf.h"

static const struct field branch_fields[] = {
	FIELD(reject_branch, at, "at", "file and line of the source", .flags = FIELD_NONZERO),
	FIELD(reject_branch, source, "source", "line of source", .role = ROLE_SOURCE, .flags = FIELD_NONZERO),
	FIELD(reject_branch, insn, "insn", "number of the conditional jump"),
	FIELD(reject_branch, to, "to", "number of the instruction that came next"),
	FIELD(reject_branch, taken, "taken", "it jumped there"),
	FIELD(reject_branch, times, "times", "how many times, if it is in a loop, whose turns are one here"),
};

static size_t branch_text(const void *row, char *buf, size_t size)
{
	const struct reject_branch *b = row;
	char times[32] = "";
	int n;

	if (b->times > 1)
		snprintf(times, sizeof(times), ", %u times", b->times);
	n = snprintf(buf, size, "%s%s%s%s%u -> %u%s", b->at ? b->at : "", b->at ? "  " : "", b->source ? b->source : "",
		     b->source ? "  " : "", b->insn, b->to, times);
	return n < 0 ? 0 : (size_t)n;
}

static const struct schema branch_schema =
	SCHEMA("rejection_branch", reject_branch, branch_fields, .text = branch_text);

static const struct field rejection_fields[] = {
	FIELD(rejection, prog, "program", "the program that was rejected, if it is known",
	      .flags = FIELD_NOPLAIN | FIELD_NONZERO),
	FIELD(rejection, section, "section", "its section in the object file", .flags = FIELD_NOPLAIN | FIELD_NONZERO),
	FIELD(rejection, cause, "cause", "name of the cause, if it is a common one",
	      .flags = FIELD_NOPLAIN | FIELD_NONZERO),
	FIELD(rejection, meaning, "meaning", "what is wrong", .flags = FIELD_NOPLAIN | FIELD_NONZERO),
	FIELD(rejection, remedy, "remedy", "what usually helps", .flags = FIELD_NOPLAIN | FIELD_NONZERO),
	FIELD(rejection, at, "at", "file and line of the source", .flags = FIELD_NONZERO, .plain = "%:", .line = 0),
	FIELD(rejection, source, "source", "line of source", .role = ROLE_SOURCE, .flags = FIELD_NONZERO,
	      .plain = "  %", .line = 0),
	FIELD_IF(rejection, insn, has_insn, "insn", "number of the instruction that was rejected",
		 .plain = "%: ", .line = 1),
	FIELD(rejection, code, "code", "the instruction", .flags = FIELD_NONZERO, .plain = "%", .line = 1),
	FIELD_LIST(rejection, registers, nregisters, FT_STR, "registers",
		   "what the verifier knows about the registers involved", .flags = FIELD_NONZERO | FIELD_EACH,
		   .plain = "%", .line = 2),
	FIELD_LIST(rejection, messages, nmessages, FT_STR, "messages", "the verifier's last messages",
		   .flags = FIELD_NONZERO | FIELD_EACH, .plain = "%", .line = 3),
	FIELD_ROWS(rejection, branches, nbranches, &branch_schema, "branches",
		   "conditional jumps on the path to the rejected instruction", .flags = FIELD_NONZERO | FIELD_EACH,
		   .plain = "after %", .line = 4),
	FIELD(rejection, processed, "processed", "instructions that the verifier processed, repetitions included",
	      .flags = FIELD_NOPLAIN),
};
const struct schema rejection_schema = SCHEMA("rejection", rejection, rejection_fields);

/* libbpf's strings are freed with its object. */
static const char *copy(const struct load *l, const char *s)
{
	return arena_str(l->env->keep, s, SIZE_MAX);
}

static bool is_of_maps(const struct bpf_map *m)
{
	return bpf_map__type(m) == BPF_MAP_TYPE_HASH_OF_MAPS || bpf_map__type(m) == BPF_MAP_TYPE_ARRAY_OF_MAPS;
}

/* A map whose max_entries is 0 in the file expects its loader to set it. */
static int map_explain(struct load *l, const char *line, int err, struct err *e)
{
	const char *name = strstr(line, "map '"), *end = name ? strstr(name, "': failed to create: ") : NULL;
	struct bpf_map *m;

	if (!end)
		return 0;
	name = arena_str(l->env->keep, name + 5, (size_t)(end - name - 5));
	l->refused = m = bpf_object__find_map_by_name(l->obj, name);
	if (m && !(is_of_maps(m) && bpf_map__inner_map(m)) &&
	    object_explain_refused("load", l->q.path, l->q.bytes, name, err, e))
		return err;
	err_set(e, err, "cannot load %s: its map '%s' cannot be created: %s", l->q.path, name, err_text(err));
	if (m && !bpf_map__max_entries(m))
		err_hint(e, "its max_entries is 0 in the file: set it with 'resize %s=1024'", name);
	return err;
}

/*
 * Does the kernel have a name for the attach type? Distributors add features of later releases. The number after the
 * last type is named __MAX_BPF_ATTACH_TYPE.
 */
static bool kernel_has(const struct load *l, int attach_type)
{
	const struct btf_types *t;
	struct err why = { 0 };
	const char *name;
	uint32_t id = attach_type < 0 || btf_get_vmlinux(l->env->machine, &t, NULL, &why) ?
			      0 :
			      btf_find(t, names_attach_type.btf_enum, BTF_KIND_ENUM);

	name = id ? btf_enum_name(t, id, attach_type) : NULL;
	return name && str_starts(name, names_attach_type.prefix);
}

/* The hook of a program that the kernel is too old for; NULL: that is not the reason. */
static const struct hook *newer_hook(const struct load *l, const struct bpf_program *p)
{
	const struct hook *h = secname_guess(l->q.type ? l->q.type : bpf_program__section_name(p)).hook;
	const char *release = facts_release(l->env->machine);

	return h && release && hook_is_newer(h, release) && !kernel_has(l, h->type) ? h : NULL;
}

static const char *newer_text(const struct load *l, const struct hook *h)
{
	const char *attach = secname_attach_type(h);

	return attach ? arena_fmt(l->env->keep, "the attach type %s is newer than this kernel", attach) :
			"its type is newer than this kernel";
}

static const char *newer_remedy(const struct load *l, const struct hook *h)
{
	return arena_fmt(l->env->keep, "it needs Linux %s, this is %.60s", h->since, facts_release(l->env->machine));
}

/* The kernel refused it before the verifier ran, mostly because the program type or attach type is missing. */
static int prog_explain(const struct load *l, const char *line, int err, struct err *e)
{
	const char *name = strstr(line, "prog '"), *end = name ? strstr(name, "': failed to load: ") : NULL;
	const struct bpf_program *p;
	const struct hook *newer;

	if (!end)
		return 0;
	name = arena_str(l->env->keep, name + 6, (size_t)(end - name - 6));
	p = bpf_object__find_program_by_name(l->obj, name);
	newer = p && err == -EINVAL ? newer_hook(l, p) : NULL;
	if (newer) {
		err_set(e, err, "cannot load %s: the kernel refuses its program %s: %s", l->q.path, name,
			newer_text(l, newer));
		return err_hint(e, "%s", newer_remedy(l, newer));
	}
	err_sys(e, err, "cannot load %s: the kernel refuses its program %s, and the verifier gives no reason",
		l->q.path, name);
	return caps_explain_missing(e) ? err :
					 err_hint_word(e, "`bpflens object ", l->q.path,
						       " --needs` shows what this kernel does not have");
}

/* An option of the kernel that the program requires, or a symbol. */
static int option_explain(const struct load *l, const char *line, int err, struct err *e)
{
	const char *name = strstr(line, "extern '"), *end = name ? strstr(name, "' (strong): not resolved") : NULL;

	if (!end)
		return 0;
	name += 8;
	err_set(e, err, "cannot load %s: the kernel does not have %.*s, which it requires", l->q.path,
		(int)(end - name), name);
	e->status = EXIT_FAILED;
	return err_hint_word(e, "declare it __weak to load without it; `bpflens object ", l->q.path,
			     " --needs` names all that is missing");
}

/* "Retrying without BTF", "BTF is optional, ignoring": messages before these are not the cause. */
static bool goes_on(const char *line)
{
	return strstr(line, "Retrying") || strstr(line, "optional, ignoring");
}

static const struct reject_cause *library_cause(const char *line)
{
	const struct reject_cause *cause = reject_cause(&line, 1);

	return cause && cause->library ? cause : NULL;
}

/* libbpf failed before the verifier ran: the cause is named after libbpf's own messages. */
int load_explain_library(struct load *l, int err, struct err *e)
{
	char *text = arena_str(l->env->keep, log_text(), strlen(log_text())), *line;
	const struct reject_cause *cause = NULL;

	while ((line = strsep(&text, "\n"))) {
		if (goes_on(line))
			cause = NULL;
		else if (!cause && (map_explain(l, line, err, e) || prog_explain(l, line, err, e) ||
				    option_explain(l, line, err, e)))
			return err;
		else if (!cause)
			cause = library_cause(line);
	}
	if (!cause)
		return object_explain("load", l->q.path, l->q.bytes, err, e);
	err_set(e, err, "cannot load %s: %s", l->q.path, cause->meaning);
	return err_hint(e, "%s", cause->remedy);
}

/* The name of what is missing, and what the kernel has instead, is better than the general sentence. */
static void name_missing(const struct load *l, struct rejection *r)
{
	const char *missing = NULL;

	for (uint32_t i = 0; i < r->nmessages && !missing; i++)
		missing = load_core_missing(l, r->messages[i]);
	if (missing)
		r->meaning = missing;
}

/* It came to no instruction: its type, or what it is loaded with, was refused. */
static void name_newer(const struct load *l, const struct load_prog *p, int err, struct rejection *r)
{
	const struct hook *newer = p && err == -EINVAL && !r->has_insn ? newer_hook(l, p->prog) : NULL;

	if (!newer)
		return;
	r->cause = "newer";
	r->meaning = newer_text(l, newer);
	r->remedy = newer_remedy(l, newer);
}

/* Registers of another architecture are the cause of everything else. */
static void name_foreign(const struct load *l, struct rejection *r)
{
	ARENA scratch = arena_new();
	const char *arch;
	struct object o;

	if (object_read(&o, l->q.path, l->q.bytes->p, l->q.bytes->n, scratch, NULL) || !object_is_foreign(&o, &arch))
		return;
	r->meaning = arena_fmt(l->env->keep, "it is compiled for %s%s%s", arch, r->meaning ? ": " : "",
			       r->meaning ? r->meaning : "");
	r->remedy = arena_fmt(l->env->keep, "compile it with -D__TARGET_ARCH_%s and the types of this machine",
			      object_arch_here());
}

/* Neither libbpf nor a loader prints a log that goes to our buffer. */
void load_log_print(const struct load_prog *p, const char *log)
{
	STR s = { 0 };

	str_fmt(&s, "prog '%s': -- BEGIN PROG LOAD LOG --\n%s-- END PROG LOAD LOG --\n",
		p ? bpf_program__name(p->prog) : "?", log);
	message_lines(s.p);
}

int load_explain(struct load *l, const struct load_prog *p, const char *log, int err, struct err *e)
{
	struct rejection *r = arena_alloc(l->env->keep, sizeof(*r));
	const char *says;

	if (l->env->opts->debug)
		load_log_print(p, log);
	rejection_read(r, log, l->env->keep);
	if (r->cause)
		name_missing(l, r);
	name_newer(l, p, err, r);
	name_foreign(l, r);
	if (l->q.loader.use && !r->nmessages) /* the verifier did not reject it */
		return err_sys(e, err, "cannot load %s", l->q.path);
	r->prog = p ? copy(l, bpf_program__name(p->prog)) : NULL;
	r->section = p ? copy(l, bpf_program__section_name(p->prog)) : NULL;
	log_forget();
	says = r->meaning ? r->meaning : r->nmessages ? r->messages[0] : err_text(err);
	l->env->report->because = &rejection_schema;
	l->env->report->because_rec = r;
	err_set(e, err, "%s%s of %s is rejected: %s", p ? "program " : "a program", p ? r->prog : "", l->q.path, says);
	return r->remedy ? err_hint(e, "%s", r->remedy) : err_hint(e, "-d shows the verifier's whole log");
}
