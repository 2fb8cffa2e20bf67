/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/hash.h"
#include "base/num.h"
#include "base/str.h"
#include "source/facts.h"
#include "source/keys.h"
#include "source/source.h"

/* A question takes 2 us, the table 50 ms. */
#define SINGLE_SYMBOLS 4096

struct pin_list {		/* the pins of one object */
	const char **paths;
	uint32_t n;
};

struct pins {
	struct hash objects;	/* of struct pin_list, by object_key() */
	struct keys paths;	/* of struct pin */
	bool any[OBJECT_KINDS];
	struct pin *all;
	struct pin_unread *unread;
	size_t nunread;
	size_t n;
	int error;
};

struct limit {
	struct limit *next;
	const char *name;
	int value;
};

struct facts {
	struct source *source;
	struct arena *arena;
	struct holders *holders;
	int holders_error;
	struct pins *pins;
	struct symbols *symbols;
	struct hash *known;		/* of single symbols, by address */
	bool call_base_known;
	uint64_t call_base;
	struct hash *ifaces, *cgroups, *pmus, *map_counts;	/* of names, of numbers as text */
	bool boot_known, cpus_known, netns_known, netns_there, limits_known;
	uint64_t boot_ns, netns_dev, netns_ino;
	uint32_t cpus;
	struct limit *limits;
};

struct facts *facts_new(struct source *s)
{
	struct arena *a = arena_new();
	struct facts *f = arena_alloc(a, sizeof(*f));

	f->source = s;
	f->arena = a;
	return f;
}

void facts_free(struct facts *f)
{
	if (f)
		arena_free(f->arena);
}

static uint64_t object_key(enum object_kind kind, uint32_t id)
{
	return (uint64_t)kind << 32 | id;
}

/* The answer as a string; "" if there is none. The error, if any, goes to *err, which may be NULL. */
static char *ask(struct facts *f, const char *key, int *err)
{
	struct blob b = { 0 };
	int ret = source_get(f->source, f->arena, &b, "%s", key);

	if (err)
		*err = ret;
	return ret ? arena_str(f->arena, "", 0) : arena_str(f->arena, (const char *)b.p, b.n);
}

/* Cut the next word, up to a blank or the end of the text, from *p. */
static char *cut(char **p, char end)
{
	char *start = *p, *stop = start ? strchr(start, end) : NULL;

	if (!start || !*start)
		return NULL;
	if (stop)
		*stop = '\0';
	*p = stop ? stop + 1 : NULL;
	return start;
}

static struct holders *holders(struct facts *f)
{
	struct blob b = { 0 };

	if (f->holders)
		return f->holders;
	f->holders_error = source_get(f->source, f->arena, &b, "sys/holders");
	f->holders = holders_parse(b.p, f->holders_error ? 0 : b.n, f->arena);
	return f->holders;
}

const struct holder *facts_holders(struct facts *f, enum object_kind kind, uint32_t id, uint32_t *n)
{
	return holders_find(holders(f), kind, id, n);
}

int facts_holders_error(struct facts *f)
{
	holders(f);
	return f->holders_error;
}

/* "KIND ID", with or without " PATH" behind it. */
static bool pin_parse(char *line, struct pin *ret)
{
	char *word = cut(&line, ' ');
	int kind = word ? object_kind_parse(word) : -1;

	word = kind < 0 ? NULL : cut(&line, ' ');
	if (!word || num_parse_u32(word, &ret->id))
		return false;
	ret->kind = (enum object_kind)kind;
	ret->path = line;
	if (line)
		str_unescape(line);
	return true;
}

/* "? ERRNO PATH" */
static void unread_parse(char *line, struct pins *p)
{
	struct pin_unread *u = &p->unread[p->nunread];
	uint32_t number;
	char *word;

	cut(&line, ' ');
	word = cut(&line, ' ');
	if (!word || num_parse_u32(word, &number) || !number || number > 4095 || !line || *line != '/')
		return;
	str_unescape(line);
	*u = (struct pin_unread){ line, -(int)number };
	p->nunread++;
}

static int pin_cmp(const void *pa, const void *pb)
{
	const struct pin *a = pa, *b = pb;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return strcmp(a->path, b->path);
}

static void pins_index(struct pins *ret, struct pin *all, size_t n, struct arena *a)
{
	const char **paths = arena_array(a, n, sizeof(*paths));
	struct pin_list *list = NULL;

	qsort(all, n, sizeof(*all), pin_cmp);
	for (size_t i = 0; i < n; i++) {
		void **slot;

		if (i && !pin_cmp(&all[i - 1], &all[i]))	/* the same file system, mounted twice at a place */
			continue;
		slot = hash_put(&ret->objects, object_key(all[i].kind, all[i].id));
		if (!*slot) {
			*slot = list = arena_alloc(a, sizeof(*list));
			list->paths = paths + i;
		}
		list->paths[list->n++] = all[i].path;
		ret->any[all[i].kind] = true;
		slot = keys_put(&ret->paths, all[i].path);
		if (slot && !*slot)
			*slot = &all[i];
	}
}

