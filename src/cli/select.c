/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/select.h"

#include <limits.h>

#include "base/near.h"
#include "cli/owner.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "cli/parse/arg.h"
#include "source/facts.h"
#include "source/source.h"
#include "host/pins.h"

#define KERNEL_NAME 15 /* characters that the kernel keeps of a name */

static int ids_read(struct env *env, struct arena *a, const struct kind *k, const uint32_t **ret, size_t *ret_n,
		    struct err *e)
{
	struct blob b;
	int err = ask(env->machine, a, &b, question_of(Q_IDS, k->object));

	if (err == -ENODATA)
		return err_set(e, err, "the %ss are not in this archive", k->noun);
	if (err) {
		err_sys(e, err, "cannot list %ss", k->noun);
		if (err == -EINVAL)
			err_hint(e, "this kernel is too old to list objects of this kind");
		return err;
	}
	if (b.n % sizeof(uint32_t))
		return err_set(e, -EBADMSG, "the list of %ss is damaged", k->noun);
	/* Copy the bytes, because those of an archive may not be aligned. */
	*ret = arena_dup(a, b.p, b.n);
	*ret_n = b.n / sizeof(uint32_t);
	return 0;
}

int select_all(struct env *env, const struct kind *k, const uint32_t **ret, size_t *ret_n, struct err *e)
{
	return ids_read(env, env->keep, k, ret, ret_n, e);
}

static bool name_matches(const char *name, const char *wanted)
{
	if (!strcmp(name, wanted))
		return true;
	return strlen(wanted) == KERNEL_NAME && strlen(name) > KERNEL_NAME && str_starts(name, wanted);
}

/* Returns 1, 0 or -errno. */
static int matches(struct env *env, const struct kind *k, uint32_t id, const struct object_ref *ref, struct err *e)
{
	ARENA_SCOPE(env->arena);
	struct object_label l;
	int ret = k->label(env, env->arena, id, &l, e);

	if (!ret)
		ret = ref->by == SEL_NAME ? name_matches(l.name, ref->text) : !strcmp(l.tag, ref->text);
	return ret;
}

/* Has an object of this kind the id or name? */
static bool is_any(struct env *env, struct arena *a, const struct kind *k, const struct object_ref *ref)
{
	struct object_label label;
	struct err why = { 0 };
	const uint32_t *ids;
	size_t n, i = 0;

	if (ids_read(env, a, k, &ids, &n, &why))
		return false;
	while (i < n &&
	       (ref->by == SEL_ID ? ids[i] != ref->id :
				    k->label(env, a, ids[i], &label, &why) || !name_matches(label.name, ref->text)))
		i++;
	return i < n;
}

/* "there is a program fw_count": objects of other kinds. What cannot be read for that is not missing. */
static int hint_other_kind(struct env *env, struct arena *a, const struct kind *k, const struct object_ref *ref,
			   struct err *e)
{
	struct refusal **mark = env->machine->refused_end;
	STR list = { 0 };

	for (const struct kind *const *p = kinds; *p && ref->by != SEL_TAG; p++)
		if (*p != k && (ref->by == SEL_ID || (*p)->selectors & SEL_NAME) && is_any(env, a, *p, ref))
			str_fmt(&list, "%s a %s", list.n ? " and" : "there is", (*p)->noun);
	machine_forget_since(env->machine, mark);
	if (!list.n)
		return e->code;
	return ref->by == SEL_ID ? err_hint(e, "%s %u", list.p, ref->id) : err_hint(e, "%s %s", list.p, ref->text);
}

static int no_match(struct env *env, struct arena *a, const struct kind *k, const struct object_ref *ref,
		    const uint32_t *ids, size_t n, struct err *e)
{
	struct near near = { 0 };
	struct err why = { 0 };
	struct object_label l;

	for (size_t i = 0; i < n && ref->by == SEL_NAME; i++)
		if (!k->label(env, a, ids[i], &l, &why))
			near_offer(&near, ref->text, l.name);
	err_set(e, -ENOENT, "no %s with %s '%s'", k->noun, selector_word(ref->by), ref->text);
	hint_other_kind(env, a, k, ref, e);
	return near_hint(&near, e);
}

static int select_scan(struct env *env, struct arena *a, const struct kind *k, const struct object_ref *ref,
		       const uint32_t **ret, size_t *ret_n, struct err *e)
{
	struct err first = { 0 };
	const uint32_t *ids;
	size_t n, i, found = 0;
	uint32_t *list;
	int r;

	r = ids_read(env, a, k, &ids, &n, e);
	if (r)
		return r;
	list = arena_array(a, n, sizeof(*list));
	for (i = 0; i < n; i++) {
		struct err why = { 0 };

		r = matches(env, k, ids[i], ref, &why);
		if (r > 0)
			list[found++] = ids[i];
		else if (r < 0 && r != -ENOENT && !first.code)
			first = why;
	}
	/* An object that could not be read may be the one that was meant. */
	if (!found && first.code) {
		*e = first;
		return e->code;
	}
	if (!found)
		return no_match(env, a, k, ref, ids, n, e);
	*ret = list;
	*ret_n = found;
	return 0;
}

