/* SPDX-License-Identifier: BSD-2-Clause */

#include "map/map.h"
#include <strings.h>

#include "types/btf.h"
#include "types/types_ref.h"
#include "types/subset.h"
#include "cli/change.h"
#include "cli/command.h"
#include "cli/select.h"
#include "cli/abbrev.h"
#include "map/elem/assumed.h"
#include "map/types.h"
#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "kernel/elem.h"
#include "kernel/names.h"
#include "netns/devices.h"
#include "host/delegation.h"
#include "host/pins.h"

#define NAME_MAX_LEN 15 /* characters that the kernel keeps */

struct create_opts {
	const char *path, *type, *name, *dev;
	uint32_t key, value, entries;
	const char *flags;
	uint64_t extra;
	struct object_ref inner;
	const char *key_type, *value_type;
	struct types_ref from;
	bool dry_run;
};

static void offer_types(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	const char *word;

	for (unsigned type = 1; type < names_map_type.n; type++)
		if ((word = names_of(&names_map_type, type)))
			offer(ctx, word, NULL);
}

/* After the last comma; the flags before it stay. */
static void offer_flags(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	const char *comma = strrchr(typed, ',');
	const int kept = comma ? (int)(comma + 1 - typed) : 0;

	for (unsigned bit = 0; bit < names_map_flag.n; bit++)
		offer(ctx, arena_fmt(env->keep, "%.*s%s", kept, typed, names_of(&names_map_flag, bit)), NULL);
}

static const struct arg create_args[] = {
	OPERAND("PATH", ARG_PATH, struct create_opts, path, "path of the pin in a bpffs"),
	ARG("type", ARG_STR, struct create_opts, type, "type of the map: hash, array, ...", .metavar = "TYPE",
	    .flags = ARG_REQUIRED, .offers = offer_types),
	ARG("key", ARG_U32, struct create_opts, key, "size of a key in bytes", .metavar = "SIZE"),
	ARG("value", ARG_U32, struct create_opts, value, "size of a value in bytes", .metavar = "SIZE"),
	ARG("entries", ARG_U32, struct create_opts, entries, "maximum number of elements", .metavar = "N"),
	ARG("name", ARG_STR, struct create_opts, name, "name of at most 15 characters", .metavar = "NAME",
	    .flags = ARG_REQUIRED),
	ARG("flags", ARG_STR, struct create_opts, flags,
	    "flags of the map: no_prealloc,rdonly_prog, ..., or their number", .metavar = "FLAGS",
	    .offers = offer_flags),
	ARG("map_extra", ARG_U64, struct create_opts, extra,
	    "additional setting of some types, such as the number of hash "
	    "functions of a bloom filter",
	    .metavar = "N"),
	ARG("inner_map", ARG_OBJECT, struct create_opts, inner, "a map like those that a map of maps will contain",
	    .metavar = "MAP"),
	ARG("offload_dev", ARG_STR, struct create_opts, dev, "network device that the map is offloaded to",
	    .metavar = "DEV", .offers = net_offer_own_devices),
	ARG("dev", ARG_STR, struct create_opts, dev, "old word for offload_dev", .metavar = "DEV",
	    .offers = net_offer_own_devices, .rejects = "offload_dev"),
	ARG("key_type", ARG_STR, struct create_opts, key_type, "type of the keys, which also determines their size",
	    .metavar = "TYPE"),
	ARG("value_type", ARG_STR, struct create_opts, value_type, "type of the values", .metavar = "TYPE"),
	ARG("from", ARG_TYPES, struct create_opts, from, "source of these types, if not the kernel"),
	ARG("--dry-run", ARG_FLAG, struct create_opts, dry_run, "check names, types and path, and create nothing"),
};

/* Hints at the names of @t that are near to @typed, else at a few of them. */
static int unrecognized(const char *what, const struct name_table *t, const char *typed, const char *words_like,
			struct arena *a, struct err *e)
{
	struct word *words = arena_array(a, t->n, sizeof(*words));
	const char *near;
	size_t n = 0;

	for (unsigned i = 0; i < t->n; i++)
		if (names_of(t, i))
			words[n++].name = names_of(t, i);
	near = abbrev_nearest(words, n, typed);
	err_usage(e, "unrecognized map %s: %s", what, *typed ? typed : "''");
	return near ? err_hint(e, "did you mean '%s'?", near) : err_hint(e, "%s", words_like);
}

/* One of "no_prealloc,0x80": the kernel's word with or without BPF_F_, or a number. */
static int flag_parse(const char *typed, uint32_t *flags, struct arena *a, struct err *e)
{
	const size_t prefix = strlen(names_map_flag.prefix);
	const char *word = strncasecmp(typed, names_map_flag.prefix, prefix) ? typed : typed + prefix;
	uint32_t number;

	for (unsigned bit = 0; bit < names_map_flag.n; bit++) {
		if (!strcasecmp(word, names_of(&names_map_flag, bit))) {
			*flags |= 1u << bit;
			return 0;
		}
	}
	if (!num_parse_u32(typed, &number)) {
		*flags |= number;
		return 0;
	}
	return unrecognized(
		"flag", &names_map_flag, word,
		"flags are names such as no_prealloc, mmapable, rdonly_prog, separated by commas, or a number", a, e);
}

static int flags_parse(const char *text, uint32_t *ret, struct arena *a, struct err *e)
{
	int err = 0;

	*ret = 0;
	for (const char *p = text; p && !err; p = *p ? p + 1 : NULL) {
		const size_t n = strcspn(p, ",");

		err = flag_parse(arena_str(a, p, n), ret, a, e);
		p += n;
	}
	return err;
}

