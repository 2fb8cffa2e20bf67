/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/cpu_list.h"
#include "source/facts_state.h"

/* A single question takes 2 us, the table 50 ms. */
#define SINGLE_SYMBOLS 4096

struct facts *facts_new(void)
{
	struct arena *a = arena_new();
	struct facts *f = arena_alloc(a, sizeof(*f));

	f->arena = a;
	return f;
}

void facts_free(struct facts *f)
{
	arena_free(f->arena);
}

char *facts_lines(struct machine *m, enum question q, int *ret_err)
{
	char *text;
	int err = ask_lines(m, m->facts->arena, &text, q);

	if (ret_err)
		*ret_err = err;
	return err ? arena_str(m->facts->arena, "", 0) : text;
}

char *facts_cut(char **p, char end)
{
	char *start = *p, *stop = start ? strchr(start, end) : NULL;

	if (!start || !*start)
		return NULL;
	if (stop)
		*stop = '\0';
	*p = stop ? stop + 1 : NULL;
	return start;
}

static struct holders *holders(struct machine *m)
{
	struct facts *f = m->facts;
	struct blob b;

	if (f->holders)
		return f->holders;
	f->holders_error = ask(m, f->arena, &b, Q_HOLDERS);
	if (!f->holders_error && b.n % sizeof(struct holder_raw))
		f->holders_error = note_refused(m, -EBADMSG, Q_HOLDERS);
	f->holders = f->holders_error ? holders_parse("", 0, f->arena) : holders_parse(b.p, b.n, f->arena);
	if (holders_unseen(f->holders))
		note_unseen(m, holders_unseen(f->holders), Q_HOLDERS);
	return f->holders;
}

const struct holders *facts_all_holders(struct machine *m)
{
	return holders(m);
}

void facts_holders_expect(struct machine *m, enum object_kind kind, uint32_t id)
{
	m->facts->one.expected = true;
	m->facts->one.kind = kind;
	m->facts->one.id = id;
}

/* NULL: the table must be asked. */
static struct holders *holders_one(struct machine *m, enum object_kind kind, uint32_t id)
{
	struct facts *f = m->facts;
	struct blob b;

	if (!f->one.expected || f->one.kind != kind || f->one.id != id || f->holders)
		return NULL;
	if (f->one.known)
		return f->one.holders;
	f->one.known = true;
	if (ask_silently(m, f->arena, &b, question_of(Q_HOLDERS_OF, kind), id) || b.n % sizeof(struct holder_raw))
		return NULL;
	f->one.holders = holders_parse(b.p, b.n, f->arena);
	if (holders_unseen(f->one.holders))
		note_unseen(m, holders_unseen(f->one.holders), question_of(Q_HOLDERS_OF, kind), id);
	return f->one.holders;
}

const struct holder *facts_holders(struct machine *m, enum object_kind kind, uint32_t id, uint32_t *n)
{
	struct holders *one = holders_one(m, kind, id);

	return holders_find(one ? one : holders(m), kind, id, n);
}

uint32_t facts_holders_again(struct machine *m, enum object_kind kind, uint32_t id)
{
	struct facts *known = m->facts;
	uint32_t n;

	m->facts = facts_new();
	facts_holders_expect(m, kind, id);
	facts_holders(m, kind, id, &n);
	facts_free(m->facts);
	m->facts = known;
	return n;
}

int facts_holders_error(struct machine *m)
{
	if (!m->facts->one.holders)
		holders(m);
	return m->facts->holders_error;
}

int facts_unseen_holders(struct machine *m)
{
	const struct holders *one = m->facts->one.holders;

	return holders_unseen(one ? one : holders(m));
}

