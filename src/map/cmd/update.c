/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include <linux/bpf.h>

#include "cli/change.h"
#include "cli/command.h"
#include "map/elem/open.h"
#include "map/elem/query.h"
#include "map/elem/elem_args.h"
#include "kernel/bpf.h"
#include "kernel/elem.h"

#define LOCK 4	  /* BPF_F_LOCK */
#define ONE_CPU 8 /* BPF_F_CPU, with the number of the CPU in the upper half (Linux 7.0) */

struct update_opts {
	struct object_ref map;
	struct arg_list words;
	struct arg_list format;
	const char *cpu;
	bool exact;
	bool dry_run;
};

#define UPDATE_ARGS(offer) \
	ONE_MAP_ARG(struct update_opts, "the map"), \
		ARG("--dry-run", ARG_FLAG, struct update_opts, dry_run, \
		    "print what would be written, and change nothing"), \
		FORMAT_ARG(struct update_opts, format), EXACT_ARG(struct update_opts, exact), \
		ARG("[key DATA] [value VALUE] [any|exist|noexist]", ARG_REST, struct update_opts, words, \
		    "the element; exist: only if an element has this key, noexist: only if none has", .offers = offer)

static const struct arg update_args[] = {
	UPDATE_ARGS(elem_args_offer_element),
	CPU_ARG("--cpu", struct update_opts, cpu),
};
static const struct arg push_args[] = { UPDATE_ARGS(elem_args_offer_value) };

/* The value whose members will be changed; zeros if the element does not exist or cannot be read by key. */
static int present_read(const struct open_map *m, const unsigned char *key, unsigned char *value, struct err *e)
{
	int err = m->info.key_size ? elem_lookup(m->fd, key, value, m->lock ? LOCK : 0) : -ENOENT;

	return err && err != -ENOENT ? map_error(m, err, "read elements", e) : 0;
}

/* As a dump shows the element: with an id, not the number of our descriptor. */
static int elem_change_read(struct env *env, const struct open_map *m, const unsigned char *elem, int inner,
			    struct elem_change *ret, struct err *e)
{
	union {
		struct abi_map_info map;
		struct abi_prog_info prog;
	} info;
	uint32_t len = sizeof(info), id;
	unsigned char *value, *before, *after;
	int err;

	memset(&info, 0, sizeof(info));
	ret->after = after = map_elem_room(env, m, &value);
	memcpy(after, elem, m->info.key_size + elem_value_bytes(&m->form));
	err = inner < 0 ? 0 : sys_object_info(inner, &info, &len);
	if (err)
		return err_sys(e, err, "cannot read the info of the object to store");
	if (inner >= 0) {
		id = m->info.type == BPF_MAP_TYPE_PROG_ARRAY ? info.prog.id : info.map.id;
		memcpy(value, &id, m->info.value_size < sizeof(id) ? m->info.value_size : sizeof(id));
	}
	before = map_elem_room(env, m, &value);
	memcpy(before, elem, m->info.key_size);
	if (m->info.key_size && !elem_lookup(m->fd, before, value, m->lock ? LOCK : 0))
		ret->before = before;
	elem_change_texts(env, m, ret);
	return 0;
}

/*
 * The value of one CPU, which was read from the words for all of them, in *ret and *ret_flags; @value: as it will be
 * then. Reading and writing the values of all CPUs instead would lose what programs write meanwhile.
 */
static int one_cpu(struct env *env, const struct open_map *m, const char *cpu, const unsigned char *key,
		   unsigned char *value, unsigned char **ret, uint64_t *ret_flags, struct err *e)
{
	struct elem_form one = m->form;
	const size_t all = (size_t)elem_value_bytes(&m->form);
	unsigned char *present = arena_alloc(env->keep, all + 8);
	uint32_t number = 0;
	size_t at;
	int err = elem_form_cpu(&one, cpu, &at, e);

	if (err || num_parse_u32(cpu, &number))
		return err;
	*ret = arena_dup(env->keep, value + at, (size_t)elem_value_step(&m->form));
	*ret_flags = (uint64_t)number << 32 | ONE_CPU;
	err = elem_lookup(m->fd, key, present, *ret_flags);
	if (err == -EINVAL) {
		err_set(e, -EOPNOTSUPP, "map %u: this kernel does not write the value of one CPU alone", m->info.id);
		return err_hint(e, "Linux 7.0 does; without `cpu` the values of all CPUs are written");
	}
	memset(present, 0, all);
	err = err == -ENOENT ? err : elem_lookup(m->fd, key, present, 0);
	if (err && err != -ENOENT)
		return map_error(m, err, "read elements", e);
	memcpy(value, present, all);
	memcpy(value + at, *ret, m->info.value_size);
	return 0;
}

