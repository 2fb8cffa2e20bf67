/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/names.h"

#include <arpa/inet.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "cli/env.h"
#include "map/elem/print.h"
#include "prog/prog.h"
#include "source/facts.h"

static uint32_t load(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static unsigned text_add(struct elem_name *ret, const char *name, const char *text)
{
	if (!text || !*text)
		return 0;
	*ret = (struct elem_name){ .name = name };
	snprintf(ret->text, sizeof(ret->text), "%s", text);
	return 1;
}

/* 0 is no program; one that is gone has no name. */
static unsigned prog_add(struct elem_name *ret, struct env *env, uint32_t id)
{
	const char *type, *name = NULL, *tag;
	size_t mark = arena_mark(env->arena);
	struct err gone = { 0 };
	unsigned n;

	if (!id)
		return 0;
	*ret = (struct elem_name){ .name = "prog_id", .is_number = true, .number = id };
	n = prog_label(env, id, &type, &name, &tag, &gone) ? 1 : 1 + text_add(ret + 1, "prog_name", name);
	arena_rewind(env->arena, mark);
	return n;
}

/* Tries are made for routes: 4 bytes behind the length are an IPv4 prefix, 16 an IPv6 one. */
static unsigned prefix_add(struct elem_name *ret, const unsigned char *key, uint32_t size)
{
	char *p = ret->text;

	if ((size != 8 && size != 20) || load(key) > (size - 4) * 8)
		return 0;
	ret->name = "prefix";
	ret->is_number = false;
	if (size == 20) {
		inet_ntop(AF_INET6, key + 4, p, sizeof(ret->text));
		p += strlen(p);
	}
	/* By hand: a trie may have millions of them. */
	for (unsigned i = 4; size == 8 && i < size; i++) {
		p = num_dec(p, key[i]);
		if (i + 1 < size)
			*p++ = '.';
	}
	*p++ = '/';
	*num_dec(p, load(key)) = '\0';
	return 1;
}

unsigned elem_names(const struct elem_form *f, struct env *env, const unsigned char *key, struct elem_name ret[ELEM_NAMES])
{
	const unsigned char *value = key + f->key_size;
	unsigned n = 0;

	if (f->type == BPF_MAP_TYPE_LPM_TRIE)
		return prefix_add(ret, key, f->key_size);
	if (f->value_size < sizeof(uint32_t) || f->cpus)
		return 0;
	switch (f->type) {
	case BPF_MAP_TYPE_PROG_ARRAY:
		return prog_add(ret, env, load(value));
	case BPF_MAP_TYPE_DEVMAP:
	case BPF_MAP_TYPE_DEVMAP_HASH:
		n = text_add(ret, "ifname", facts_ifname(env->machine, load(value)));
		break;
	case BPF_MAP_TYPE_CPUMAP:
		break;
	default:
		return 0;
	}
	/* struct bpf_devmap_val, struct bpf_cpumap_val: the program that runs there. */
	return f->value_size == 8 ? n + prog_add(ret + n, env, load(value + 4)) : n;
}