static int wrong_kind(const struct kind *k, const char *path, enum object_kind is, struct err *e)
{
	const struct kind *other = kind_of(is);

	return err_set(e, -EMEDIUMTYPE, "%s is a %s, not a %s", path, other ? other->noun : "other object", k->noun);
}

static int pinned_error(const char *path, int err, struct err *e)
{
	if (err == -ENODATA)
		return err_set(e, -ENOENT, "%s: no such pin in this archive", path);
	return pins_explain(path, err, e);
}

/* An archive only has absolute paths, as the kernel reports them for pins. */
static const char *absolute(const char *path, struct arena *a)
{
	char cwd[PATH_MAX];

	while (str_starts(path, "./"))
		path += 1 + strspn(path + 1, "/");
	return path[0] != '/' && getcwd(cwd, sizeof(cwd)) ? arena_fmt(a, "%s/%s", cwd, path) : path;
}

static int select_pinned(struct env *env, struct arena *a, const struct kind *k, const char *text, uint32_t *ret,
			 struct err *e)
{
	const char *path = absolute(text, a);
	enum object_kind is;
	uint32_t id;
	int err = facts_find_pin(env->machine, path, &is, &id);

	if (err)
		return pinned_error(path, err, e);
	if (is != k->object)
		return wrong_kind(k, path, is, e);
	*ret = id;
	return 0;
}

int select_no_such(struct env *env, const struct kind *k, uint32_t id, struct err *e)
{
	const struct object_ref ref = { .by = SEL_ID, .id = id };

	err_set(e, -ENOENT, "no %s with id %u", k->noun, id);
	return hint_other_kind(env, env->keep, k, &ref, e);
}

/* Without this check, an archive would only report a missing answer, although it has the list of objects. */
static int check_saved(struct env *env, const struct kind *k, uint32_t id, struct err *e)
{
	ARENA a = arena_new();
	const uint32_t *ids;
	size_t n, i;

	if (!env->opts->from || ids_read(env, a, k, &ids, &n, NULL))
		return 0;
	for (i = 0; i < n && ids[i] != id; i++)
		;
	return i < n ? 0 : select_no_such(env, k, id, e);
}

int select_objects(struct env *env, struct arena *a, const struct kind *k, const struct object_ref *ref,
		   const uint32_t **ret, size_t *ret_n, struct err *e)
{
	uint32_t id = ref->id;
	int err = 0;

	if (!ref->by)
		return ids_read(env, a, k, ret, ret_n, e);
	if (ref->by == SEL_NAME || ref->by == SEL_TAG)
		return select_scan(env, a, k, ref, ret, ret_n, e);
	if (ref->by == SEL_PINNED)
		err = select_pinned(env, a, k, ref->text, &id, e);
	else
		err = check_saved(env, k, id, e);
	if (err)
		return err;
	*ret = arena_dup(a, &id, sizeof(id));
	*ret_n = 1;
	return 0;
}

/* Sort, and remove duplicates. Returns how many are left. */
static size_t ids_sort(uint32_t *ids, size_t n)
{
	size_t left = 0;

	if (n)
		qsort(ids, n, sizeof(*ids), num_order_u32);
	for (size_t i = 0; i < n; i++)
		if (!left || ids[left - 1] != ids[i])
			ids[left++] = ids[i];
	return left;
}

static void add_missing(struct env *env, struct selection *s, const struct err *why)
{
	const char *near = why->hint[0] ? arena_fmt(env->keep, " (%s)", why->hint) : "";

	/* The message cannot have more. */
	if (s->missing && strlen(s->missing) >= sizeof(why->msg))
		return;
	s->missing =
		arena_fmt(env->keep, "%s%s%s%s", s->missing ? s->missing : "", s->missing ? "; " : "", why->msg, near);
}

/* Add the objects of one of several references. A reference without an object is not a failure yet. */
static int add_found(struct env *env, struct selection *s, const struct object_ref *ref, uint32_t **all, size_t *cap,
		     struct err *e)
{
	ARENA a = arena_new();
	struct err why = { 0 };
	const uint32_t *ids;
	size_t n;
	int err = select_objects(env, a, s->kind, ref, &ids, &n, &why);

	if (err == -ENOENT) {
		add_missing(env, s, &why);
		return 0;
	}
	if (err) {
		*e = why;
		return err;
	}
	for (size_t i = 0; i < n; i++) {
		*all = arena_more(env->keep, *all, s->n, cap, sizeof(**all));
		(*all)[s->n++] = ids[i];
	}
	return 0;
}

