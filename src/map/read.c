/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include <linux/bpf.h>

#include "base/wide.h"
#include "types/btf.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "map/types.h"
#include "source/facts.h"
#include "source/info.h"
#include "source/source.h"
#include "kernel/names.h"

#define KERNEL_NAME_MAX (sizeof(((struct abi_map_info *)0)->name) - 1)

int map_unsaved_error(uint32_t id, struct err *e)
{
	err_set(e, -ENODATA, "map %u: its contents were not saved", id);
	return err_hint(e, "`save --map-data` also saves the contents of maps");
}

int map_elems_error(uint32_t id, int err, struct err *e)
{
	if (err == -ENODATA)
		return map_unsaved_error(id, e);
	if (err == -EBADMSG)
		return err_set(e, err, "map %u: the elements do not have the sizes of its keys and values", id);
	return err_sys(e, err, "map %u: cannot read its elements", id);
}

/*
 * The kernel truncates names to 15 characters. The full name is that of the variable in the section .maps of the map's
 * BTF, if only one begins with the truncated name.
 */
static const char *full_name_read(struct env *env, struct arena *a, const struct abi_map_info *info)
{
	const struct btf_types *t;
	const struct btf_type *sec;
	const char *found = NULL;
	unsigned i;

	if (strnlen(info->name, KERNEL_NAME_MAX + 1) != KERNEL_NAME_MAX || !info->btf_id ||
	    btf_get(env->machine, info->btf_id, &t, NULL))
		return NULL;
	sec = btf_type(t, btf_find(t, ".maps", BTF_KIND_DATASEC));
	for (i = 0; sec && i < btf_vlen_of(sec); i++) {
		const char *name = btf_name(t, btf_vars_of(sec)[i].type);

		if (!str_starts(name, info->name))
			continue;
		if (found)
			return NULL;
		found = name;
	}
	return found && strlen(found) > KERNEL_NAME_MAX ? arena_str(a, found, SIZE_MAX) : NULL;
}

/* "struct val", "myint"; NULL: no such type. */
static const char *type_words(struct env *env, struct arena *a, const struct btf_types *t, uint32_t id)
{
	static const char *const tag[NR_BTF_KINDS] = {
		[BTF_KIND_STRUCT] = "struct",
		[BTF_KIND_UNION] = "union",
		[BTF_KIND_ENUM] = "enum",
		[BTF_KIND_ENUM64] = "enum",
	};
	const struct btf_type *type = btf_type(t, id);
	const char *word, *name = btf_name(t, id);

	if (!type)
		return NULL;
	word = tag[btf_kind_of(type)];
	if (word)
		return arena_fmt(a, "%s %s", word, *name ? name : "{}");
	if (*name)
		return arena_str(a, name, SIZE_MAX);
	/* An array or a pointer, perhaps with qualifiers. */
	id = btf_resolve(t, id);
	type = btf_type(t, id);
	if (type && btf_kind_of(type) == BTF_KIND_ARRAY && *btf_name(t, btf_array_of(type)->type))
		return arena_fmt(a, "%s[%u]", btf_name(t, btf_array_of(type)->type), btf_array_of(type)->nelems);
	return type && btf_kind_of(type) == BTF_KIND_PTR ? "pointer" : NULL;
}

static void map_types_read(struct env *env, struct arena *a, struct map_rec *r)
{
	const struct btf_types *t;

	r->full_name = full_name_read(env, a, &r->info);
	if (r->info.btf_vmlinux_value_type_id) {
		int err = r->info.btf_vmlinux_id ? btf_get(env->machine, r->info.btf_vmlinux_id, &t, NULL) :
						   btf_get_vmlinux(env->machine, &t, NULL, NULL);

		if (!err)
			r->value_type = type_words(env, a, t, r->info.btf_vmlinux_value_type_id);
		return;
	}
	if (!r->info.btf_id || btf_get(env->machine, r->info.btf_id, &t, NULL))
		return;
	r->key_type = type_words(env, a, t, r->info.btf_key_type_id);
	r->value_type = type_words(env, a, t, r->info.btf_value_type_id);
}