static int attr_make(const struct create_opts *o, struct map_attr *ret, struct arena *a, struct err *e)
{
	int type = names_value(&names_map_type, o->type);
	uint32_t number, flags;
	int err;

	/* A type newer than our names. */
	if (type < 0 && !num_parse_u32(o->type, &number))
		type = (int)number;
	if (type < 0)
		return unrecognized("type", &names_map_type, o->type,
				    "types are names such as hash, array, lru_hash, ringbuf", a, e);
	if (!o->entries && names_of(&names_map_type, (uint64_t)type) &&
	    !(map_type((uint32_t)type)->flags & MAP_UNCOUNTED)) {
		err_usage(e, "entries is missing: a map of type %s needs its maximum number of elements", o->type);
		return err_hint(e, "add 'entries N'; for a ring buffer or arena, N is its size");
	}
	err = flags_parse(o->flags, &flags, a, e);
	if (err)
		return err;
	*ret = (struct map_attr){
		.inner_fd = -1,
		.type = (uint32_t)type,
		.key_size = o->key,
		.value_size = o->value,
		.max_entries = o->entries,
		.flags = flags,
		.extra = o->extra,
		.name = arena_str(a, o->name, NAME_MAX_LEN),
	};
	if (o->dev && !num_parse_u32(o->dev, &number))
		ret->ifindex = number;
	else if (o->dev)
		ret->ifindex = device_index(o->dev);
	if (o->dev && !ret->ifindex)
		return err_set(e, -ENODEV, "no network device %s", o->dev);
	return 0;
}

/* BTF with the types of key and value alone. */
static int types_make(struct env *env, const struct create_opts *o, struct map_attr *attr, struct err *e)
{
	const struct btf_types *t;
	uint32_t ids[2] = { 0 };
	int err;

	if (!o->key_type && !o->value_type)
		return o->from.by == TYPES_NONE ?
			       0 :
			       err_usage(e, "'from' is a source of types: name the types with key_type and value_type");
	if (!o->key_type || !o->value_type)
		return err_usage(e, "the kernel needs the types of both keys and values: %s is missing",
				 o->key_type ? "value_type" : "key_type");
	err = btf_types_get(env, &o->from, &t, e);
	if (!err)
		err = assumed_find(env, t, o->key_type, "key", &attr->key_size, &ids[0], e);
	if (!err)
		err = assumed_find(env, t, o->value_type, "value", &attr->value_size, &ids[1], e);
	if (!err)
		err = btf_subset(t, ids, ARRAY_SIZE(ids), env->keep, &attr->btf, &attr->btf_size, e);
	attr->key_type = ids[0];
	attr->value_type = ids[1];
	return err;
}

/* The least page size of all kernels is 4096. */
static bool ring_is_odd(const struct map_attr *a)
{
	const uint32_t n = a->max_entries;

	return (a->type == ABI_MAP_RINGBUF || a->type == ABI_MAP_USER_RINGBUF) && (n < 4096 || (n & (n - 1)));
}

static int create_error(const struct create_opts *o, const struct map_attr *attr, int err, struct err *e)
{
	err_sys(e, err, "cannot create a map of type %s", o->type);
	if (err == -EINVAL && ring_is_odd(attr))
		err_hint(e, "entries of a ring buffer are bytes: a power of two, and a multiple of the page size");
	else if (err == -EINVAL)
		err_hint(e, "the kernel does not support the type, or needs other sizes, flags or BTF");
	else if (err == -E2BIG)
		err_hint(e, "the sizes or entries exceed the kernel's limits");
	return err;
}

static int create_run(struct env *env, const void *opts, struct err *e)
{
	const struct create_opts *o = opts;
	CLEAN_FD fd = -1, inner = -1, token = -1;
	struct map_attr attr;
	uint32_t id = 0;
	int err = attr_make(o, &attr, env->keep, e);

	if (!err)
		err = types_make(env, o, &attr, e);
	if (!err)
		err = pins_may_pin(o->path, env->opts->nomount, e);
	if (err)
		return err;
	if (o->inner.by) {
		inner = select_open(env, &kind_map, &o->inner, NULL, e);
		if (inner < 0)
			return inner;
		attr.inner_fd = inner;
	}
	if (!o->dry_run) {
		attr.token = token = delegation_token();
		fd = map_create(&attr);
		if (fd < 0)
			return create_error(o, &attr, fd, e);
		err = pins_pin(fd, o->path, env->opts->nomount, e);
		if (err)
			return err;
		sys_object_id(fd, &id);
	}
	change_report(env, &(struct change_rec){
				   .sentence = SENTENCE_CREATE,
				   .action = o->dry_run ? "would create" : "created",
				   .kind = kind_map.name,
				   .id = id,
				   .type = o->type,
				   .name = o->name,
				   .path = o->path,
				   .dry_run = o->dry_run,
			   });
	return 0;
}

const struct command map_create_command = {
	.name = "create",
	.summary = "create and pin a map",
	.help = "Only its pin keeps the map loaded. A name of more than 15 characters is truncated. With key_type and value_type, which also "
		"determine the sizes, elements are written and printed by type; local storage needs these types. FLAGS are the kernel's BPF_F_ "
		"flags of maps without the prefix, separated by commas, such as no_prealloc,rdonly_prog; or a number.",
	.schema = &change_schema,
	ARGS(create_args, struct create_opts),
	.flags = CMD_WRITE | CMD_DESTROY,
	.run = create_run,
};
