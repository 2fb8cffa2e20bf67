/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/lives.h"

#include "source/facts_state.h"

static const char *const hows[LIFE_HOWS] = { "before", "copied", "asked", "missed" };
#define HEAD "recorded "
#define NOTHING "\\000" /* an empty word */

void lives_put_head(struct str *ret, uint64_t from, uint64_t to)
{
	str_fmt(ret, HEAD "%" PRIu64 " %" PRIu64 "\n", from, to);
}

static void put_time(struct str *ret, bool known, uint64_t v)
{
	if (known)
		str_fmt(ret, "%" PRIu64 " ", v);
	else
		str_puts(ret, "? ");
}

void lives_put(struct str *ret, const struct life *l)
{
	str_fmt(ret, "%u ", l->id);
	put_time(ret, l->loaded, l->loaded);
	if (l->gone)
		put_time(ret, l->gone_at, l->gone_at);
	else
		str_puts(ret, "- ");
	put_time(ret, l->has_loader && l->pid, l->pid);
	put_time(ret, l->has_loader, l->uid);
	str_fmt(ret, "%s %s ", hows[l->how], l->missing ? l->missing : "-");
	if (l->has_loader && *l->comm)
		str_escape(ret, l->comm);
	else
		str_puts(ret, l->has_loader ? NOTHING : "?");
	str_puts(ret, "\n");
}

/* A number, or "?" and false. */
static int life_number(const char *word, bool *known, uint64_t *ret)
{
	*known = word && strcmp(word, "?") != 0;
	*ret = 0;
	return !word ? -EBADMSG : *known && num_parse_u64(word, ret) ? -EBADMSG : 0;
}

static int how_parse(const char *word, enum life_how *ret)
{
	for (unsigned i = 0; word && i < LIFE_HOWS; i++) {
		if (strcmp(word, hows[i]))
			continue;
		*ret = (enum life_how)i;
		return 0;
	}
	return -EBADMSG;
}

static int life_parse(char *line, struct life *ret)
{
	bool known, gone_known, pid_known, uid_known;
	uint64_t id, pid, uid;
	char *word, *comm;

	*ret = (struct life){ 0 };
	if (life_number(facts_cut(&line, ' '), &known, &id) || !known || id > UINT32_MAX)
		return -EBADMSG;
	ret->id = (uint32_t)id;
	if (life_number(facts_cut(&line, ' '), &known, &ret->loaded))
		return -EBADMSG;
	word = facts_cut(&line, ' ');
	ret->gone = word && strcmp(word, "-") != 0;
	if (!word || (ret->gone && life_number(word, &gone_known, &ret->gone_at)))
		return -EBADMSG;
	if (life_number(facts_cut(&line, ' '), &pid_known, &pid) ||
	    life_number(facts_cut(&line, ' '), &uid_known, &uid) || pid > UINT32_MAX || uid > UINT32_MAX ||
	    how_parse(facts_cut(&line, ' '), &ret->how))
		return -EBADMSG;
	word = facts_cut(&line, ' ');
	comm = facts_cut(&line, ' ');
	if (!word || !comm)
		return -EBADMSG;
	ret->missing = strcmp(word, "-") ? word : NULL;
	ret->has_loader = uid_known;
	ret->pid = (uint32_t)pid;
	ret->uid = (uint32_t)uid;
	str_unescape(comm);
	ret->comm = strcmp(comm, NOTHING) ? comm : "";
	return 0;
}

static int head_parse(char *line, struct lives *ret)
{
	bool known;

	if (!str_starts(line, HEAD))
		return -EBADMSG;
	line += strlen(HEAD);
	return life_number(facts_cut(&line, ' '), &known, &ret->from) || !known ||
			       life_number(facts_cut(&line, ' '), &known, &ret->to) || !known ?
		       -EBADMSG :
		       0;
}

int lives_parse(struct lives *ret, const struct blob *b, struct arena *a)
{
	char *text = blob_text(a, b), *line;
	const size_t lines = str_lines(text);
	int err;

	*ret = (struct lives){ 0 };
	if (!b->n || !blob_is_lines(b))
		return -EBADMSG;
	line = facts_cut(&text, '\n');
	err = line ? head_parse(line, ret) : -EBADMSG;
	if (err)
		return err;
	ret->life = arena_array(a, lines, sizeof(*ret->life));
	while (!err && ret->n < lines && (line = facts_cut(&text, '\n'))) {
		err = life_parse(line, &ret->life[ret->n]);
		ret->life[ret->n].open = !ret->to && !ret->life[ret->n].gone;
		if (!err && ret->n && ret->life[ret->n - 1].id >= ret->life[ret->n].id)
			err = -EBADMSG;
		ret->n += !err;
	}
	return err;
}

static int by_life_id(const void *a, const void *b)
{
	const struct life *x = a, *y = b;

	return NUM_CMP(x->id, y->id);
}