static const struct pins *pins(struct facts *f)
{
	char *text, *line;
	struct pin *all;
	size_t n = 0, lines = 1;

	if (f->pins)
		return f->pins;
	f->pins = arena_alloc(f->arena, sizeof(*f->pins));
	hash_init(&f->pins->objects, f->arena);
	keys_init(&f->pins->paths, f->arena);
	text = ask(f, "sys/pins", &f->pins->error);
	for (const char *p = text; (p = strchr(p, '\n')); p++)
		lines++;
	all = arena_array(f->arena, lines, sizeof(*all));
	f->pins->unread = arena_array(f->arena, lines, sizeof(*f->pins->unread));
	while ((line = cut(&text, '\n'))) {
		if (str_starts(line, "? "))
			unread_parse(line, f->pins);
		else if (pin_parse(line, &all[n]) && all[n].path && all[n].path[0] == '/')
			n++;
	}
	pins_index(f->pins, all, n, f->arena);
	f->pins->all = all;
	f->pins->n = n;
	return f->pins;
}

int facts_all_pins(struct facts *f, const struct pin **ret, size_t *n)
{
	const struct pins *p = pins(f);

	if (p->error)
		return p->error;
	*ret = p->all;
	*n = p->n;
	return 0;
}

size_t facts_unread_pins(struct facts *f, const struct pin_unread **ret)
{
	*ret = pins(f)->unread;
	return pins(f)->nunread;
}

const char *const *facts_pins(struct facts *f, enum object_kind kind, uint32_t id, uint32_t *n)
{
	const struct pin_list *list = hash_get(&pins(f)->objects, object_key(kind, id));

	*n = list ? list->n : 0;
	return list ? list->paths : NULL;
}

bool facts_any_pins(struct facts *f, enum object_kind kind)
{
	return pins(f)->any[kind];
}

int facts_pinned(struct facts *f, const char *path, enum object_kind *kind, uint32_t *id)
{
	const struct pin *found;
	struct pin own;
	struct blob b;
	int err = source_get(f->source, f->arena, &b, "pin/%s", path);

	if (!err) {
		char *text = arena_str(f->arena, (const char *)b.p, b.n), *line = cut(&text, '\n');

		if (!line || !pin_parse(line, &own))
			return -EBADMSG;
		found = &own;
	} else if (err == -ENODATA) {
		found = keys_get(&pins(f)->paths, path);
		if (!found)
			return -ENODATA;
	} else {
		return err;
	}
	*kind = found->kind;
	*id = found->id;
	return 0;
}

const struct symbols *facts_symbols(struct facts *f)
{
	struct blob b = { 0 };

	if (f->symbols)
		return f->symbols;
	if (source_get(f->source, f->arena, &b, "sys/kallsyms"))
		b = (struct blob){ (const unsigned char *)"", 0 };
	f->symbols = symbols_parse((const char *)b.p, b.n, f->arena);
	return f->symbols;
}

/* "NAME+0xOFF/0xSIZE[ [MODULE]]" */
static const struct symbol *single_parse(struct facts *f, char *text, uint64_t addr)
{
	char *module = strstr(text, " ["), *off, *size;
	struct symbol *ret = arena_alloc(f->arena, sizeof(*ret));
	uint64_t n;

	if (module) {
		*module = '\0';
		module += 2;
		module[strcspn(module, "]")] = '\0';
	}
	off = strrchr(text, '+');
	size = off ? strchr(off, '/') : NULL;
	if (!size || off == text)
		return NULL;
	*off = *size = '\0';
	if (num_parse_u64(off + 1, &n) || n > addr)
		return NULL;
	*ret = (struct symbol){ .addr = addr - n, .name = text, .module = module };
	return ret;
}

/* NULL: the table must be asked. */
static const struct symbol *single(struct facts *f, uint64_t addr)
{
	const struct symbol *ret;
	struct blob b;

	if (!f->known) {
		f->known = arena_alloc(f->arena, sizeof(*f->known));
		hash_init(f->known, f->arena);
	}
	ret = hash_get(f->known, addr);
	if (ret || f->known->n >= SINGLE_SYMBOLS)
		return ret;
	if (source_get(f->source, f->arena, &b, "sys/ksym/0x%llx", (unsigned long long)addr))
		return NULL;
	ret = single_parse(f, arena_str(f->arena, (const char *)b.p, b.n), addr);
	if (ret)
		*hash_put(f->known, addr) = (void *)(uintptr_t)ret;
	return ret;
}