const struct symbols *facts_symbols(struct machine *m)
{
	struct blob b;

	if (m->facts->symbols)
		return m->facts->symbols;
	if (ask(m, m->facts->arena, &b, Q_KALLSYMS))
		b = (struct blob){ (const unsigned char *)"", 0 };
	else if (b.n && b.p[b.n - 1] != '\n')
		note_refused(m, -EBADMSG, Q_KALLSYMS);
	m->facts->symbols = symbols_parse((const char *)b.p, b.n, m->facts->arena);
	return m->facts->symbols;
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
static const struct symbol *single(struct machine *m, uint64_t addr)
{
	struct facts *f = m->facts;
	const struct symbol *ret;
	struct blob b;

	if (!f->known) {
		f->known = arena_alloc(f->arena, sizeof(*f->known));
		hash_init(f->known, f->arena);
	}
	ret = hash_get(f->known, addr);
	if (ret || f->known->n >= SINGLE_SYMBOLS)
		return ret;
	if (ask_silently(m, f->arena, &b, Q_KSYM, .index = addr))
		return NULL;
	ret = single_parse(f, blob_text(f->arena, &b), addr);
	if (ret)
		*hash_put(f->known, addr) = (void *)(uintptr_t)ret;
	return ret;
}

const struct symbol *facts_symbol(struct machine *m, uint64_t addr)
{
	const struct symbol *ret = m->facts->symbols ? NULL : single(m, addr);

	return ret ? ret : symbols_find(facts_symbols(m), addr);
}

uint64_t facts_call_base(struct machine *m)
{
	struct facts *f = m->facts;
	const struct symbol *s;
	struct blob b;

	if (f->call_base_known)
		return f->call_base;
	f->call_base_known = true;
	if (!f->symbols && !ask_silently(m, f->arena, &b, Q_CALL_BASE) &&
	    !num_parse_u64(blob_text(f->arena, &b), &f->call_base))
		return f->call_base;
	s = symbols_find_named(facts_symbols(m), "__bpf_call_base");
	f->call_base = s ? s->addr : 0;
	return f->call_base;
}

int facts_unread(const char *line)
{
	char word[8] = "";
	uint32_t err;
	size_t n;

	if (!str_starts(line, "? "))
		return -EBADMSG;
	line += strlen("? ");
	n = strcspn(line, " ");
	if (n < sizeof(word))
		memcpy(word, line, n);
	return num_parse_u32(word, &err) || !err || err > 4095 ? -EBADMSG : -(int)err;
}

/* "NUMBER NAME\n" lines; the first of a number counts. */
static struct hash *names(struct machine *m, struct hash **known, enum question q)
{
	char *text, *line;

	if (*known)
		return *known;
	*known = arena_alloc(m->facts->arena, sizeof(**known));
	hash_init(*known, m->facts->arena);
	text = facts_lines(m, q, NULL);
	while ((line = facts_cut(&text, '\n'))) {
		const int unread = facts_unread(line);
		char *word = facts_cut(&line, ' ');
		uint64_t number;
		void **slot;

		if (!word || num_parse_u64(word, &number) || !line || !*line) {
			note_refused(m, unread, q);
			continue;
		}
		slot = hash_put(*known, number);
		if (!*slot)
			*slot = line;
	}
	return *known;
}

const char *facts_ifname(struct machine *m, uint32_t ifindex)
{
	return hash_get(names(m, &m->facts->ifaces, Q_IFACES), ifindex);
}

const char *facts_pmu(struct machine *m, uint32_t type)
{
	return hash_get(names(m, &m->facts->pmus, Q_PMUS), type);
}

const char *facts_cgroup(struct machine *m, uint64_t id)
{
	return hash_get(names(m, &m->facts->cgroups, Q_CGROUPS), id);
}

static uint64_t named_number(const struct hash *names, const char *name)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < names->cap; i++) {
		const struct hash_slot *slot = &names->slots[i];

		if (!slot->used || !slot->val || strcmp(slot->val, name))
			continue;
		if (ret)
			return 0;
		ret = slot->key;
	}
	return ret;
}

uint32_t facts_ifindex(struct machine *m, const char *name)
{
	return (uint32_t)named_number(names(m, &m->facts->ifaces, Q_IFACES), name);
}

uint64_t facts_cgroup_id(struct machine *m, const char *path)
{
	return named_number(names(m, &m->facts->cgroups, Q_CGROUPS), path);
}

/* The number on the only line of an answer; 0: refused, or another text. */
static uint64_t fact_number(struct machine *m, enum question q)
{
	int err;
	char *text = facts_lines(m, q, &err), *line = facts_cut(&text, '\n');
	uint64_t ret = 0;

	if (!err && (!line || num_parse_u64(line, &ret)))
		note_refused(m, -EBADMSG, q);
	return ret;
}

uint64_t facts_boot_ns(struct machine *m)
{
	struct facts *f = m->facts;

	if (!f->boot_known)
		f->boot_ns = fact_number(m, Q_CLOCK);
	f->boot_known = true;
	return f->boot_ns;
}

