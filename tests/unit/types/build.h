/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <assert.h>
#include <elf.h>
#include <linux/btf.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "types/btf.h"
#include "kernel/abi.h"

/* Handmade BTF: types are added in order and numbered from 1 (or from the first id of a split BTF). */
struct btf_build {
	uint32_t words[4096], n; /* type section */
	char strs[4096];
	uint32_t strs_n, strs_base, next;
	unsigned char out[32768];
	size_t out_n;
};

static inline void build_init(struct btf_build *b)
{
	memset(b, 0, sizeof(*b));
	b->strs_n = 1;
	b->next = 1;
}

static inline void build_init_split(struct btf_build *b, uint32_t first_id, uint32_t strs_base)
{
	memset(b, 0, sizeof(*b));
	b->next = first_id;
	b->strs_base = strs_base;
}

static inline uint32_t build_str(struct btf_build *b, const char *s)
{
	uint32_t at = b->strs_n;

	if (!s)
		return 0;
	assert(at + strlen(s) < sizeof(b->strs));
	memcpy(b->strs + at, s, strlen(s) + 1);
	b->strs_n += (uint32_t)strlen(s) + 1;
	return b->strs_base + at;
}

static inline void build_word(struct btf_build *b, uint32_t w)
{
	assert(b->n < sizeof(b->words) / sizeof(b->words[0]));
	b->words[b->n++] = w;
}

static inline uint32_t build_type(struct btf_build *b, const char *name, unsigned kind, unsigned vlen, unsigned kflag,
				  uint32_t size_or_type)
{
	build_word(b, build_str(b, name));
	build_word(b, (uint32_t)kflag << 31 | kind << 24 | vlen);
	build_word(b, size_or_type);
	return b->next++;
}

static inline uint32_t build_int(struct btf_build *b, const char *name, uint32_t bytes, unsigned encoding, unsigned off,
				 unsigned bits)
{
	uint32_t id = build_type(b, name, BTF_KIND_INT, 0, 0, bytes);

	build_word(b, encoding << 24 | off << 16 | bits);
	return id;
}

static inline uint32_t build_ref(struct btf_build *b, unsigned kind, const char *name, uint32_t to)
{
	return build_type(b, name, kind, 0, 0, to);
}

static inline uint32_t build_array(struct btf_build *b, uint32_t elem, uint32_t index, uint32_t n)
{
	uint32_t id = build_type(b, NULL, BTF_KIND_ARRAY, 0, 0, 0);

	build_word(b, elem);
	build_word(b, index);
	build_word(b, n);
	return id;
}

/* A member, parameter, enumerator or variable of the last type. */
static inline void build_member(struct btf_build *b, const char *name, uint32_t type, uint32_t offset)
{
	build_word(b, build_str(b, name));
	build_word(b, type);
	build_word(b, offset);
}

static inline void build_pair(struct btf_build *b, const char *name, uint32_t value)
{
	build_word(b, build_str(b, name));
	build_word(b, value);
}

static inline uint32_t build_var(struct btf_build *b, const char *name, uint32_t type)
{
	uint32_t id = build_type(b, name, BTF_KIND_VAR, 0, 0, type);

	build_word(b, BTF_VAR_GLOBAL_ALLOCATED);
	return id;
}

static inline void build_secinfo(struct btf_build *b, uint32_t var, uint32_t offset, uint32_t size)
{
	build_word(b, var);
	build_word(b, offset);
	build_word(b, size);
}

/* Write the BTF to b->out. */
static inline void build_done(struct btf_build *b)
{
	struct abi_btf_header h = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(h),
		.type_len = b->n * 4,
		.str_off = b->n * 4,
		.str_len = b->strs_n,
	};

	memcpy(b->out, &h, sizeof(h));
	memcpy(b->out + sizeof(h), b->words, b->n * 4);
	memcpy(b->out + sizeof(h) + b->n * 4, b->strs, b->strs_n);
	b->out_n = sizeof(h) + b->n * 4 + b->strs_n;
}

/*
 * The same with a layout section, for kinds up to @n - 1, between types and strings; the other kinds' sizes are all 0,
 * which a reader must not use.
 */
static inline void build_done_layout(struct btf_build *b, const struct abi_btf_layout *layouts, uint32_t n)
{
	struct abi_btf_header h;
	uint32_t at[2], room = sizeof(at) + n * (uint32_t)sizeof(*layouts);
	unsigned char *body = b->out + sizeof(h);

	build_done(b);
	memcpy(&h, b->out, sizeof(h));
	memmove(body + room + h.str_off, body + h.str_off, h.str_len);
	memmove(body + sizeof(at), body, h.type_len);
	memcpy(body + sizeof(at) + h.type_len, layouts, n * sizeof(*layouts));
	at[0] = h.type_len;
	at[1] = n * (uint32_t)sizeof(*layouts);
	memcpy(body, at, sizeof(at));
	h.hdr_len += (uint32_t)sizeof(at);
	h.str_off += at[1];
	memcpy(b->out, &h, sizeof(h));
	b->out_n += room;
}

/* An object file with b->out as its section @name. */
struct build_elf {
	Elf64_Ehdr eh;
	Elf64_Shdr sh[3];
	char names[16];
	unsigned char bytes[sizeof(((struct btf_build *)NULL)->out)];
};

static inline void build_elf(const struct btf_build *b, const char *name, struct build_elf *ret)
{
	*ret = (struct build_elf){
		.eh = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				      BIG_HERE ? ELFDATA2MSB : ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_REL,
			.e_machine = EM_BPF,
			.e_version = EV_CURRENT,
			.e_ehsize = sizeof(ret->eh),
			.e_shentsize = sizeof(ret->sh[0]),
			.e_shnum = 3,
			.e_shstrndx = 2,
			.e_shoff = offsetof(struct build_elf, sh),
		},
		.sh = {
			[1] = {
				.sh_name = 1,
				.sh_type = SHT_PROGBITS,
				.sh_offset = offsetof(struct build_elf, bytes),
				.sh_size = b->out_n,
			},
			[2] = {
				.sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct build_elf, names),
				.sh_size = sizeof(ret->names),
			},
		},
	};
	assert(strlen(name) < sizeof(ret->names) - 1);
	strcpy(ret->names + 1, name);
	memcpy(ret->bytes, b->out, b->out_n);
}

/* What build_done() made, as a machine of the other byte order has it. */
static inline void build_turn(struct btf_build *b)
{
	struct abi_btf_header h;
	unsigned char c = b->out[0];

	memcpy(&h, b->out, sizeof(h));
	if (h.magic != BTF_MAGIC)
		words_swap(&h.hdr_len, sizeof(h) - offsetof(struct abi_btf_header, hdr_len));
	b->out[0] = b->out[1];
	b->out[1] = c;
	words_swap(b->out + 4, h.hdr_len - 4);
	words_swap(b->out + h.hdr_len + h.type_off, h.type_len);
}

/* The same as build_done() for types of a little-endian machine, wherever the test runs: of values that are bytes. */
static inline void build_done_little(struct btf_build *b)
{
	build_done(b);
	if (BIG_HERE)
		build_turn(b);
}
