/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/note.h"

#include <arpa/inet.h>
#include <linux/bpf.h>

#include "cli/env.h"
#include "cli/kind.h"
#include "map/elem/print.h"
#include "map/elem/socket.h"
#include "map/elem/xsk.h"
#include "record/field.h"
#include "render/jsonw.h"
#include "render/render.h"
#include "source/facts.h"

/* The objects that the bytes of an element name, for map types whose bytes always name some; NULL or 0: nothing. */
struct elem_names {
	const char *prefix; /* "10.0.0.0/8" */
	const char *ifname;
	uint32_t prog_id;
	const char *prog_name;
};

#define ELEM_NAMES_FIELD(m, help, n, ...) \
	FIELD(elem_names, m, #m, help, .flags = FIELD_NONZERO, .col = n, ##__VA_ARGS__)
static const struct field names_fields[] = {
	ELEM_NAMES_FIELD(prefix, "the key of a trie as a prefix", 0),
	ELEM_NAMES_FIELD(ifname, "device in the slot", 1),
	ELEM_NAMES_FIELD(prog_id, "program in the slot", 2, .unit = FU_PROG),
	ELEM_NAMES_FIELD(prog_name, "name of that program", 3),
};
static const struct schema schema_elem_names = SCHEMA("names", elem_names, names_fields);

/* 0: no program; a program that has gone has no name. */
static void name_prog_add(struct elem_names *ret, struct env *env, uint32_t id)
{
	const struct object_label label = id ? kind_label(env, &kind_prog, id) : (struct object_label){ 0 };

	ret->prog_id = id;
	ret->prog_name = label.avail == AVAIL_YES ? label.name : NULL;
}

/* Tries usually hold routes: 4 bytes after the length are an IPv4 prefix, 16 bytes an IPv6 one. */
static void prefix_add(struct elem_names *ret, struct arena *a, const struct elem_form *f, const unsigned char *key)
{
	char text[INET6_ADDRSTRLEN + sizeof("/128")], *p = text;
	const uint32_t size = f->key_size;

	if ((size != 8 && size != 20) || elem_u32(f, key) > (size - 4) * 8)
		return;
	if (size == 20) {
		inet_ntop(AF_INET6, key + 4, p, INET6_ADDRSTRLEN);
		p += strlen(p);
	}
	/* Not by inet_ntop(), because a trie may have millions of prefixes. */
	for (unsigned i = 4; size == 8 && i < size; i++) {
		p = num_dec(p, key[i]);
		if (i + 1 < size)
			*p++ = '.';
	}
	*p++ = '/';
	p = num_dec(p, elem_u32(f, key));
	ret->prefix = arena_str(a, text, (size_t)(p - text));
}

static void names_read(const struct elem_form *f, const unsigned char *key, struct elem_names *ret)
{
	const unsigned char *value = key + f->key_size;
	struct env *env = f->names;

	if (f->type == BPF_MAP_TYPE_LPM_TRIE)
		return prefix_add(ret, env->arena, f, key);
	if (f->value_size < sizeof(uint32_t) || f->cpus)
		return;
	switch (f->type) {
	case BPF_MAP_TYPE_PROG_ARRAY:
		return name_prog_add(ret, env, elem_u32(f, value));
	case BPF_MAP_TYPE_DEVMAP:
	case BPF_MAP_TYPE_DEVMAP_HASH:
		ret->ifname = facts_ifname(env->machine, elem_u32(f, value));
		break;
	case BPF_MAP_TYPE_CPUMAP:
		break;
	default:
		return;
	}
	/* struct bpf_devmap_val, struct bpf_cpumap_val: the program of the slot. */
	if (f->value_size == 8)
		name_prog_add(ret, env, elem_u32(f, value + 4));
}

/* Looked up and kept in @f->names. @key: the element, with a value. False: it names nothing. */
static bool elem_names(const struct elem_form *f, const unsigned char *key, struct elem_note *ret)
{
	struct elem_names names = { 0 };

	names_read(f, key, &names);
	if (!names.prefix && !names.ifname && !names.prog_id)
		return false;
	*ret = (struct elem_note){ NULL, &schema_elem_names, arena_dup(f->names->arena, &names, sizeof(names)) };
	return true;
}

#define NOTES 2u

/* At most one of each kind. In the arena of f->names. */
static unsigned notes_find(const struct elem_form *f, const unsigned char *key, int err, struct elem_note ret[NOTES])
{
	unsigned n = 0;

	if (!err)
		n += elem_names(f, key, &ret[n]);
	if (f->sockets)
		n += socket_note(f, key, err, &ret[n]);
	else if (f->xsks)
		n += xsk_note(f, key, &ret[n]);
	return n;
}

static void note_json(struct jsonw *w, const struct elem_note *n, size_t *unread)
{
	if (n->name) {
		jsonw_name(w, n->name);
		jsonw_object(w);
	}
	render_json_fields(w, n->schema, n->rec, 0, unread);
	if (n->name)
		jsonw_end(w);
}

void elem_notes(const struct elem_form *f, struct out *o, struct jsonw *w, const unsigned char *key, int err)
{
	struct elem_note all[NOTES];
	unsigned n;

	if (!f->names)
		return;
	ARENA_SCOPE(f->names->arena);
	n = notes_find(f, key, err, all);
	for (unsigned i = 0; i < n; i++) {
		if (w) {
			note_json(w, &all[i], &f->names->report->unread);
			continue;
		}
		out_fmt(o, "  %s%s", all[i].name ? all[i].name : "", all[i].name ? " " : "");
		render_plain_headline(o, all[i].schema, all[i].rec);
	}
}
