/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/btf.h"

#include "source/info.h"
#include "source/machine.h"
#include "kernel/abi.h"
#include "kernel/names.h"

#define NEWER_NAMES 256u /* that a kernel may have beyond a table */

/* Slot 0 is always vmlinux, which may be the base of the others. */
#define SLOTS (BTF_CACHE + 2)
struct btf_cache {
	struct btf_slot {
		uint32_t id;
		uint64_t used;
		struct btf_types *types;
	} slot[SLOTS];
	uint64_t clock;
	int vmlinux_err; /* why there is none; read only once */
	char vmlinux_msg[256];
};

/* Modules first: their base is released last. */
static void cache_release(void *p)
{
	struct btf_cache *c = p;

	for (unsigned i = SLOTS; i-- > 0;)
		btf_release(&c->slot[i].types);
}

static struct btf_cache *cache(struct machine *m)
{
	if (!m->btfs) {
		m->btfs = arena_alloc(m->arena, sizeof(*m->btfs));
		arena_defer(m->arena, cache_release, m->btfs);
	}
	return m->btfs;
}

static const struct btf_types *cache_find(struct btf_cache *c, uint32_t id)
{
	unsigned i;

	for (i = 0; i < SLOTS; i++) {
		if (c->slot[i].types && c->slot[i].id == id) {
			c->slot[i].used = ++c->clock;
			return c->slot[i].types;
		}
	}
	return NULL;
}

/* Empties and returns the least recently used slot. */
static struct btf_slot *cache_victim(struct btf_cache *c)
{
	struct btf_slot *best = &c->slot[1];
	unsigned i;

	for (i = 2; i < SLOTS; i++)
		if (c->slot[i].used < best->used)
			best = &c->slot[i];
	btf_release(&best->types);
	return best;
}

static bool is_name(struct blob name, const char *word)
{
	size_t n = strnlen((const char *)name.p, name.n);

	return n == strlen(word) && !memcmp(name.p, word, n);
}

/* 1: vmlinux, 2: a module, 0: all others. */
static int kernel_part(struct machine *m, struct arena *a, uint32_t id)
{
	struct abi_btf_info info;
	struct blob name = { 0 };
	uint32_t len;

	if (info_get(m, a, OBJECT_BTF, id, &info, sizeof(info), &len) || !info.kernel_btf)
		return 0;
	if (ask(m, a, &name, Q_BTF_NAME, id))
		return 0;
	return name.n && is_name(name, "vmlinux") ? 1 : 2;
}

/* Before Linux 5.11 the kernel's own BTF is only a file, not an object with an id. */
static int vmlinux_file_parse(struct machine *m, struct btf_types **ret, struct err *e)
{
	ARENA a = arena_new();
	struct blob data;
	int err = ask(m, a, &data, Q_VMLINUX);

	if (err == -ENODATA)
		return err_set(e, err, "the kernel's BTF is not in this archive");
	if (err == -ENOENT)
		return err_set(e, err, "the kernel has no BTF of its own (CONFIG_DEBUG_INFO_BTF)");
	if (err)
		return err_sys(e, err, "cannot read the kernel's BTF");
	err = btf_parse_in(ret, &a, data.p, data.n, NULL, e);
	if (err) {
		note_refused(m, err, Q_VMLINUX);
		err_in(e, "the kernel's BTF");
	}
	return err;
}

static int data_parse(struct machine *m, uint32_t id, const struct btf_types *base, struct btf_types **ret,
		      struct err *e)
{
	ARENA a = arena_new();
	struct blob data;
	int err = ask(m, a, &data, Q_BTF_DATA, id);

	if (err == -ENODATA)
		return err_set(e, err, "BTF %u is not in this archive", id);
	if (err)
		return err_sys(e, err, "cannot read BTF %u", id);
	err = btf_parse_in(ret, &a, data.p, data.n, base, e);
	if (err) {
		note_refused(m, err, Q_BTF_DATA, id);
		err_in(e, "BTF %u", id);
	}
	return err;
}

/* *ret is 0 if no object is the kernel's. */
static int vmlinux_find(struct machine *m, uint32_t *ret, struct err *e)
{
	ARENA a = arena_new();
	struct blob ids;
	size_t i;
	uint32_t id;
	int err = ask(m, a, &ids, question_of(Q_IDS, OBJECT_BTF));

	if (err)
		return err_sys(e, err, "cannot list BTF objects");
	for (i = 0; i + sizeof(id) <= ids.n; i += sizeof(id)) {
		ARENA_SCOPE(a);

		memcpy(&id, ids.p + i, sizeof(id));
		if (kernel_part(m, a, id) == 1) {
			*ret = id;
			return 0;
		}
	}
	*ret = 0;
	return 0;
}

