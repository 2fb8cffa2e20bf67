/* SPDX-License-Identifier: BSD-2-Clause */
#include "object/file.h"

#include "base/bytes.h"
#include "base/swap.h"
#include "types/btf.h"

/*
 * .BTF.ext (Documentation/bpf/btf.rst, include/uapi/linux/bpf.h): a header with its length, and for each kind of
 * record: uint32_t bytes of a record; then for each section: uint32_t name, uint32_t number of records, the records.
 */
#define MAGIC 0xeb9f
#define HEAD_MIN 24u /* with functions and lines; CO-RE relocations were added later */
#define HEAD_CORE 32u
static const uint32_t record_min[EXT_KINDS] = { [EXT_FUNCS] = 8, [EXT_LINES] = 16, [EXT_CORE] = 16 };
static const char *const kind_words[EXT_CORE] = {
	[EXT_FUNCS] = "functions",
	[EXT_LINES] = "lines",
};

static uint32_t section_u32(const unsigned char *p)
{
	uint32_t ret;

	memcpy(&ret, p, sizeof(ret));
	return ret;
}

uint32_t ext_u32(const struct ext_part *part, uint32_t record, unsigned word)
{
	return section_u32(part->p + (size_t)record * part->size + word * sizeof(uint32_t));
}

/* A section that does not exist is skipped, and so are further records of the same section. */
static bool ext_kind_read(struct object *o, enum ext_kind kind, const unsigned char *p, uint64_t n)
{
	struct ext_part *parts = arena_array(o->arena, o->elf.nsects, sizeof(*parts));
	uint64_t at = sizeof(uint32_t);
	uint32_t size, blocks = 0;

	if (!n)
		return true;
	if (n < sizeof(uint32_t))
		return false;
	size = section_u32(p);
	if (size < record_min[kind] || size % sizeof(uint32_t))
		return false;
	while (at < n) {
		uint32_t section, records;

		/* At most one block for each section, so that looking up names is bounded by the square of their
		 * number. */
		if (n - at < 2 * sizeof(uint32_t) || blocks++ > o->elf.nsects)
			return false;
		section = object_section(o, btf_str(o->btf, section_u32(p + at)));
		records = section_u32(p + at + sizeof(uint32_t));
		at += 2 * sizeof(uint32_t);
		if (records > (n - at) / size)
			return false;
		if (section && !parts[section].n)
			parts[section] = (struct ext_part){ p + at, records, size };
		at += (uint64_t)records * size;
	}
	o->ext[kind] = parts;
	return true;
}

/* It is words behind the two bytes of the magic number, the version and the flags. */
static const unsigned char *own_order(struct object *o, const struct elf_sect *s)
{
	unsigned char *copy;

	if (o->elf.big == BIG_HERE)
		return s->p;
	copy = arena_dup(o->arena, s->p, s->size);
	swap_records("I", copy + swap_record("H2B", copy, s->size), s->size - sizeof(uint32_t));
	return copy;
}

/* libbpf ignores a damaged section, too, except that the code is then not what its compiler meant. */
static bool head_read(struct object *o, const struct elf_sect *s, const unsigned char **ret, uint32_t *ret_head)
{
	uint16_t magic;

	if (!s->p || s->size < HEAD_MIN) {
		object_ignore(o, "its section .BTF.ext is too short");
		return false;
	}
	*ret = own_order(o, s);
	memcpy(&magic, *ret, sizeof(magic));
	*ret_head = section_u32(*ret + 4);
	if (magic != MAGIC || (*ret)[2] != 1)
		object_ignore(o, "its section .BTF.ext is not of version 1");
	else if (*ret_head < HEAD_MIN || *ret_head > s->size)
		object_ignore(o, "the header of its section .BTF.ext has an invalid length: %u", *ret_head);
	else
		return true;
	return false;
}

int ext_read(struct object *o, const struct elf_sect *s, struct err *e)
{
	const unsigned char *p;
	uint32_t head;
	int err = 0;

	if (!head_read(o, s, &p, &head))
		return 0;
	for (unsigned kind = 0; !err && kind < (head < HEAD_CORE ? EXT_CORE : EXT_KINDS); kind++) {
		const uint32_t off = section_u32(p + 8 + kind * 8), len = section_u32(p + 12 + kind * 8);
		const bool inside = off <= s->size - head && len <= s->size - head - off;

		if (inside && ext_kind_read(o, kind, p + head + off, len))
			continue;
		if (kind == EXT_CORE)
			err = err_set(e, -EBADMSG, "its section .BTF.ext is damaged: CO-RE relocations");
		else
			object_ignore(o, "its section .BTF.ext has no valid table of %s", kind_words[kind]);
	}
	return err;
}

struct ext_part object_ext(const struct object *o, enum ext_kind kind, uint32_t section, uint64_t off, uint64_t size)
{
	struct ext_part part = o->ext[kind] ? o->ext[kind][section] : (struct ext_part){ 0 };
	/* Compilers write the records in ascending order. Without order, only some of them are found. */
	const uint32_t first = (uint32_t)ARRAY_LOWER(part.n, i, ext_u32(&part, (uint32_t)i, 0) < off);
	uint32_t end;

	for (end = first; end < part.n && ext_u32(&part, end, 0) - off < size; end++)
		;
	part.n = end - first;
	part.p = part.n ? part.p + (size_t)first * part.size : NULL;
	return part;
}