const struct life *lives_find(const struct lives *l, uint32_t id)
{
	const struct life key = { .id = id };

	return l->n ? bsearch(&key, l->life, l->n, sizeof(key), by_life_id) : NULL;
}

bool life_was_at(const struct life *l, uint64_t time)
{
	return l->loaded <= time && (!l->gone_at || l->gone_at > time);
}

uint64_t lives_end(const struct lives *l)
{
	uint64_t end = l->from;

	for (size_t i = 0; i < l->n; i++) {
		end = l->life[i].loaded > end ? l->life[i].loaded : end;
		end = l->life[i].gone_at > end ? l->life[i].gone_at : end;
	}
	return l->to ? l->to : end;
}

const struct lives *facts_lives(struct machine *m)
{
	struct facts *f = m->facts;
	struct blob b;
	int err;

	if (!f->lives) {
		f->lives = arena_alloc(f->arena, sizeof(*f->lives));
		err = machine_is_saved(m) ? ask_silently(m, f->arena, &b, Q_LIVES) : -ENODATA;
		if (!err)
			err = lives_parse(f->lives, &b, f->arena);
		if (err && err != -ENODATA)
			note_refused(m, err, Q_LIVES);
		if (err)
			*f->lives = (struct lives){ 0 };
	}
	return f->lives->from ? f->lives : NULL;
}

const struct life *facts_life(struct machine *m, uint32_t prog)
{
	const struct lives *l = facts_lives(m);

	return l ? lives_find(l, prog) : NULL;
}

void listed_put_look(struct str *ret, struct list_look look)
{
	str_fmt(ret, "at %" PRIu64 " %" PRIu64 "\n", look.time, look.since);
}

void listed_put(struct str *ret, enum object_kind kind, bool came, uint32_t id)
{
	str_fmt(ret, "%c %s %u\n", came ? '+' : '-', object_kind_names[kind], id);
}

static int presence_note(struct listed *l, int kind, bool came, uint32_t id, uint64_t time, struct arena *a)
{
	void **slot = hash_put(&l->of[kind], id);
	struct presence *p = *slot;

	if (came == (p && !p->gone_at))
		return -EBADMSG;
	if (came)
		*slot = arena_dup(a, &(struct presence){ .id = id, .from = time }, sizeof(*p));
	else
		p->gone_at = time;
	return 0;
}

static int listed_line(struct listed *l, char *line, uint64_t time, struct arena *a)
{
	const char *change = facts_cut(&line, ' '), *word = facts_cut(&line, ' ');
	const int kind = word ? object_kind_parse(word) : -1;
	uint32_t id;

	if (kind < 0 || strlen(change) != 1 || !strchr("+-", *change) || !line || num_parse_u32(line, &id))
		return -EBADMSG;
	return presence_note(l, kind, *change == '+', id, time, a);
}

static int look_parse(char *line, uint64_t after, struct list_look *ret)
{
	char *word = facts_cut(&line, ' ');

	if (!word || strcmp(word, "at") || !(word = facts_cut(&line, ' ')) || num_parse_u64(word, &ret->time) ||
	    !line || num_parse_u64(line, &ret->since) || !ret->time || ret->since > ret->time || ret->since < after)
		return -EBADMSG;
	return 0;
}

static int piece_parse(struct listed *l, const struct blob *piece, struct arena *a)
{
	char *text = blob_text(a, piece), *line = facts_cut(&text, '\n');
	struct list_look look;
	int err = !blob_is_lines(piece) || !line ? -EBADMSG : look_parse(line, l->to, &look);

	while (!err && (line = facts_cut(&text, '\n')))
		err = listed_line(l, line, l->n ? look.time : 0, a);
	if (err)
		return err;
	ARENA_MORE(a, l->look, l->n, l->cap);
	l->look[l->n++] = look;
	l->to = look.time;
	return 0;
}

int listed_read(struct source *s, struct arena *a, struct listed *ret)
{
	struct blob b;
	int err = 0;

	*ret = (struct listed){ 0 };
	for (size_t i = 0; i < OBJECT_KINDS; i++)
		hash_init(&ret->of[i], a);
	for (uint64_t i = 0; !err; i++) {
		err = source_ask(s, &(const struct asked){ Q_LISTED, i }, a, &b);
		if (err == -ENODATA && i)
			return 0;
		err = err ? err : piece_parse(ret, &b, a);
	}
	ret->why = err;
	return ret->n ? 0 : err;
}

const struct listed *facts_listed(struct machine *m)
{
	struct listed *l = arena_alloc(m->facts->arena, sizeof(*l));

	return machine_is_saved(m) && !listed_read(m->src, m->facts->arena, l) ? l : NULL;
}

uint64_t listed_known_at(const struct listed *l, uint64_t time)
{
	const size_t i = ARRAY_LOWER(l->n, k, l->look[k].time < time);

	return i < l->n && l->look[i].since < time ? l->look[i].time : time;
}
