/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/num.h"
#include "base/out.h"
#include "cli/command.h"
#include "cli/select.h"
#include "render/jsonw.h"
#include "system/elem.h"
#include "system/names.h"
#include "system/pins.h"

#define NAME_MAX_LEN 15		/* characters that the kernel keeps */

struct create_opts {
	const char *path, *type, *name, *dev;
	uint32_t key, value, entries, flags;
	uint64_t extra;
	struct object_ref inner;
	bool dry_run;
};
#define OFF(m) .off = offsetof(struct create_opts, m)

static const struct arg create_args[] = {
	{ .name = "PATH", .type = ARG_PATH, .flags = ARG_REQUIRED | ARG_POSITIONAL, OFF(path), .help = "a new name in a bpffs" },
	{ .name = "type", .metavar = "TYPE", .type = ARG_STR, .flags = ARG_REQUIRED, OFF(type), .help = "type of the map: hash, array, ..." },
	{ .name = "key", .metavar = "SIZE", .type = ARG_U32, OFF(key), .help = "bytes of a key" },
	{ .name = "value", .metavar = "SIZE", .type = ARG_U32, OFF(value), .help = "bytes of a value" },
	{ .name = "entries", .metavar = "N", .type = ARG_U32, OFF(entries), .help = "how many elements it can hold" },
	{ .name = "name", .metavar = "NAME", .type = ARG_STR, .flags = ARG_REQUIRED, OFF(name), .help = "name of at most 15 characters" },
	{ .name = "flags", .metavar = "FLAGS", .type = ARG_U32, OFF(flags), .help = "number of BPF_F_ flags" },
	{ .name = "map_extra", .metavar = "N", .type = ARG_U64, OFF(extra), .help = "what some types want besides, as hash functions of a bloom filter" },
	{ .name = "inner_map", .metavar = "MAP", .type = ARG_OBJECT, OFF(inner), .help = "a map like those that a map of maps will hold" },
	{ .name = "offload_dev", .metavar = "DEV", .type = ARG_STR, OFF(dev), .help = "network device that the map lives on" },
	{ .name = "dev", .metavar = "DEV", .type = ARG_STR, OFF(dev), .help = "old word for offload_dev", .rejects = 1u << 9 },
	{ .name = "--dry-run", .type = ARG_FLAG, OFF(dry_run), .help = "check the words, and create nothing" },
};

static int attr_make(const struct create_opts *o, struct map_attr *ret, struct arena *a, struct err *e)
{
	int type = names_value(&names_map_type, o->type);
	uint32_t number;

	/* A type newer than our words. */
	if (type < 0 && !num_parse_u32(o->type, &number))
		type = (int)number;
	if (type < 0) {
		err_usage(e, "unrecognized map type: %s", o->type);
		return err_hint(e, "types are words like hash, array, lru_hash, ringbuf");
	}
	*ret = (struct map_attr){
		.type = (uint32_t)type, .key_size = o->key, .value_size = o->value, .max_entries = o->entries,
		.flags = o->flags, .extra = o->extra, .name = arena_str(a, o->name, NAME_MAX_LEN),
	};
	if (o->dev && !num_parse_u32(o->dev, &number))
		ret->ifindex = number;
	else if (o->dev)
		ret->ifindex = device_index(o->dev);
	if (o->dev && !ret->ifindex)
		return err_set(e, -ENODEV, "there is no network device %s", o->dev);
	return 0;
}

static int would_create(struct env *env, const struct create_opts *o)
{
	if (!env->jw) {
		out_fmt(env->out, "would create a map of type %s and pin it to ", o->type);
		out_text(env->out, o->path);
		out_char(env->out, '\n');
		return 0;
	}
	jsonw_object(env->jw);
	jsonw_name(env->jw, "path");
	jsonw_str(env->jw, o->path);
	jsonw_name(env->jw, "type");
	jsonw_str(env->jw, o->type);
	jsonw_end(env->jw);
	return 0;
}

static int create_error(const struct create_opts *o, int err, struct err *e)
{
	err_sys(e, err, "cannot create a map of type %s", o->type);
	if (err == -EINVAL)
		err_hint(e, "the kernel does not know the type, or it wants other sizes, flags or BTF");
	else if (err == -E2BIG)
		err_hint(e, "keys, values or entries are more than the kernel allows");
	return err;
}

static int create_run(struct env *env, const void *opts, struct err *e)
{
	const struct create_opts *o = opts;
	CLEAN_FD fd = -1, inner = -1;
	struct map_attr attr;
	int err = attr_make(o, &attr, env->keep, e);

	if (err)
		return err;
	if (o->inner.by) {
		inner = select_open(env, &kind_map, &o->inner, e);
		if (inner < 0)
			return inner;
		attr.inner_fd = inner;
	}
	if (o->dry_run)
		return would_create(env, o);
	fd = map_create(&attr);
	if (fd < 0)
		return create_error(o, fd, e);
	return pins_pin(fd, o->path, env->opts->nomount, e);
}

const struct command map_create_command = {
	.name = "create", .summary = "a new map, pinned",
	.help = "Nothing but its pin holds the map. A name of more than 15 characters is cut. Types that need BTF cannot be made "
		"here.",
	ARGS(create_args), .opts_size = sizeof(struct create_opts), .flags = CMD_WRITE | CMD_DESTROY, .run = create_run,
};