int btf_get_vmlinux(struct machine *m, const struct btf_types **ret, uint32_t *ret_id, struct err *e)
{
	struct btf_cache *c = cache(m);
	struct err why = { 0 };
	uint32_t id = 0;

	if (!c->slot[0].types && !c->vmlinux_err) {
		c->vmlinux_err = vmlinux_find(m, &id, &why);
		if (!c->vmlinux_err)
			c->vmlinux_err = id ? data_parse(m, id, NULL, &c->slot[0].types, &why) :
					      vmlinux_file_parse(m, &c->slot[0].types, &why);
		if (c->vmlinux_err)
			memcpy(c->vmlinux_msg, why.msg, sizeof(c->vmlinux_msg) - 1);
		else
			c->slot[0].id = id;
	}
	if (c->vmlinux_err)
		return err_set(e, c->vmlinux_err, "%s", c->vmlinux_msg);
	*ret = c->slot[0].types;
	if (ret_id)
		*ret_id = c->slot[0].id;
	return 0;
}

int btf_get_default(struct machine *m, const struct btf_types **ret, bool *ret_file, struct err *e)
{
	struct btf_cache *c = cache(m);
	ARENA a = arena_new();
	struct blob ids;
	int err = c->slot[0].types ? 0 : ask_silently(m, a, &ids, question_of(Q_IDS, OBJECT_BTF));

	/* A process that may not list the objects may still read the file. */
	*ret_file = (err == -EPERM || err == -EACCES) && !vmlinux_file_parse(m, &c->slot[0].types, NULL);
	if (!*ret_file)
		return btf_get_vmlinux(m, ret, NULL, e);
	c->slot[0].id = 0;
	c->vmlinux_err = 0;
	*ret = c->slot[0].types;
	return 0;
}

int btf_get(struct machine *m, uint32_t id, const struct btf_types **ret, struct err *e)
{
	const struct btf_types *base = NULL, *known = cache_find(cache(m), id);
	struct btf_types *types = NULL;
	struct btf_slot *slot;
	int part, err = 0;

	if (known) {
		*ret = known;
		return 0;
	}
	{
		ARENA a = arena_new();

		part = kernel_part(m, a, id);
	}
	if (part == 1)
		err = btf_get_vmlinux(m, ret, NULL, e);
	if (part == 2 && (err = btf_get_vmlinux(m, &base, NULL, e)))
		err_in(e, "BTF %u", id);
	if (err || part == 1)
		return err;
	err = data_parse(m, id, base, &types, e);
	if (err)
		return err;
	slot = cache_victim(cache(m));
	*slot = (struct btf_slot){ .id = id, .used = ++cache(m)->clock, .types = types };
	*ret = types;
	return 0;
}

const char *btf_kernel_word(struct machine *m, const struct name_table *t, uint64_t value)
{
	const struct btf_types *types;
	const char *name;
	char *word, *p;
	size_t prefix = strlen(t->prefix);
	uint32_t id;
	bool file;

	if (value > INT32_MAX || btf_get_default(m, &types, &file, NULL))
		return NULL;
	id = btf_find(types, t->btf_enum, BTF_KIND_ENUM);
	name = id ? btf_enum_name(types, id, (int64_t)value) : NULL;
	/* "__MAX_BPF_PROG_TYPE" and similar names are not types. */
	if (!name || strncmp(name, t->prefix, prefix) || !name[prefix])
		return NULL;
	word = arena_str(m->arena, name + prefix, strlen(name + prefix));
	for (p = word; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return word;
}

bool btf_has_word(struct machine *m, const struct name_table *t, const char *word)
{
	for (uint64_t v = t->n; v < t->n + NEWER_NAMES; v++) {
		const char *has = btf_kernel_word(m, t, v);

		if (has && !strcmp(has, word))
			return true;
	}
	return false;
}

const char *btf_word(struct machine *m, const struct name_table *t, uint64_t value)
{
	const char *word = names_of(t, value);

	if (!word)
		word = btf_kernel_word(m, t, value);
	return word ? word : arena_fmt(m->arena, "unknown(%llu)", llu(value));
}
