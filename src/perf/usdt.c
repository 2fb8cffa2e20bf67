/* SPDX-License-Identifier: BSD-2-Clause */
#include "perf/usdt.h"

#include <elf.h>

#include "cli/env.h"
#include "cli/place.h"
#include "source/info.h"
#include "source/source.h"
#include "kernel/abi.h"
#include "kernel/elem.h"

#define SPECS_NAME "__bpf_usdt_spec" /* as far as the kernel keeps it */
enum { CONSTANT, REGISTER, MEMORY };
_Static_assert(sizeof(struct usdt_spec) == 208, "the layout of struct __bpf_usdt_spec in libbpf's <bpf/usdt.bpf.h>");

struct usdt_operand {
	char reg[8];
	long long offset;
	unsigned kind;
};

/* Is all of @text read? */
#define READ_ALL(text, end) ((end) >= 0 && !(text)[end])

#if defined(__x86_64__)
#define MACHINE EM_X86_64
static bool operand_read(const char *text, struct usdt_operand *ret)
{
	int end = -1;

	if (sscanf(text, "$%lli%n", &ret->offset, &end) == 1 && READ_ALL(text, end))
		return ret->kind = CONSTANT, true;
	end = -1;
	if (sscanf(text, "%%%7[a-z0-9]%n", ret->reg, &end) == 1 && READ_ALL(text, end))
		return ret->kind = REGISTER, true;
	end = -1;
	ret->kind = MEMORY;
	if (sscanf(text, "%lli(%%%7[a-z0-9])%n", &ret->offset, ret->reg, &end) == 2 && READ_ALL(text, end))
		return true;
	end = -1;
	ret->offset = 0;
	return sscanf(text, "(%%%7[a-z0-9])%n", ret->reg, &end) == 1 && READ_ALL(text, end);
}

/* The offset in struct pt_regs; -1: unknown. Of rax, eax, ax and al likewise. */
static int register_offset(const char *name)
{
	static const struct {
		const char *name[4];
		int offset;
	} regs[] = {
		{ { "rax", "eax", "ax", "al" }, 80 },	{ { "rbx", "ebx", "bx", "bl" }, 40 },
		{ { "rcx", "ecx", "cx", "cl" }, 88 },	{ { "rdx", "edx", "dx", "dl" }, 96 },
		{ { "rsi", "esi", "si", "sil" }, 104 }, { { "rdi", "edi", "di", "dil" }, 112 },
		{ { "rbp", "ebp", "bp", "bpl" }, 32 },	{ { "rsp", "esp", "sp", "spl" }, 152 },
		{ { "rip", "eip", "ip", "" }, 128 },
	};
	int number = 0, end = -1;

	for (size_t i = 0; i < ARRAY_SIZE(regs); i++)
		for (size_t k = 0; k < ARRAY_SIZE(regs[i].name); k++)
			if (*name && !strcmp(name, regs[i].name[k]))
				return regs[i].offset;
	/* r8 to r11 end at offset 72, r12 to r15 at 24; r8d, r8w and r8b are parts. */
	if (sscanf(name, "r%2d%n", &number, &end) != 1 || number < 8 || number > 15 || !strchr("dwb", name[end]) ||
	    (name[end] && name[end + 1]))
		return -1;
	return number < 12 ? 72 - 8 * (number - 8) : 24 - 8 * (number - 12);
}
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
static bool operand_read(const char *text, struct usdt_operand *ret)
{
	int end = -1;

	if (sscanf(text, "%lli%n", &ret->offset, &end) == 1 && READ_ALL(text, end))
		return ret->kind = CONSTANT, true;
	end = -1;
	ret->offset = 0;
	if (sscanf(text, "%7[a-z0-9]%n", ret->reg, &end) == 1 && READ_ALL(text, end))
		return ret->kind = REGISTER, true;
	end = -1;
	ret->kind = MEMORY;
	if (sscanf(text, "[%7[a-z0-9], %lli]%n", ret->reg, &ret->offset, &end) == 2 && READ_ALL(text, end))
		return true;
	end = -1;
	ret->offset = 0;
	return sscanf(text, "[%7[a-z0-9]]%n", ret->reg, &end) == 1 && READ_ALL(text, end);
}

static int register_offset(const char *name)
{
	int number = 0, end = -1;

	if (!strcmp(name, "sp"))
		return 31 * 8;
	if ((name[0] != 'x' && name[0] != 'w') || sscanf(name + 1, "%2d%n", &number, &end) != 1 || name[1 + end] ||
	    number < 0 || number > 30)
		return -1;
	return number * 8;
}
#else
#define MACHINE EM_NONE
static bool operand_read(const char *text, struct usdt_operand *ret)
{
	return false;
}
static int register_offset(const char *name)
{
	return -1;
}
#endif

