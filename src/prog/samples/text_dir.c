/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/text_dir.h"

#include <sys/stat.h>

#include "base/newfile.h"
#include "cli/env.h"
#include "code/jited.h"
#include "prog/samples/code_at.h"
#include "prog/samples/text_elf.h"
#include "record/field.h"
#include "render/doc.h"
#include "source/codes.h"
#include "source/facts.h"
#include "source/info.h"
#include "source/lives.h"

/* What was written. */
struct text_dir_rec {
	const char *dir;
	uint64_t images, changed, uncertain, bytes;
};
static const struct field fields[] = {
	FIELD(text_dir_rec, images, "images", "files with machine code", .plain = "% images"),
	FIELD(text_dir_rec, bytes, "image_bytes", "bytes in these files", .unit = FU_SIZE, .plain = ", %", .col = 1),
	FIELD(text_dir_rec, changed, "images_changed",
	      "those of code that changed during the recording, or may have changed",
	      .plain = ", % of code that changed", .col = 2),
	FIELD(text_dir_rec, uncertain, "images_uncertain",
	      "those that are uncertain, because a change was not announced", .plain = ", % uncertain", .col = 3),
	FIELD(text_dir_rec, dir, "dir", "the directory", .plain = " in %", .col = 4),
};
const struct schema text_dir_schema = SCHEMA("report_text", text_dir_rec, fields, .indent = "");

struct text_dir {
	struct env *env;
	struct text_dir_rec sum;
	const struct code_index *index;
	const struct pokes *pokes;
	uint64_t at; /* ns since boot; 0: the whole recording */
	struct str lines;
	struct text_elf elf;
	struct hash btfs; /* in the ELF file */
};

/* A function or piece of code. */
struct text_piece {
	struct poke_place place;
	const unsigned char *code;
	const char *name;
};

static int image_write(struct text_dir *t, const struct text_piece *p, const void *code, uint64_t from, uint64_t to,
		       const char *doubt, struct err *e)
{
	STR path = { 0 };
	size_t file;

	str_fmt(&path, "%s/", t->sum.dir);
	file = path.n;
	str_fmt(&path, "%" PRIx64 "-%" PRIu64, p->place.addr, t->sum.images++);
	str_fmt(&t->lines, "0x%" PRIx64 " %zu %" PRIu64 " ", p->place.addr, p->place.n, from);
	if (to)
		str_fmt(&t->lines, "%" PRIu64, to);
	else
		str_puts(&t->lines, "-");
	str_fmt(&t->lines, " %s ", path.p + file);
	str_escape(&t->lines, p->name);
	str_puts(&t->lines, doubt ? " uncertain\n" : "\n");
	t->sum.uncertain += doubt != NULL;
	t->sum.bytes += p->place.n;
	return newfile_write(path.p, code, p->place.n, e);
}

/* The code from each of its changes to the next; with --at only what was there then. */
static int piece_write(struct text_dir *t, const struct text_piece *p, struct err *e)
{
	ARENA_SCOPE(t->env->arena);
	unsigned char *code = arena_dup(t->env->arena, p->code, p->place.n);
	size_t n;
	const uint64_t *moment = pokes_moments(t->pokes, &p->place, t->env->arena, &n);
	uint64_t from = p->place.from;
	int err = 0;

	if (t->at && (from > t->at || (p->place.to && p->place.to <= t->at)))
		return 0;
	for (size_t i = 0; i <= n && !err; i++) {
		const uint64_t to = i < n ? moment[i] : p->place.to;
		const char *doubt;

		if (!t->at || (from <= t->at && (!to || to > t->at))) {
			doubt = pokes_then(t->pokes, &p->place, from, code);
			t->sum.changed += n > 0;
			err = image_write(t, p, code, from, to, doubt, e);
			if (!err && t->at && text_elf_code(&t->elf, p->place.addr, code, p->place.n, p->name))
				err = err_set(e, -E2BIG, "%s: there is too much code for one ELF file", t->sum.dir);
		}
		from = to;
	}
	return err;
}

static void btf_write(struct text_dir *t, uint32_t id)
{
	struct blob b;

	if (!id || hash_get(&t->btfs, id) || ask(t->env->machine, t->env->arena, &b, Q_BTF_DATA, id))
		return;
	*hash_put(&t->btfs, id) = t;
	text_elf_btf(&t->elf, id, b.p, b.n);
}

static struct poke_place image_place(const struct text_dir *t, const struct life *l, const struct abi_prog_info *info,
				     const struct jited_func *f)
{
	const struct code_place *p = code_index_func(t->index, info->id, f->addr);
	struct poke_place ret = { f->addr, f->len, l && l->loaded ? l->loaded : info->load_time, l ? l->gone_at : 0 };

	if (!p)
		return ret;
	code_place_times(t->index, p, l && l->gone && !l->gone_at, &ret.from, &ret.to);
	ret.to = ret.to == UINT64_MAX ? 0 : ret.to;
	return ret;
}