const struct symbol *facts_symbol(struct facts *f, uint64_t addr)
{
	const struct symbol *ret = f->symbols ? NULL : single(f, addr);

	return ret ? ret : symbols_find(facts_symbols(f), addr);
}

uint64_t facts_call_base(struct facts *f)
{
	static const char name[] = "__bpf_call_base";
	const struct symbol *s;
	struct blob b;

	if (f->call_base_known)
		return f->call_base;
	f->call_base_known = true;
	if (!f->symbols && !source_get(f->source, f->arena, &b, "sys/ksym/%s", name) &&
	    !num_parse_u64(arena_str(f->arena, (const char *)b.p, b.n), &f->call_base))
		return f->call_base;
	s = symbols_named(facts_symbols(f), name);
	f->call_base = s ? s->addr : 0;
	return f->call_base;
}

/* "NUMBER NAME\n" lines; the first of a number stands. */
static struct hash *names(struct facts *f, const char *key)
{
	struct hash *h = arena_alloc(f->arena, sizeof(*h));
	char *text = ask(f, key, NULL), *line;

	hash_init(h, f->arena);
	while ((line = cut(&text, '\n'))) {
		char *word = cut(&line, ' ');
		uint64_t number;
		void **slot;

		if (!word || num_parse_u64(word, &number) || !line || !*line)
			continue;
		slot = hash_put(h, number);
		if (!*slot)
			*slot = line;
	}
	return h;
}

const char *facts_ifname(struct facts *f, uint32_t ifindex)
{
	if (!f->ifaces)
		f->ifaces = names(f, "sys/ifaces");
	return hash_get(f->ifaces, ifindex);
}

const char *facts_pmu(struct facts *f, uint32_t type)
{
	if (!f->pmus)
		f->pmus = names(f, "sys/pmus");
	return hash_get(f->pmus, type);
}

const char *facts_cgroup(struct facts *f, uint64_t id)
{
	if (!f->cgroups)
		f->cgroups = names(f, "sys/cgroups");
	return hash_get(f->cgroups, id);
}

uint64_t facts_boot_ns(struct facts *f)
{
	if (!f->boot_known) {
		char *text = ask(f, "sys/clock", NULL), *line = cut(&text, '\n');

		if (!line || num_parse_u64(line, &f->boot_ns))
			f->boot_ns = 0;
		f->boot_known = true;
	}
	return f->boot_ns;
}

uint32_t facts_cpus(struct facts *f)
{
	if (!f->cpus_known) {
		char *text = ask(f, "sys/cpus", NULL), *line = cut(&text, '\n');

		if (!line || num_parse_u32(line, &f->cpus) || !f->cpus)
			f->cpus = 1;
		f->cpus_known = true;
	}
	return f->cpus;
}

bool facts_netns(struct facts *f, uint64_t *dev, uint64_t *ino)
{
	if (!f->netns_known) {
		char *text = ask(f, "sys/netns", NULL), *line = cut(&text, '\n');
		char *d = cut(&line, ' '), *i = cut(&line, ' ');

		f->netns_there = d && i && !num_parse_u64(d, &f->netns_dev) && !num_parse_u64(i, &f->netns_ino);
		f->netns_known = true;
	}
	if (f->netns_there) {
		*dev = f->netns_dev;
		*ino = f->netns_ino;
	}
	return f->netns_there;
}

static void limits_read(struct facts *f)
{
	char *text = ask(f, "sys/limits", NULL), *line;

	f->limits_known = true;
	while ((line = cut(&text, '\n'))) {
		char *name = cut(&line, ' ');
		struct limit *limit;
		uint32_t value;

		if (!name || !line || num_parse_u32(line, &value) || value > INT32_MAX)
			continue;
		limit = arena_alloc(f->arena, sizeof(*limit));
		*limit = (struct limit){ .next = f->limits, .name = name, .value = (int)value };
		f->limits = limit;
	}
}

int facts_limit(struct facts *f, const char *name)
{
	if (!f->limits_known)
		limits_read(f);
	for (const struct limit *l = f->limits; l; l = l->next)
		if (!strcmp(l->name, name))
			return l->value;
	return -1;
}

bool facts_map_count(struct facts *f, uint32_t id, uint64_t *ret)
{
	const char *text;

	if (!f->map_counts)
		f->map_counts = names(f, "sys/map_counts");
	text = hash_get(f->map_counts, id);
	return text && !num_parse_u64(text, ret);
}
