/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/codes.h"

#include "source/facts_state.h"
#include "source/lives.h"
#include "source/questions.h"

#define ANNOUNCED "announced"
#define SILENT "silent"
#define LOST "lost"
#define NEW_CODE "code"
#define POKED "poke"
#define FOUND "found"

/* A number, or @none in its place. */
static void field_put_number(struct str *ret, bool known, uint64_t v, const char *none)
{
	if (known)
		str_fmt(ret, "%" PRIu64 " ", v);
	else
		str_fmt(ret, "%s ", none);
}

void codes_put(struct str *ret, const struct code *c)
{
	str_fmt(ret, "0x%" PRIx64 " %u ", c->addr, c->len);
	field_put_number(ret, c->from, c->from, "?");
	field_put_number(ret, c->gone && c->gone_at, c->gone_at, c->gone ? "?" : "-");
	field_put_number(ret, c->prog, c->prog, "-");
	field_put_number(ret, c->pid, c->pid, "?");
	field_put_number(ret, c->has_text, c->text, "-");
	if (c->comm && *c->comm)
		str_escape(ret, c->comm);
	else
		str_puts(ret, "?");
	str_puts(ret, " ");
	str_escape(ret, c->name);
	str_puts(ret, "\n");
}

/* The next word: a number up to @max, or one of the characters of @none and 0. */
static int field_parse(char **line, const char *none, uint64_t max, char *ret_none, uint64_t *ret)
{
	const char *word = facts_cut(line, ' ');

	*ret = 0;
	*ret_none = '\0';
	if (!word)
		return -EBADMSG;
	if (*word && !word[1] && strchr(none, *word)) {
		*ret_none = *word;
		return 0;
	}
	return num_parse_u64(word, ret) || *ret > max ? -EBADMSG : 0;
}

static int code_parse(char *line, struct code *ret)
{
	uint64_t addr, len, from, gone, prog, pid, text;
	char none, no_gone, no_text, *comm;

	if (field_parse(&line, "", UINT64_MAX, &none, &addr) || field_parse(&line, "", UINT32_MAX, &none, &len) ||
	    field_parse(&line, "?", UINT64_MAX, &none, &from) ||
	    field_parse(&line, "?-", UINT64_MAX, &no_gone, &gone) ||
	    field_parse(&line, "-", UINT32_MAX, &none, &prog) || field_parse(&line, "?", UINT32_MAX, &none, &pid) ||
	    field_parse(&line, "-", UINT32_MAX, &no_text, &text))
		return -EBADMSG;
	comm = facts_cut(&line, ' ');
	*ret = (struct code){
		.addr = addr,
		.len = (uint32_t)len,
		.from = from,
		.gone = no_gone != '-',
		.gone_at = gone,
		.prog = (uint32_t)prog,
		.pid = (uint32_t)pid,
		.has_text = !no_text,
		.text = (uint32_t)text,
	};
	ret->name = facts_cut(&line, ' ');
	if (!comm || !ret->name || addr + len < addr)
		return -EBADMSG;
	ret->comm = strcmp(comm, "?") ? comm : NULL;
	str_unescape(comm);
	str_unescape((char *)ret->name);
	return 0;
}

int codes_parse(struct codes *ret, const struct blob *b, struct arena *a)
{
	char *text = blob_text(a, b), *line;
	const size_t lines = str_lines(text);

	*ret = (struct codes){ 0 };
	if (!blob_is_lines(b))
		return -EBADMSG;
	ret->code = arena_array(a, lines, sizeof(*ret->code));
	while (ret->n < lines && (line = facts_cut(&text, '\n'))) {
		if (code_parse(line, &ret->code[ret->n]))
			return -EBADMSG;
		ret->n++;
	}
	return 0;
}