static int prog_write(struct text_dir *t, uint32_t id, const struct abi_prog_info *info, struct err *e)
{
	const struct life *l = facts_life(t->env->machine, id);
	JITED_FUNC f = { 0 };
	struct jited x;
	int err = jited_read(t->env, id, info, &x, e);

	f.x = &x;
	while (!err && jited_func_next(&f)) {
		const struct text_piece p = {
			.place = image_place(t, l, info, &f),
			.code = x.image.p + f.off,
			.name = f.name ? f.name : arena_fmt(t->env->arena, "bpf_prog_%u_%zu", id, f.i - 1),
		};
		const uint64_t images = t->sum.images;

		if (f.addr)
			err = piece_write(t, &p, e);
		if (!err && t->at && t->sum.images != images)
			text_elf_lines(&t->elf, &f, p.name);
	}
	return err;
}

static int progs_write(struct text_dir *t, struct err *e)
{
	struct env *env = t->env;

	for (size_t i = 0; i < t->index->n; i++) {
		ARENA_SCOPE(env->arena);
		const uint64_t images = t->sum.images;
		struct abi_prog_info info;
		struct err why = { 0 };
		int err = prog_info(env->machine, env->arena, t->index->id[i], &info, &why);

		if (!err && !info.jited_prog_len)
			continue;
		if (!err)
			err = prog_write(t, t->index->id[i], &info, &why);
		if (t->at && t->sum.images != images)
			btf_write(t, info.btf_id);
		if (err == -ENODATA || err == -ENOENT || err == -EPERM)
			report_unread(env->report, &why);
		else if (err)
			return *e = why, err;
	}
	return 0;
}

/*
 * The kernel gives trampolines the length of a page, whatever they have of it: up to the next code that was there at
 * the same time.
 */
static size_t code_len(const struct text_dir *t, const struct code *c)
{
	const uint64_t to = c->gone_at ? c->gone_at : UINT64_MAX;
	size_t len = c->len;

	for (size_t i = 0; i < t->index->nplaces; i++) {
		const struct code_place *p = &t->index->place[i];

		if (p->addr > c->addr && p->addr - c->addr < len && p->from < to && p->to > c->from)
			len = p->addr - c->addr;
	}
	return len;
}

static int codes_write(struct text_dir *t, struct err *e)
{
	const struct codes *all = facts_codes(t->env->machine);
	int err = 0;

	for (size_t i = 0; i < all->n && !err; i++) {
		ARENA_SCOPE(t->env->arena);
		const struct code *c = &all->code[i];
		struct blob b;

		if (!c->has_text || !c->addr || ask(t->env->machine, t->env->arena, &b, Q_CODE, c->text))
			continue;
		const size_t len = code_len(t, c);
		const struct text_piece p = {
			.place = { c->addr, b.n < len ? b.n : len, c->from, c->gone_at },
			.code = b.p,
			.name = c->name,
		};

		err = piece_write(t, &p, e);
	}
	return err;
}

static int text_moment_parse(struct text_dir *t, const char *when, struct err *e)
{
	const struct lives *l = facts_lives(t->env->machine);
	const uint64_t boot = facts_boot_ns(t->env->machine), end = l ? lives_end(l) : 0;
	int err = l ? at_parse(when, boot + l->from, boot + end, boot, &t->at, e) :
		      err_usage(e, "--at needs a recording, and this file is not one");

	if (err)
		return err;
	t->at = t->at > boot ? t->at - boot : 0;
	if (t->at < l->from || t->at > end)
		return err_usage(e, "--at %s is not in the recording", when);
	if (!text_elf_machine(jited_machine(t->env)))
		return err_set(e, -EOPNOTSUPP, "no ELF file can be written for the machine '%s'",
			       jited_machine(t->env));
	return 0;
}

static int text_dir_make(struct text_dir *t, struct err *e)
{
	STR path = { 0 };
	int err;

	if (mkdir(t->sum.dir, 0700)) {
		err_sys(e, -errno, "cannot make the directory %s", t->sum.dir);
		return e->code == -EEXIST ? err_hint(e, "name one that does not exist yet") : e->code;
	}
	err = progs_write(t, e);
	if (!err)
		err = codes_write(t, e);
	if (!err && t->at) {
		str_fmt(&path, "%s/text.elf", t->sum.dir);
		err = text_elf_write(&t->elf, text_elf_machine(jited_machine(t->env)), path.p, e);
	}
	str_reset(&path);
	str_fmt(&path, "%s/index", t->sum.dir);
	return err ? err : newfile_write(path.p, t->lines.p, t->lines.n, e);
}

static void text_dir_print(const struct text_dir *t)
{
	struct doc d;

	env_doc(t->env, &d);
	doc_object(&d, NULL);
	doc_fields(&d, &text_dir_schema, &t->sum);
	doc_text(&d, "\n");
	doc_end(&d);
	env_doc_end(t->env, &d);
}

int text_dir_write(struct env *env, const char *dir, const char *when, struct err *e)
{
	struct text_dir t = { .env = env, .sum.dir = dir, .pokes = facts_pokes(env->machine) };
	struct code_index *index;
	int err = code_index_new(env, &index, e);

	t.index = index;
	hash_init(&t.btfs, env->keep);
	if (!err && when)
		err = text_moment_parse(&t, when, e);
	if (!err)
		err = text_dir_make(&t, e);
	if (!err)
		text_dir_print(&t);
	text_elf_release(&t.elf);
	str_release(&t.lines);
	return err;
}
