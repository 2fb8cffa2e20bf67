/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/programs.h"

#include <linux/perf_event.h>

#include "types/btf.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "cli/select.h"
#include "events/record.h"
#include "kernel/abi.h"
#include "kernel/names.h"
#include "record/field.h"
#include "source/info.h"
#include "source/source.h"

#define PREFIX "bpf_prog_"

/* Index at which an id is, or would be inserted. */
static size_t known_at(const struct programs *p, uint32_t id)
{
	return ARRAY_LOWER(p->n, i, p->known[i].id < id);
}

static const struct program_known *program_find(const struct programs *p, uint32_t id)
{
	size_t at = known_at(p, id);

	return at < p->n && p->known[at].id == id ? &p->known[at] : NULL;
}

static void known_add(struct programs *p, uint32_t id, int64_t type, uint64_t since)
{
	size_t at = known_at(p, id);

	if (at == p->n || p->known[at].id != id) {
		ARRAY_MORE(p->known, p->n, p->cap);
		memmove(p->known + at + 1, p->known + at, (p->n++ - at) * sizeof(*p->known));
	}
	p->known[at] = (struct program_known){ id, type, since, false };
}

static void known_remove(struct programs *p, uint32_t id)
{
	size_t at = known_at(p, id);

	if (at < p->n && p->known[at].id == id)
		memmove(p->known + at, p->known + at + 1, (--p->n - at) * sizeof(*p->known));
}

/* The descriptor is closed at once: while it is open, the program is not unloaded when others close theirs. */
static bool info_of(const struct programs *p, uint32_t id, struct abi_prog_info *ret)
{
	struct machine *m = p->env->machine;
	uint32_t len;
	int err = info_get(m, p->env->arena, OBJECT_PROG, id, ret, sizeof(*ret), &len);

	source_idle(m->src);
	return !err;
}

int programs_init(struct programs *p, struct env *env, struct err *e)
{
	struct abi_prog_info info;
	const uint32_t *ids;
	size_t n;
	int err;

	*p = (struct programs){ .env = env };
	err = select_all(env, &kind_prog, &ids, &n, e);
	for (size_t i = 0; !err && i < n; i++) {
		ARENA_SCOPE(env->arena);

		if (info_of(p, ids[i], &info))
			known_add(p, ids[i], info.type, info.load_time);
	}
	return err;
}

void programs_release(struct programs *p)
{
	free(p->known);
	p->known = NULL;
	p->n = p->cap = 0;
}

static struct program_code *code_of(struct programs *p, uint32_t tid, bool gone)
{
	for (unsigned i = 0; i < PROGRAMS_THREADS; i++)
		if (p->code[i].used && p->code[i].tid == tid && p->code[i].gone == gone)
			return &p->code[i];
	return NULL;
}

static struct program_code *code_make(struct programs *p, uint32_t tid, bool gone)
{
	struct program_code *c = NULL;

	for (unsigned i = 0; !c && i < PROGRAMS_THREADS; i++)
		if (!p->code[i].used)
			c = &p->code[i];
	if (!c) {
		c = &p->code[p->next];
		p->next = (p->next + 1) % PROGRAMS_THREADS;
	}
	*c = (struct program_code){ .used = true, .tid = tid, .gone = gone };
	return c;
}

/* Linux up to 6.1 may report the first function of several without a name. Trampolines are not part of a program. */
static void code_note(struct programs *p, const struct sideband_record *r)
{
	struct program_code *c = code_of(p, r->tid, r->ksymbol.gone);
	const char *name = r->ksymbol.name;

	if (*name && !str_starts(name, PREFIX))
		return;
	if (!c) {
		c = code_make(p, r->tid, r->ksymbol.gone);
		memcpy(c->symbol, name, strnlen(name, sizeof(c->symbol) - 1));
	}
	c->functions++;
	c->bytes += r->ksymbol.len;
}

/* The name in "bpf_prog_b0f42213f579076a_NAME"; NULL: there is none. */
static const char *symbol_name(const char *symbol)
{
	const size_t before = strlen(PREFIX) + 2 * SIDEBAND_TAG;

	return strlen(symbol) > before + 1 && symbol[before] == '_' ? symbol + before + 1 : NULL;
}