static bool arg_make(struct usdt_spec_arg *ret, const struct usdt_arg *arg)
{
	const uint32_t size = arg->size ? arg->size : sizeof(uint64_t);
	struct usdt_operand o = { .kind = CONSTANT };
	int reg = 0;

	if (arg->is_float || size > sizeof(uint64_t) || (size & (size - 1)) || !operand_read(arg->where, &o))
		return false;
	if (o.kind != CONSTANT)
		reg = register_offset(o.reg);
	*ret = (struct usdt_spec_arg){ .value = (uint64_t)o.offset,
				       .kind = o.kind,
				       .reg = (int16_t)reg,
				       .is_signed = arg->is_signed,
				       .shift = (int8_t)(64 - 8 * size) };
	return reg >= 0;
}

int usdt_spec_make(struct usdt_spec *ret, const struct usdt_probe *probe, uint32_t machine, uint64_t cookie,
		   struct arena *a, struct err *e)
{
	const char *text = probe->args;
	struct usdt_arg arg;

	memset(ret, 0, sizeof(*ret));
	ret->cookie = cookie;
	if (machine != MACHINE && *text)
		return err_set(
			e, -EOPNOTSUPP,
			"arguments of probe %s:%s cannot be found: bpflens does not know the registers of that machine",
			probe->provider, probe->name);
	while (usdt_arg_next(&text, &arg, a)) {
		if (ret->nargs == ARRAY_SIZE(ret->args))
			return err_set(e, -EOPNOTSUPP, "probe %s:%s has more than %zu arguments", probe->provider,
				       probe->name, ARRAY_SIZE(ret->args));
		if (!arg_make(&ret->args[ret->nargs], &arg))
			return err_set(e, -EOPNOTSUPP,
				       "argument %d of probe %s:%s is where programs cannot find it: %s", ret->nargs,
				       probe->provider, probe->name, arg.where);
		ret->nargs++;
	}
	return 0;
}

static bool is_specs(const struct abi_map_info *map)
{
	return map->type == ABI_MAP_ARRAY && map->key_size == sizeof(uint32_t) &&
	       map->value_size == sizeof(struct usdt_spec) && !strncmp(map->name, SPECS_NAME, sizeof(map->name));
}

int usdt_specs_open(struct env *env, const struct attach_request *q, struct usdt_specs *ret, struct err *e)
{
	struct abi_prog_info prog;
	struct abi_map_info map;
	const uint32_t *ids = NULL;
	uint32_t n = 0;
	int err = prog_info(env->machine, env->arena, q->prog_id, &prog, e);

	*ret = (struct usdt_specs){ .fd = -1 };
	if (err)
		return err;
	err = prog_maps(env->machine, env->arena, q->prog_id, &prog, &ids, &n);
	if (err)
		return err_sys(e, err, "program %u: cannot read which maps it uses", q->prog_id);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t len;

		err = info_get(env->machine, env->arena, OBJECT_MAP, ids[i], &map, sizeof(map), &len);
		if (err)
			return err_sys(e, err, "map %u: cannot read info", ids[i]);
		if (!is_specs(&map))
			continue;
		ret->fd = source_open(env->machine->src, OBJECT_MAP, ids[i], true);
		ret->entries = map.max_entries;
		return ret->fd < 0 ?
			       err_sys(e, ret->fd, "cannot open map %u, which has the arguments of probes", ids[i]) :
			       0;
	}
	return 0;
}

int usdt_specs_put(const struct usdt_specs *s, const struct usdt_spec *spec, uint32_t *ret, struct err *e)
{
	static const struct usdt_spec none;
	int err = 0;

	for (uint32_t i = s->entries; i && !err; i--) {
		struct usdt_spec is;

		*ret = i - 1;
		err = elem_lookup(s->fd, ret, &is, 0);
		if (!err && !memcmp(&is, spec, sizeof(is)))
			return 0;
		if (err || memcmp(&is, &none, sizeof(is)))
			continue;
		err = elem_update(s->fd, ret, spec, 0);
		return err ? err_sys(e, err, "cannot write the arguments of the probe to the program's map") : 0;
	}
	if (err)
		return err_sys(e, err, "cannot read the arguments of probes in the program's map");
	return err_set(e, -ENOSPC, "the program's map has no room for the arguments of another probe");
}