static void cpus_read(struct machine *m)
{
	struct facts *f = m->facts;
	int err;
	char *text = facts_lines(m, Q_CPUS, &err), *line = facts_cut(&text, '\n'), *list = facts_cut(&text, '\n');
	CLEAN_PTR uint32_t *numbers = NULL;
	uint64_t n = 0;

	f->cpus_known = true;
	if (err)
		return;
	if (!line || num_parse_u64(line, &n) || n > UINT32_MAX ||
	    (list && *list && cpu_list_read(list, &numbers) != n)) {
		note_refused(m, -EBADMSG, Q_CPUS);
		return;
	}
	f->cpus = (uint32_t)n;
	if (numbers)
		f->cpu_numbers = arena_dup(m->arena, numbers, f->cpus * sizeof(*numbers));
}

uint32_t facts_cpus(struct machine *m)
{
	struct facts *f = m->facts;

	if (!f->cpus_known)
		cpus_read(m);
	return f->cpus;
}

uint32_t facts_cpus_end(struct machine *m)
{
	const uint32_t n = facts_cpus(m), *numbers = facts_cpu_numbers(m);

	return numbers ? numbers[n - 1] + 1 : n;
}

const uint32_t *facts_cpu_numbers(struct machine *m)
{
	return facts_cpus(m) ? m->facts->cpu_numbers : NULL;
}

bool facts_netns(struct machine *m, uint64_t *dev, uint64_t *ino)
{
	struct facts *f = m->facts;

	if (!f->netns_known) {
		int err;
		char *text = facts_lines(m, Q_NETNS, &err), *line = facts_cut(&text, '\n');
		char *d = facts_cut(&line, ' '), *i = facts_cut(&line, ' ');

		f->netns_there = d && i && !num_parse_u64(d, &f->netns_dev) && !num_parse_u64(i, &f->netns_ino);
		f->netns_known = true;
		if (!err && !f->netns_there)
			note_refused(m, -EBADMSG, Q_NETNS);
	}
	if (f->netns_there) {
		*dev = f->netns_dev;
		*ino = f->netns_ino;
	}
	return f->netns_there;
}

static void limits_read(struct machine *m)
{
	struct facts *f = m->facts;
	char *text = facts_lines(m, Q_LIMITS, &f->limits_error), *line;

	f->limits_known = true;
	while ((line = facts_cut(&text, '\n'))) {
		char *name = facts_cut(&line, ' ');
		struct limit *limit;
		uint64_t value;

		/* bpf_jit_limit is a long, by default half of the room for machine code: terabytes on arm64. */
		if (!name || !line || num_parse_u64(line, &value) || value > INT64_MAX)
			continue;
		limit = arena_alloc(f->arena, sizeof(*limit));
		*limit = (struct limit){ .next = f->limits, .name = name, .value = (int64_t)value };
		f->limits = limit;
	}
}

int64_t facts_limit(struct machine *m, const char *name)
{
	if (!m->facts->limits_known)
		limits_read(m);
	for (const struct limit *l = m->facts->limits; l; l = l->next)
		if (!strcmp(l->name, name))
			return l->value;
	return -1;
}

const char *facts_access(const char *access, const char *name, struct arena *a)
{
	const size_t n = strlen(name);

	for (const char *p = access; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (!str_starts(p, name) || p[n] != ' ')
			continue;
		p += n + 1;
		return *p == '-' ? NULL : arena_str(a, p, strcspn(p, "\n"));
	}
	return NULL;
}

bool facts_locked_down(struct machine *m, int err)
{
	const char *text = err == -EINVAL ? facts_lines(m, Q_ACCESS, NULL) : NULL;
	const char *level = facts_access(text, "lockdown", m->facts->arena);

	return level && strstr(level, "[confidentiality]");
}

int facts_counts_runs(struct machine *m)
{
	const int64_t enabled = facts_limit(m, "bpf_stats_enabled");

	return m->facts->limits_error ? m->facts->limits_error : enabled > 0;
}

bool facts_map_count(struct machine *m, uint32_t id, uint64_t *ret)
{
	const char *text = hash_get(names(m, &m->facts->map_counts, Q_MAP_COUNTS), id);

	return text && !num_parse_u64(text, ret);
}

int facts_hint_hidden(struct machine *m, struct err *e)
{
	const char *then = machine_is_saved(m) ? ", then save again" : "";

	if (facts_limit(m, "kptr_restrict") == 2)
		return err_hint(
			e, "kernel.kptr_restrict is 2, which hides addresses from all processes: set it to 1 or 0%s",
			then);
	return err_hint(
		e,
		"reading it needs CAP_SYSLOG, or kernel.kptr_restrict 0%s and kernel.perf_event_paranoid at most 1%s",
		facts_limit(m, "kptr_restrict") == 1 ? " (it is 1)" : "", then);
}
