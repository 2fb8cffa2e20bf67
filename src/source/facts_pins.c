/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/facts_state.h"
#include "source/keys.h"

struct pin_list { /* the pins of one object */
	const char **paths;
	uint32_t n;
};

struct pins {
	struct hash objects; /* of struct pin_list, by object_key() */
	struct keys paths;   /* of struct pin, once one is looked up */
	bool indexed;
	bool any[OBJECT_KINDS];
	struct pin *all;
	struct pin_unread *unread;
	size_t nunread, cap, nnoted; /* nnoted: refusals that the machine has noted */
	size_t n;
	int error;
	int unseen; /* why other mount namespaces were not read; 0: they were */
};

static uint64_t object_key(enum object_kind kind, uint32_t id)
{
	return (uint64_t)kind << 32 | id;
}

/* "PID/root/..." */
static uint32_t seen_through(const char *path)
{
	size_t n = strspn(path, "0123456789");

	return n && str_starts(path + n, "/root/") ? (uint32_t)strtoul(path, NULL, 10) : 0;
}

/* "KIND ID", optionally with " PATH". */
static bool pin_parse(char *line, struct pin *ret)
{
	char *word = facts_cut(&line, ' ');
	int kind = word ? object_kind_parse(word) : -1;

	word = kind < 0 ? NULL : facts_cut(&line, ' ');
	if (!word || num_parse_u32(word, &ret->id))
		return false;
	ret->kind = (enum object_kind)kind;
	ret->path = line;
	ret->pid = 0;
	if (line)
		str_unescape(line);
	if (line && str_starts(line, "/proc/"))
		ret->pid = seen_through(line + strlen("/proc/"));
	return true;
}

/* "? ERRNO PATH" */
static bool unread_parse(char *line, struct pins *p, struct arena *a)
{
	uint32_t number;
	char *word;

	facts_cut(&line, ' ');
	word = facts_cut(&line, ' ');
	if (word && !strcmp(word, "processes") && line && !num_parse_u32(line, &number) && number && number < 4096) {
		p->unseen = -(int)number;
		return true;
	}
	if (!word || num_parse_u32(word, &number) || !number || number > 4095 || !line || *line != '/')
		return false;
	str_unescape(line);
	ARENA_MORE(a, p->unread, p->nunread, p->cap);
	p->unread[p->nunread++] = (struct pin_unread){ line, -(int)number };
	return true;
}

static int pin_cmp(const void *pa, const void *pb)
{
	const struct pin *a = pa, *b = pb;

	return NUM_CMP(a->kind, b->kind) ?: NUM_CMP(a->id, b->id) ?: !!a->pid - !!b->pid ?: strcmp(a->path, b->path);
}

static void pins_index(struct pins *ret, struct pin *all, size_t n, struct arena *a)
{
	const char **paths = arena_array(a, n, sizeof(*paths));
	struct pin_list *list = NULL;

	qsort(all, n, sizeof(*all), pin_cmp);
	for (size_t i = 0; i < n; i++) {
		if (i && !pin_cmp(&all[i - 1], &all[i])) /* the same file system, mounted twice at a path */
			continue;
		if (!i || all[i].kind != all[i - 1].kind || all[i].id != all[i - 1].id) {
			list = arena_alloc(a, sizeof(*list));
			list->paths = paths + i;
			*hash_put(&ret->objects, object_key(all[i].kind, all[i].id)) = list;
		}
		list->paths[list->n++] = all[i].path;
		ret->any[all[i].kind] = true;
	}
}

static const struct pin *pin_at(struct pins *p, const char *path)
{
	for (size_t i = 0; i < p->n && !p->indexed; i++) {
		void **slot = keys_put(&p->paths, p->all[i].path);

		if (slot && !*slot)
			*slot = &p->all[i];
	}
	p->indexed = true;
	return keys_get(&p->paths, path);
}

static struct pins *pins_read_all(struct machine *m)
{
	struct pins *ret = arena_alloc(m->facts->arena, sizeof(*ret));
	char *text, *line;
	struct pin *all;
	size_t n = 0;

	hash_init(&ret->objects, m->facts->arena);
	keys_init(&ret->paths, m->facts->arena);
	text = facts_lines(m, Q_PINS, &ret->error);
	all = arena_array(m->facts->arena, str_lines(text) + 1, sizeof(*all));
	while ((line = facts_cut(&text, '\n'))) {
		bool good = str_starts(line, "? ");

		if (good)
			good = unread_parse(line, ret, m->facts->arena);
		else if (pin_parse(line, &all[n]) && all[n].path && all[n].path[0] == '/')
			good = ++n;
		if (!good)
			note_refused(m, -EBADMSG, Q_PINS);
	}
	/* In a container not even root may read every process. */
	if (ret->unseen && ret->unseen != -EACCES && ret->unseen != -EPERM)
		note_refused(m, ret->unseen, Q_PINS);
	pins_index(ret, all, n, m->facts->arena);
	ret->all = all;
	ret->n = n;
	return ret;
}

static struct pins *pins(struct machine *m)
{
	if (!m->facts->pins)
		m->facts->pins = pins_read_all(m);
	return m->facts->pins;
}

int facts_pins_error(struct machine *m)
{
	return pins(m)->error;
}

int facts_all_pins(struct machine *m, const struct pin **ret, size_t *n)
{
	const struct pins *p = pins(m);

	if (p->error)
		return p->error;
	*ret = p->all;
	*n = p->n;
	return 0;
}

int facts_unseen_pins(struct machine *m)
{
	return pins(m)->unseen;
}

size_t facts_unread_pins(struct machine *m, const struct pin_unread **ret)
{
	*ret = pins(m)->unread;
	return pins(m)->nunread;
}

const char *const *facts_pins(struct machine *m, enum object_kind kind, uint32_t id, uint32_t *n)
{
	struct pins *p = pins(m);
	const struct pin_list *list = hash_get(&p->objects, object_key(kind, id));

	/* Any of them may be a pin of this object. */
	for (; p->nnoted < p->nunread; p->nnoted++)
		note_refused(m, p->unread[p->nnoted].err, Q_PIN, .text = p->unread[p->nnoted].path);
	*n = list ? list->n : 0;
	return list ? list->paths : NULL;
}

bool facts_any_pins(struct machine *m, enum object_kind kind)
{
	return pins(m)->any[kind];
}

int facts_find_pin(struct machine *m, const char *path, enum object_kind *kind, uint32_t *id)
{
	const struct pin *found;
	struct pin own;
	struct blob b;
	int err = ask_silently(m, m->facts->arena, &b, Q_PIN, .text = path);

	if (!err) {
		char *text = blob_text(m->facts->arena, &b), *line = facts_cut(&text, '\n');

		if (!line || !pin_parse(line, &own))
			return -EBADMSG;
		found = &own;
	} else if (err == -ENODATA) {
		found = pin_at(pins(m), path);
		if (!found)
			return -ENODATA;
	} else {
		return err;
	}
	*kind = found->kind;
	*id = found->id;
	return 0;
}