const struct codes *facts_codes(struct machine *m)
{
	struct facts *f = m->facts;
	struct blob b;
	int err;

	if (f->codes)
		return f->codes;
	f->codes = arena_alloc(f->arena, sizeof(*f->codes));
	err = machine_is_saved(m) ? ask_silently(m, f->arena, &b, Q_CODES) : -ENODATA;
	if (!err)
		err = codes_parse(f->codes, &b, f->arena);
	if (err && err != -ENODATA)
		note_refused(m, err, Q_CODES);
	if (err)
		*f->codes = (struct codes){ 0 };
	return f->codes;
}

void pokes_put_head(struct str *ret, bool silent)
{
	str_fmt(ret, "%s\n", silent ? SILENT : ANNOUNCED);
}

void pokes_put_lost(struct str *ret, uint64_t time)
{
	str_fmt(ret, LOST " %" PRIu64 "\n", time);
}

static void bytes_put(struct str *ret, const unsigned char *p, uint32_t n)
{
	str_puts(ret, " ");
	for (uint32_t i = 0; i < n; i++)
		str_add(ret, num_hex2[p[i]], sizeof(num_hex2[0]));
}

void pokes_put(struct str *ret, const struct poke *c)
{
	const bool found = c->since < c->time;

	str_fmt(ret, "%s %" PRIu64 " ", !c->len ? NEW_CODE : found ? FOUND : POKED, c->time);
	if (c->len && found)
		str_fmt(ret, "%" PRIu64 " ", c->since);
	str_fmt(ret, "0x%" PRIx64, c->addr);
	if (c->len) {
		bytes_put(ret, c->old, c->len);
		bytes_put(ret, c->now, c->len);
	}
	str_puts(ret, "\n");
}

static int word_number(char **line, uint64_t *ret)
{
	const char *word = facts_cut(line, ' ');

	return word && !num_parse_u64(word, ret) ? 0 : -EBADMSG;
}

/* The bytes of a word, in its place. */
static const unsigned char *word_bytes(char *word, size_t n)
{
	unsigned char *ret = (unsigned char *)word;

	for (size_t i = 0; i < n; i++) {
		const int byte = num_hex_byte(word + 2 * i);

		if (byte < 0)
			return NULL;
		ret[i] = (unsigned char)byte;
	}
	return ret;
}

static int change_bytes(char *line, struct poke *ret)
{
	char *old = facts_cut(&line, ' '), *now = facts_cut(&line, ' ');
	const size_t n = old ? strlen(old) : 0;

	if (!n || n % 2 || !now || strlen(now) != n || n / 2 > UINT32_MAX || ret->addr + n / 2 < ret->addr)
		return -EBADMSG;
	ret->len = (uint32_t)(n / 2);
	ret->old = word_bytes(old, ret->len);
	ret->now = word_bytes(now, ret->len);
	return ret->old && ret->now ? 0 : -EBADMSG;
}

static int change_parse(char *line, const char *what, struct poke *ret)
{
	*ret = (struct poke){ 0 };
	if (word_number(&line, &ret->time))
		return -EBADMSG;
	ret->since = ret->time;
	if (!strcmp(what, FOUND) && (word_number(&line, &ret->since) || ret->since >= ret->time))
		return -EBADMSG;
	if (word_number(&line, &ret->addr))
		return -EBADMSG;
	return strcmp(what, NEW_CODE) ? change_bytes(line, ret) : 0;
}

static int poke_line(struct pokes *t, char *line, struct arena *a)
{
	const char *what = facts_cut(&line, ' ');
	uint64_t lost;

	if (!what)
		return -EBADMSG;
	if (!strcmp(what, ANNOUNCED) || !strcmp(what, SILENT)) {
		t->known = true;
		t->silent |= !strcmp(what, SILENT);
		return 0;
	}
	if (!strcmp(what, LOST)) {
		if (word_number(&line, &lost))
			return -EBADMSG;
		t->lost = t->lost && t->lost < lost ? t->lost : lost;
		return 0;
	}
	if (strcmp(what, NEW_CODE) && strcmp(what, POKED) && strcmp(what, FOUND))
		return -EBADMSG;
	ARENA_MORE(a, t->v, t->n, t->cap);
	return change_parse(line, what, &t->v[t->n]) ?: (t->n++, 0);
}