int selection_find(struct env *env, const struct kind *k, const struct object_refs *refs, struct selection *ret,
		   struct err *e)
{
	struct selection s = { .kind = k, .refs = refs };
	uint32_t *all = NULL;
	size_t cap = 0;
	int err = 0;

	if (!refs->n)
		err = select_all(env, k, &s.ids, &s.n, e);
	else if (refs->n == 1)
		err = select_objects(env, env->keep, k, refs->v, &s.ids, &s.n, e);
	for (size_t i = 0; refs->n > 1 && i < refs->n && !err; i++)
		err = add_found(env, &s, &refs->v[i], &all, &cap, e);
	if (err)
		return err;
	if (refs->n > 1) {
		s.n = ids_sort(all, s.n);
		s.ids = all;
	}
	*ret = s;
	return s.n ? 0 : selection_end(&s, e);
}

void selection_note_gone(struct env *env, struct selection *s, uint32_t id)
{
	struct err why = { 0 };

	for (size_t i = 0; i < s->refs->n; i++)
		if ((s->refs->v[i].by == SEL_ID && s->refs->v[i].id == id) ||
		    (s->refs->v[i].by == SEL_PINNED && s->n == 1)) {
			select_no_such(env, s->kind, id, &why);
			add_missing(env, s, &why);
			return;
		}
}

int selection_end(const struct selection *s, struct err *e)
{
	return s->missing ? err_set(e, -ENOENT, "%s", s->missing) : 0;
}

/* Append what distinguishes objects with the same name: " (ringbuf, execsnoop(512))". */
static void telling_add(struct env *env, const struct kind *k, uint32_t id, struct str *to)
{
	const char *type = kind_label(env, k, id).type, *owner = object_owner(env, env->keep, k->object, id);

	if (*type || owner)
		str_fmt(to, " (%s%s%s)", type, *type && owner ? ", " : "", owner ? owner : "");
}

int select_one(struct env *env, const struct kind *k, const struct object_ref *ref, uint32_t *ret, struct err *e)
{
	ARENA a = arena_new();
	STR list = { 0 };
	const uint32_t *ids;
	size_t n, i;
	int err = select_objects(env, a, k, ref, &ids, &n, e);

	if (err)
		return err;
	for (i = 0; n > 1 && i < n && list.n < 200; i++) {
		str_fmt(&list, "%s%u", i ? ", " : "", ids[i]);
		telling_add(env, k, ids[i], &list);
	}
	if (n > 1) {
		err_set(e, -ENOTUNIQ, "several %ss match this handle: id %s%s", k->noun, list.p, i < n ? ", ..." : "");
		return err_hint(e, "select one by its id");
	}
	*ret = ids[0];
	return 0;
}

bool select_example(struct env *env, const struct kind *k, const struct object_ref *ref, uint32_t *ret)
{
	ARENA a = arena_new();
	struct err none = { 0 };
	const uint32_t *ids;
	size_t n;

	if (select_objects(env, a, k, ref, &ids, &n, &none))
		return false;
	*ret = ids[0];
	return true;
}

/* A pin can be opened without the right to open by id. */
static int open_pinned(struct env *env, const struct kind *k, const char *text, bool write, uint32_t *ret_id,
		       struct err *e)
{
	const char *path = absolute(text, env->keep);
	enum object_kind is;
	CLEAN_FD fd = pins_open(path, write, &is, ret_id);

	if (fd < 0)
		return pinned_error(path, fd, e);
	if (is != k->object)
		return wrong_kind(k, path, is, e);
	source_hold(env->machine->src, is, *ret_id, fd, path);
	return TAKE_FD(fd);
}

static int open_one(struct env *env, const struct kind *k, const struct object_ref *ref, bool write, uint32_t *ret_id,
		    struct err *e)
{
	uint32_t id;
	int fd, err;

	ret_id = ret_id ? ret_id : &id;
	if (ref->by == SEL_PINNED)
		return open_pinned(env, k, ref->text, write, ret_id, e);
	err = select_one(env, k, ref, &id, e);
	if (err)
		return err;
	*ret_id = id;
	fd = source_open(env->machine->src, k->object, id, write);
	if (fd == -ENOENT)
		return select_no_such(env, k, id, e);
	if (fd < 0)
		return err_sys(e, fd, "cannot open %s %u", k->name, id);
	source_hold(env->machine->src, k->object, id, fd, NULL);
	return fd;
}

int select_open(struct env *env, const struct kind *k, const struct object_ref *ref, uint32_t *ret_id, struct err *e)
{
	return open_one(env, k, ref, false, ret_id, e);
}

int select_open_rw(struct env *env, const struct kind *k, const struct object_ref *ref, uint32_t *ret_id, struct err *e)
{
	return open_one(env, k, ref, true, ret_id, e);
}