void programs_learn(struct programs *p, uint32_t id, uint32_t type, uint64_t since)
{
	const struct program_known *k = program_find(p, id);

	if (!k || k->type < 0)
		known_add(p, id, type, k ? k->since : since);
}

void programs_mark_printed(struct programs *p, uint32_t id)
{
	size_t at = known_at(p, id);

	if (at < p->n && p->known[at].id == id)
		p->known[at].printed = true;
}

static void load_read(struct programs *p, const struct sideband_record *r, struct event_rec *ret)
{
	struct arena *a = p->env->arena;
	const struct program_known *k = program_find(p, r->prog.id);
	struct abi_prog_info info;
	bool there;

	if (k && k->type >= 0 && ret->name)
		return;
	there = info_of(p, r->prog.id, &info);
	if (there || !k)
		known_add(p, r->prog.id, there ? (int64_t)info.type : -1, there ? info.load_time : r->time);
	if (there && !ret->name)
		ret->name = arena_str(a, info.name, strnlen(info.name, sizeof(info.name)));
}

void programs_type(const struct programs *p, uint32_t id, struct event_rec *ret)
{
	const struct program_known *k = program_find(p, id);

	if (!k || k->type < 0)
		return;
	ret->type = btf_word(p->env->machine, &names_prog_type, (uint64_t)k->type);
	ret->has_type = AVAIL_YES;
}

static void known_read(const struct programs *p, const struct sideband_record *r, bool life, struct event_rec *ret)
{
	const struct program_known *k = program_find(p, r->prog.id);

	programs_type(p, r->prog.id, ret);
	if (!life)
		return;
	ret->load_printed = k && k->printed;
	ret->life = k && k->since <= r->time ? r->time - k->since : 0;
	ret->has_life = k ? AVAIL_YES : AVAIL_UNKNOWN;
}

static const char *event_word(struct arena *a, uint16_t event)
{
	static const char *const words[] = {
		[PERF_BPF_EVENT_PROG_LOAD] = "load", [PERF_BPF_EVENT_PROG_UNLOAD] = "unload"
	};

	return event < ARRAY_SIZE(words) && words[event] ? words[event] : arena_fmt(a, "unknown(%u)", event);
}

static void prog_note(struct programs *p, const struct sideband_record *r, struct event_rec *ret)
{
	bool gone = r->prog.event == PERF_BPF_EVENT_PROG_UNLOAD;
	struct program_code *c = code_of(p, r->tid, gone);
	const char *name = c ? symbol_name(c->symbol) : NULL;

	*ret = (struct event_rec){
		.kind = object_kind_names[OBJECT_PROG],
		.id = r->prog.id,
		.has_id = r->prog.id ? AVAIL_YES : AVAIL_UNKNOWN,
		.has_type = AVAIL_UNKNOWN,
		.has_tag = AVAIL_YES,
		.name = name ? arena_str(p->env->arena, name, SIZE_MAX) : NULL,
		.event = event_word(p->env->arena, r->prog.event),
	};
	memcpy(ret->tag, r->prog.tag, sizeof(ret->tag));
	if (c) {
		ret->bytes_jited = c->bytes;
		ret->functions = c->functions;
		ret->has_jited = AVAIL_YES;
		c->used = false;
	}
	if (r->prog.id && r->prog.event == PERF_BPF_EVENT_PROG_LOAD)
		load_read(p, r, ret);
	if (r->prog.id)
		known_read(p, r, gone, ret);
	if (gone)
		known_remove(p, r->prog.id);
}

bool programs_note(struct programs *p, const struct sideband_record *r, struct event_rec *ret)
{
	if (r->kind == SIDEBAND_KSYMBOL && r->ksymbol.ksym_type == PERF_RECORD_KSYMBOL_TYPE_BPF)
		code_note(p, r);
	if (r->kind != SIDEBAND_PROG)
		return false;
	prog_note(p, r, ret);
	return true;
}