int pokes_parse(struct pokes *ret, const struct blob *piece, struct arena *a)
{
	char *all = blob_text(a, piece), *line;
	int err = blob_is_lines(piece) ? 0 : -EBADMSG;

	while (!err && (line = facts_cut(&all, '\n')))
		if (*line || all)
			err = poke_line(ret, line, a);
	return err;
}

static int by_place(const void *a, const void *b)
{
	const struct poke *x = a, *y = b;

	return NUM_CMP(x->addr, y->addr) ?: NUM_CMP(x->time, y->time);
}

int pokes_read(struct source *s, struct arena *a, struct pokes *ret)
{
	struct blob b;
	int err = 0;

	*ret = (struct pokes){ 0 };
	for (uint64_t i = 0; !err; i++) {
		err = source_ask(s, &(const struct asked){ Q_POKES, i }, a, &b);
		if (!err)
			err = pokes_parse(ret, &b, a);
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_place);
	return err == -ENODATA ? 0 : err;
}

const struct pokes *facts_pokes(struct machine *m)
{
	struct facts *f = m->facts;
	int err = 0;

	if (f->pokes)
		return f->pokes;
	f->pokes = arena_alloc(f->arena, sizeof(*f->pokes));
	if (machine_is_saved(m))
		err = pokes_read(m->src, f->arena, f->pokes);
	if (err)
		note_refused(m, err, Q_POKES);
	return f->pokes;
}

/* The changes at addresses of the place: [*ret_i, *ret_end). */
static void changes_of(const struct pokes *t, const struct poke_place *p, size_t *ret_i, size_t *ret_end)
{
	*ret_i = ARRAY_LOWER(t->n, i, t->v[i].addr < p->addr);
	*ret_end = ARRAY_LOWER(t->n, i, t->v[i].addr - p->addr < p->n || t->v[i].addr < p->addr);
}

/* When this code appeared, as far as changes of earlier code at its address are known. */
static uint64_t place_from(const struct pokes *t, const struct poke_place *p, size_t i, size_t end)
{
	uint64_t from = p->from;

	for (; i < end && t->v[i].addr == p->addr; i++)
		if (!t->v[i].len && t->v[i].time > from && (!p->to || t->v[i].time < p->to))
			from = t->v[i].time;
	return from;
}

static bool change_is_in(const struct poke *c, uint64_t from, uint64_t to)
{
	return c->len && c->time >= from && (!to || c->time < to);
}

static int by_moment(const void *a, const void *b)
{
	return NUM_CMP(*(const uint64_t *)a, *(const uint64_t *)b);
}

const uint64_t *pokes_moments(const struct pokes *t, const struct poke_place *p, struct arena *a, size_t *ret_n)
{
	size_t begin, end, n = 0, out = 0;
	uint64_t *ret, from;

	changes_of(t, p, &begin, &end);
	from = place_from(t, p, begin, end);
	ret = arena_array(a, 2 * (end - begin) + 1, sizeof(*ret));
	if (t->lost > from && (!p->to || t->lost < p->to))
		ret[n++] = t->lost;
	for (size_t i = begin; i < end; i++) {
		if (!change_is_in(&t->v[i], from, p->to))
			continue;
		ret[n++] = t->v[i].time;
		if (t->v[i].since < t->v[i].time && t->v[i].since >= from)
			ret[n++] = t->v[i].since + 1;
	}
	if (n)
		qsort(ret, n, sizeof(*ret), by_moment);
	for (size_t i = 0; i < n; i++)
		if (!out || ret[out - 1] != ret[i])
			ret[out++] = ret[i];
	*ret_n = out;
	return ret;
}

static void bytes_set(const struct poke_place *p, const struct poke *c, const unsigned char *from, unsigned char *code)
{
	const size_t off = c->addr - p->addr, room = p->n - off;

	memcpy(code + off, from, c->len < room ? c->len : room);
}