static int element_write(const struct open_map *m, const unsigned char *elem, const unsigned char *value,
			 uint64_t flags, struct err *e)
{
	int err = elem_update(m->fd, m->info.key_size ? elem : NULL, value, flags);

	if (err == -ENOENT && !(flags & BPF_EXIST))
		return err_sys(e, err, "map %u: cannot write the element", m->info.id);
	return err ? map_error(m, err, "write elements", e) : 0;
}

static int update(struct env *env, const struct open_map *m, const struct update_opts *o, int *inner, struct err *e)
{
	struct elem_change change = { 0 };
	struct elem_args w;
	struct arg_list words = o->words;
	const char *after = elem_args_cpu(&words), *cpu = o->cpu ? o->cpu : after;
	unsigned char *value, *elem = map_elem_room(env, m, &value), *written = value;
	uint64_t flags = 0;
	int err = elem_args_split(m, &words, ELEM_ARGS_KEY | ELEM_ARGS_VALUE | ELEM_ARGS_FLAGS, &w, e);

	if (!err)
		err = elem_args_key(m, &w, elem, e);
	if (!err && elem_args_are_members(m, &w))
		err = present_read(m, elem, value, e);
	if (!err)
		err = elem_args_value(env, m, &w, value, inner, e);
	if (!err && cpu && w.has_flags && w.flags)
		err = err_usage(e, "with cpu, the kernel does not check whether the element exists");
	if (!err && cpu)
		err = one_cpu(env, m, cpu, elem, value, &written, &flags, e);
	if (!err && (o->dry_run || change_is_reported(env)))
		err = elem_change_read(env, m, elem, *inner, &change, e);
	if (err)
		return err;
	if (m->lock && elem_args_are_members(m, &w))
		w.flags |= LOCK;
	err = o->dry_run ? 0 : element_write(m, elem, written, w.flags | flags, e);
	if (!err && change.after)
		elem_change_report(env, m, o->dry_run ? "would write to" : "wrote to", o->dry_run, &change);
	return err;
}

static int update_run(struct env *env, const void *opts, struct err *e)
{
	const struct update_opts *o = opts;
	OPEN_MAP(m);
	CLEAN_FD inner = -1;
	int err = map_open(env, &o->map, VERB_UPDATE, &m, e);

	if (!err)
		err = map_open_formats(env, &m, &o->format, o->exact, e);
	return err ? err : update(env, &m, o, &inner, e);
}

const struct command map_update = {
	.name = "update",
	.summary = "write an element of a map",
	.help = "DATA and VALUE are bytes as in bpftool, as many words as the key or value has bytes, or hexadecimal ones after hex. A single word "
		"is a number, also with K, M, G or T (64K), text, an enumerator, an address or a prefix of an LPM trie, as a table of dump -o shows "
		"it (443 for port 443 of a __be16; with --exact as in memory), or JSON of the map's type, as a dump or a table prints it; text that "
		"begins with a dash is typed as JSON, '\"-x\"'. Words MEMBER=DATA change members of the "
		"present value (in a new element, and in a key, the other members are zero). This is not atomic: what a program writes between the "
		"read and the write is lost. A bpf_spin_lock in the value is taken for each of the two. MEMBER+=N and MEMBER-=N add to an integer "
		"and subtract from it. For a per-CPU map, the value is written for all CPUs, or a JSON list has one for each possible CPU; with --cpu N, or "
		"`cpu N` at the end, it is written for one CPU alone, if the kernel can (Linux 7.0), and without exist or noexist, which it does not check then. Values "
		"of maps of maps and program arrays are written like objects: value id 7.",
	.example = NULL,
	.schema = &change_schema,
	ARGS(update_args, struct update_opts),
	.flags = CMD_WRITE | CMD_DESTROY,
	.run = update_run,
};

const struct command map_push = {
	.name = "push",
	.summary = "push a value onto a stack",
	.help = "Same as update.",
	.schema = &change_schema,
	ARGS(push_args, struct update_opts),
	.flags = CMD_WRITE | CMD_DESTROY,
	.run = update_run,
};

const struct command map_enqueue = {
	.name = "enqueue",
	.summary = "append a value to a queue",
	.help = "Same as update.",
	.schema = &change_schema,
	ARGS(push_args, struct update_opts),
	.flags = CMD_WRITE | CMD_DESTROY,
	.run = update_run,
};
