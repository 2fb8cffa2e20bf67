/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/btf.h"
#include "object/core.h"
#include "object/file.h"
#include "object/read.h"
#include "code/xlated.h"

/* struct bpf_core_relo (include/uapi/linux/bpf.h): instruction, type, access string, kind. */
enum { WORD_TYPE = 1, WORD_ACCESS, WORD_KIND };
#define PATH_MAX_TEXT 4096u

/* libbpf's names for enum bpf_core_relo_kind. */
static const char *const kinds[CORE_KINDS] = {
	"byte_off",	  "byte_sz",	   "field_exists",   "signed",	    "lshift_u64",
	"rshift_u64",	  "local_type_id", "target_type_id", "type_exists", "type_size",
	"enumval_exists", "enumval_value", "type_matches",
};

unsigned core_access(const char *s, uint32_t ret[CORE_STEPS_MAX])
{
	unsigned n = 0;

	for (;;) {
		uint64_t v = 0;

		if (*s < '0' || *s > '9' || n == CORE_STEPS_MAX)
			return 0;
		for (; *s >= '0' && *s <= '9'; s++) {
			v = v * 10 + (uint64_t)(*s - '0');
			if (v > UINT32_MAX)
				return 0;
		}
		ret[n++] = (uint32_t)v;
		if (!*s)
			return n;
		if (*s++ != ':')
			return 0;
	}
}

/* One step from type *id: append the text of the member or element. Anonymous members have none. */
static bool type_step(const struct btf_types *t, uint32_t *id, uint32_t index, struct str *path)
{
	const struct btf_type *type = btf_resolved(t, *id);
	unsigned kind = type ? btf_kind_of(type) : BTF_KIND_UNKN;
	const char *name;

	if (kind == BTF_KIND_ARRAY) {
		str_fmt(path, "[%u]", index);
		*id = btf_array_of(type)->type;
		return true;
	}
	if ((kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION) || index >= btf_vlen_of(type))
		return false;
	name = btf_str(t, btf_members_of(type)[index].name_off);
	if (*name)
		str_fmt(path, "%s%s", path->n ? "." : "", name);
	*id = btf_members_of(type)[index].type;
	return true;
}

static const char *enum_path(const struct btf_types *t, uint32_t id, uint32_t index)
{
	const struct btf_type *type = btf_resolved(t, id);
	unsigned kind = type ? btf_kind_of(type) : BTF_KIND_UNKN;

	if ((kind != BTF_KIND_ENUM && kind != BTF_KIND_ENUM64) || index >= btf_vlen_of(type))
		return NULL;
	return btf_str(t, kind == BTF_KIND_ENUM ? btf_enums_of(type)[index].name_off :
						  btf_enums64_of(type)[index].name_off);
}

static const char *path_text(const struct object *o, uint32_t id, const char *access, uint32_t kind)
{
	uint32_t at[CORE_STEPS_MAX];
	unsigned n = core_access(access, at);
	STR path = { 0 };

	if (n == 1 && (kind == CORE_ENUMVAL_EXISTS || kind == CORE_ENUMVAL_VALUE))
		return enum_path(o->btf, id, at[0]);
	if (!n || kind > CORE_RSHIFT || !*o->text_left)
		return NULL;
	/* The first number is an index from the pointer, mostly 0, because pointers rarely point to an array. */
	if (at[0])
		str_fmt(&path, "[%u]", at[0]);
	for (unsigned i = 1; i < n; i++)
		if (path.n > PATH_MAX_TEXT || !type_step(o->btf, &id, at[i], &path))
			return NULL;
	*o->text_left -= path.n < *o->text_left ? path.n : *o->text_left;
	return path.n ? arena_str(o->arena, path.p, path.n) : NULL;
}

struct core_reloc core_reloc(const struct object *o, const struct ext_part *part, uint32_t i)
{
	return (struct core_reloc){ .kind = ext_u32(part, i, WORD_KIND),
				    .type = ext_u32(part, i, WORD_TYPE),
				    .access = btf_str(o->btf, ext_u32(part, i, WORD_ACCESS)) };
}

static void core_fill(const struct object *o, uint32_t section, const struct ext_part *part, uint32_t i,
		      struct object_core *c)
{
	const struct core_reloc r = core_reloc(o, part, i);
	uint32_t off = ext_u32(part, i, 0);
	const struct object_func *f = object_func_at(o, section, off);

	*c = (struct object_core){
		.program = f ? f->name : NULL,
		.section = o->elf.sects[section].name,
		.insn = (off - (f ? f->off : 0)) / INSN_SIZE,
		.type_id = r.type,
		.kind = r.kind < CORE_KINDS ? kinds[r.kind] : arena_fmt(o->arena, "unknown(%u)", r.kind),
		.access = r.access,
	};
	c->type = object_type_text(o, c->type_id);
	c->path = path_text(o, c->type_id, c->access, r.kind);
}

const char *object_core_text(const struct object *o, uint32_t section, const struct ext_part *part, uint32_t i)
{
	struct object_core c;
	const char *dot;

	core_fill(o, section, part, i, &c);
	dot = !c.path || *c.path == '[' ? "" : ".";
	return arena_fmt(o->arena, "%s %s%s%s (%s)", c.kind, c.type, dot, c.path ? c.path : "", c.access);
}

uint32_t object_ncores(const struct object *o)
{
	uint32_t n = 0;

	for (uint32_t i = 1; o->ext[EXT_CORE] && i < o->elf.nsects; i++)
		n += o->ext[EXT_CORE][i].n;
	return n;
}

void object_cores(const struct object *o, const struct object_core **ret, uint32_t *ret_n)
{
	uint32_t n = object_ncores(o);
	struct object_core *cores = arena_array(o->arena, n, sizeof(*cores));

	*ret = cores;
	*ret_n = n;
	for (uint32_t i = 1; n && i < o->elf.nsects; i++)
		for (uint32_t k = 0; k < o->ext[EXT_CORE][i].n; k++)
			core_fill(o, i, &o->ext[EXT_CORE][i], k, cores++);
}