static void fdinfo_read(struct env *env, struct arena *a, uint32_t id, struct map_rec *r)
{
	struct blob text;
	uint64_t v;

	if (ask_text(env->machine, a, &text, question_of(Q_FDINFO, OBJECT_MAP), id)) {
		r->has_memlock = r->has_frozen = AVAIL_UNKNOWN;
		return;
	}
	r->has_frozen = AVAIL_YES;
	if (fdinfo_u64(text, "memlock", &r->memlock))
		r->has_memlock = AVAIL_YES;
	if (fdinfo_u64(text, "frozen", &v))
		r->frozen = v != 0;
	if (fdinfo_u64(text, "owner_prog_type", &v)) {
		r->has_owner = AVAIL_YES;
		r->owner_prog_type = btf_word(env->machine, &names_prog_type, v);
		r->owner_jited = fdinfo_u64(text, "owner_jited", &v) && v;
	}
}

static bool is_array(uint32_t type)
{
	return type == BPF_MAP_TYPE_ARRAY || type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

/* From the kernel's counter, else by counting the elements. */
static void entries_read(struct env *env, struct map_rec *r)
{
	struct blob text;

	r->has_entries = AVAIL_YES;
	if (is_array(r->info.type)) {
		r->entries = r->info.max_entries;
	} else if (!facts_map_count(env->machine, r->info.id, &r->entries)) {
		if (!map_type_can(r->info.type, VERB_GETNEXT))
			r->has_entries = AVAIL_NO;
		else if (ask_text(env->machine, env->arena, &text, Q_MAP_COUNT, r->info.id) || !text.n ||
			 num_parse_u64(arena_str(env->arena, (const char *)text.p, text.n - 1), &r->entries))
			r->has_entries = AVAIL_UNKNOWN;
	}
	r->has_fill = r->has_entries == AVAIL_YES && !r->info.max_entries ? AVAIL_NO : r->has_entries;
	if (r->has_fill == AVAIL_YES)
		r->fill = wide_div(wide_mul(r->entries, 100), r->info.max_entries).lo;
}

static bool is_ring(uint32_t type)
{
	return type == ABI_MAP_RINGBUF || type == ABI_MAP_USER_RINGBUF;
}

/* Archives of older versions do not have this answer. */
static void ring_read(struct env *env, struct arena *a, uint32_t id, struct map_rec *r)
{
	struct blob text;
	int err = ask_text(env->machine, a, &text, Q_MAP_RING, id);

	if (err == -ENODATA)
		return;
	r->has_ring = err || !fdinfo_u64(text, "consumer_pos", &r->consumer_pos) ||
				      !fdinfo_u64(text, "producer_pos", &r->producer_pos) ?
			      AVAIL_UNKNOWN :
			      AVAIL_YES;
	r->pending = r->producer_pos > r->consumer_pos ? r->producer_pos - r->consumer_pos : 0;
}

int map_read(struct env *env, struct arena *a, uint32_t id, unsigned need, void *rec, struct err *e)
{
	struct map_rec *r = rec;
	struct abi_map_info info;
	uint32_t len;
	int err = map_info_len(env->machine, a, id, &info, &len, e);

	if (err)
		return err;
	memset(r, 0, sizeof(*r));
	r->info = info;
	r->info.id = id;
	r->info_len = len;
	r->type = btf_word(env->machine, &names_map_type, info.type);
	r->name = *info.name ? arena_str(a, info.name, KERNEL_NAME_MAX) : NULL;
	object_offload_read(env, a, info.ifindex, info.netns_dev, info.netns_ino, &r->offload);
	if (need & NEED_FDINFO)
		fdinfo_read(env, a, id, r);
	if (need & NEED_RING && is_ring(info.type))
		ring_read(env, a, id, r);
	if (need & NEED_BTF)
		map_types_read(env, a, r);
	if (need & NEED_COUNT)
		entries_read(env, r);
	object_owners_read(env, a, OBJECT_MAP, id, need, &r->owners);
	map_join(env, a, need, r);
	return 0;
}

int map_label(struct env *env, struct arena *a, uint32_t id, struct object_label *ret, struct err *e)
{
	struct abi_map_info info;
	const char *full;
	int err = map_info(env->machine, a, id, &info, e);

	if (err)
		return err;
	full = full_name_read(env, a, &info);
	*ret = (struct object_label){
		btf_word(env->machine, &names_map_type, info.type),
		full ? full : arena_str(a, info.name, KERNEL_NAME_MAX),
		"",
	};
	return 0;
}