/*
 * The change at @i and the one before it at the same place: the bytes between them must be the same. If they are not,
 * there was another one.
 */
static bool is_broken(const struct pokes *t, size_t i, uint64_t from)
{
	const struct poke *c = &t->v[i], *before = i ? c - 1 : NULL;

	return before && before->addr == c->addr && before->len == c->len && before->time >= from &&
	       memcmp(before->now, c->old, c->len) != 0;
}

static const char *doubt_of(const struct pokes *t, size_t i, uint64_t from, uint64_t time)
{
	const struct poke *c = &t->v[i];

	if (c->time <= time)
		return NULL;
	if (c->since < time)
		return "the kernel changed it without an announcement at about this time";
	return is_broken(t, i, from) && t->v[i - 1].time <= time ?
		       "two changes after one another do not match: another one was not announced" :
		       NULL;
}

/* By time: later ones set what was before them, from the last to the first, and then earlier ones what came of them. */
static void changes_apply(const struct poke_place *p, const struct poke **v, size_t n, uint64_t time,
			  unsigned char *code)
{
	for (size_t i = n; i-- > 0 && v[i]->time > time;)
		bytes_set(p, v[i], v[i]->old, code);
	for (size_t i = 0; i < n && v[i]->time <= time; i++)
		bytes_set(p, v[i], v[i]->now, code);
}

static int by_change_time(const void *a, const void *b)
{
	const struct poke *x = *(const struct poke *const *)a, *y = *(const struct poke *const *)b;

	return NUM_CMP(x->time, y->time);
}

const char *pokes_then(const struct pokes *t, const struct poke_place *p, uint64_t time, unsigned char *code)
{
	const char *doubt = !t->known		       ? NULL :
			    t->silent		       ? "changes of code were not announced" :
			    t->lost && time >= t->lost ? "announcements of changes were lost" :
							 NULL;
	const struct poke **v;
	size_t i, end, n = 0;
	uint64_t from;

	changes_of(t, p, &i, &end);
	from = place_from(t, p, i, end);
	v = array_resize(NULL, end - i + 1, sizeof(*v));
	for (; i < end; i++) {
		if (!change_is_in(&t->v[i], from, p->to))
			continue;
		v[n++] = &t->v[i];
		if (!doubt)
			doubt = doubt_of(t, i, from, time);
	}
	if (n)
		qsort(v, n, sizeof(*v), by_change_time);
	if (code)
		changes_apply(p, v, n, time, code);
	free(v);
	return doubt;
}

bool poke_func(const struct poke_funcs *f, size_t i, struct poke_place *ret, size_t *off)
{
	uint32_t len = 0;
	size_t at = 0;

	*ret = (struct poke_place){ 0 };
	if (i >= f->ksyms.n / sizeof(ret->addr))
		return false;
	memcpy(&ret->addr, f->ksyms.p + i * sizeof(ret->addr), sizeof(ret->addr));
	for (size_t k = 0; k <= i && k < f->lens.n / sizeof(len); k++) {
		at += len;
		memcpy(&len, f->lens.p + k * sizeof(len), sizeof(len));
	}
	if (i >= f->lens.n / sizeof(len) || at > f->n)
		return false;
	*off = at;
	ret->n = len < f->n - at ? len : f->n - at;
	ret->from = f->life ? f->life->loaded : 0;
	ret->to = f->life ? f->life->gone_at : 0;
	return true;
}

const char *pokes_then_prog(const struct pokes *t, const struct poke_funcs *f, uint64_t time, unsigned char *code)
{
	const char *doubt = NULL, *why;
	struct poke_place p;
	size_t off;

	for (size_t i = 0; poke_func(f, i, &p, &off); i++) {
		why = pokes_then(t, &p, time, code ? code + off : NULL);
		doubt = doubt ? doubt : why;
	}
	return doubt;
}
