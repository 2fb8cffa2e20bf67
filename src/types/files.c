/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/files.h"

#include <bpf/btf.h>
#include <byteswap.h>
#include <linux/btf.h>

#include "base/infile.h"
#include "kernel/abi.h"
#include "types/btf.h"
#include "host/elf/elf.h"
#include "own/kbtf.h"
#include "types/library.h"
#include "types/nesting.h"
#include "types/types.h"

/* Ids and string offsets that are not the base's increase by those of the previous parts. */
struct shift {
	uint32_t first_id, ids, first_str, strs;
};

static void shift_id(const struct shift *s, uint32_t *id)
{
	if (*id >= s->first_id)
		*id += s->ids;
}

static void shift_name(const struct shift *s, uint32_t *off)
{
	if (*off >= s->first_str)
		*off += s->strs;
}

static void shift_parts(const struct shift *s, struct btf_type *type)
{
	unsigned n = btf_vlen_of(type), kind = btf_kind_of(type);
	struct btf_member *m = (struct btf_member *)(type + 1);
	struct btf_enum *e = (struct btf_enum *)(type + 1);
	struct btf_enum64 *e64 = (struct btf_enum64 *)(type + 1);
	struct btf_param *p = (struct btf_param *)(type + 1);
	struct btf_var_secinfo *v = (struct btf_var_secinfo *)(type + 1);

	for (unsigned i = 0; i < n; i++) {
		if (kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION) {
			shift_name(s, &m[i].name_off);
			shift_id(s, &m[i].type);
		} else if (kind == BTF_KIND_FUNC_PROTO) {
			shift_name(s, &p[i].name_off);
			shift_id(s, &p[i].type);
		} else if (kind == BTF_KIND_ENUM) {
			shift_name(s, &e[i].name_off);
		} else if (kind == BTF_KIND_ENUM64) {
			shift_name(s, &e64[i].name_off);
		} else if (kind == BTF_KIND_DATASEC) {
			shift_id(s, &v[i].type);
		}
	}
}

static void shift_type(const struct shift *s, struct btf_type *type)
{
	struct btf_array *array = (struct btf_array *)(type + 1);

	shift_name(s, &type->name_off);
	switch (btf_kind_of(type)) {
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_FWD:
		return;
	case BTF_KIND_ARRAY:
		shift_id(s, &array->type);
		shift_id(s, &array->index_type);
		return;
	case BTF_KIND_FUNC_PROTO:
		shift_id(s, &type->type);
		shift_parts(s, type);
		return;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_DATASEC:
		shift_parts(s, type);
		return;
	default:
		shift_id(s, &type->type);
		return;
	}
}

/* Appends a part to one type section and one string section. */
static int append(struct str *types, struct str *strs, const struct btf_types *base, const struct btf_types *part,
		  uint32_t *ids, struct err *e)
{
	struct shift s = { base->count, *ids, base->str_end, (uint32_t)strs->n };
	size_t at = types->n;
	uint32_t sum;

	if (btf_check_known(part, e))
		return -EOPNOTSUPP;
	if (__builtin_add_overflow(part->count, *ids, &sum) ||
	    __builtin_add_overflow(part->str_end, (uint32_t)strs->n, &sum) ||
	    types->n + part->types_len > UINT32_MAX / 2)
		return err_set(e, -EOVERFLOW, "BTF is too large to be merged");
	str_add(types, part->types, part->types_len);
	str_add(strs, part->strs, part->str_end - part->str_start);
	for (uint32_t i = 0; i < part->count - part->start; i++)
		shift_type(&s, (struct btf_type *)(types->p + at + part->off[i]));
	*ids += part->count - part->start;
	return 0;
}

static int dedup(struct btf_types **ret, const struct btf_types *base, const struct btf_types *all, struct err *e)
{
	LIBRARY lib = { 0 };
	const void *p;
	__u32 n;
	int err = nesting_check(all, e);

	if (!err)
		err = library_load(&lib, all, e);
	if (err)
		return err;
	err = btf__dedup(lib.btf, NULL);
	if (err)
		return err_sys(e, err, "BTF cannot be merged");
	p = btf__raw_data(lib.btf, &n);
	if (!p)
		arena_die(n);
	return btf_parse(ret, p, n, base, e);
}

/*
 * Merges several split BTFs with the same base; equal types are kept once (libbpf's btf__dedup). The caller owns *ret,
 * which needs @base. -ELOOP, -E2BIG (nesting.h), -EOVERFLOW: too many ids or strings.
 */
static int btf_merge(struct btf_types **ret, const struct btf_types *base, struct btf_types *const *parts, size_t n,
		     struct err *e)
{
	__attribute__((cleanup(btf_release))) struct btf_types *all = NULL;
	struct abi_btf_header h = { .magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(h) };
	STR types = { 0 }, strs = { 0 }, bytes = { 0 };
	uint32_t ids = 0;

	for (size_t i = 0; i < n; i++)
		if (append(&types, &strs, base, parts[i], &ids, e))
			return e->code;
	h.type_len = h.str_off = (uint32_t)types.n;
	h.str_len = (uint32_t)strs.n;
	str_add(&bytes, &h, sizeof(h));
	if (types.n)
		str_add(&bytes, types.p, types.n);
	if (strs.n)
		str_add(&bytes, strs.p, strs.n);
	if (btf_parse(&all, bytes.p, bytes.n, base, e))
		return e->code;
	return dedup(ret, base, all, e);
}

#define FILE_MAX (1ull << 30)
#define SYSFS_VMLINUX BTF_SYSFS "vmlinux"
#define FILES_MAX 64u /* with more files, the ids of all may be too many */

static int parse(const char *path, const void *p, size_t n, const struct btf_types *base, struct btf_types **ret,
		 struct err *e)
{
	const uint32_t pointer = elf_pointer(p, n);
	int err = 0;

	if (elf_is(p, n)) {
		err = elf_section(p, n, ".BTF", &p, &n);
		if (err == -ENOENT) {
			err_set(e, err, "%s has no section .BTF", path);
			err_hint(e, "compile it with -g, or add BTF with pahole -J");
			return err;
		}
		if (err)
			return err_set(e, err, "%s is a damaged object file", path);
	}
	/* Complete BTF does not need a base. */
	err = btf_parse(ret, p, n, btf_is_split(p, n) ? base : NULL, e);
	if (err && !base && btf_is_split(p, n))
		err_hint(e, "it is based on another BTF, often " SYSFS_VMLINUX ": name that with -B");
	if (err)
		err_in(e, "%s", path);
	else if (pointer)
		btf_pointers_set(*ret, pointer);
	return err;
}

static void kernel_close(void *k)
{
	kbtf_close(k);
}

/* Parses without a copy. */
static int kernel_parse(const struct kbtf *opened, struct btf_types **ret, struct err *e)
{
	ARENA mem = arena_new();
	struct kbtf *k = arena_dup(mem, opened, sizeof(*opened));
	int err;

	arena_defer(mem, kernel_close, k);
	err = btf_parse_in(ret, &mem, k->p, k->n, NULL, e);
	if (err)
		err_in(e, SYSFS_VMLINUX);
	return err;
}

static bool begins(const void *p, size_t n)
{
	uint16_t magic = 0;

	memcpy(&magic, p, n < sizeof(magic) ? 0 : sizeof(magic));
	return elf_is(p, n) || magic == BTF_MAGIC || magic == bswap_16(BTF_MAGIC);
}

static int btf_file_read(const char *path, const struct btf_types *base, struct btf_types **ret, struct err *e)
{
	STR text = { 0 };
	struct kbtf kernel;
	int err;

	if (!strcmp(path, SYSFS_VMLINUX) && !kbtf_open(&kernel))
		return kernel_parse(&kernel, ret, e);
	err = infile_read(&text, path, FILE_MAX, begins);
	if (err)
		return err_sys(e, err, "cannot read %s", path);
	return parse(path, text.p ? text.p : "", text.n, base, ret, e);
}

void btf_files_release(struct btf_files *f)
{
	btf_release(&f->own);
	btf_release(&f->base);
}

int btf_base_read(struct btf_files *ret, const char *path, struct err *e)
{
	return btf_file_read(path, NULL, &ret->base, e);
}

int btf_base_check(const char *path, struct err *e)
{
	BTF_FILES base = { 0 };

	return btf_base_read(&base, path, e);
}

struct parts {
	struct btf_types *types[FILES_MAX];
};

static void parts_release(struct parts *p)
{
	for (size_t i = 0; i < FILES_MAX; i++)
		btf_release(&p->types[i]);
}

static int several_read(struct btf_files *ret, const char *const *paths, size_t n, struct err *e)
{
	__attribute__((cleanup(parts_release))) struct parts parts = { 0 };
	int err;

	if (n > FILES_MAX)
		return err_usage(e, "more than %u files cannot be merged", FILES_MAX);
	if (!ret->base) {
		err_usage(e, "several BTF files can only be merged if they have a common base");
		err_hint(e, "name the base with -B, often " SYSFS_VMLINUX);
		return -EINVAL;
	}
	for (size_t i = 0; i < n; i++) {
		err = btf_file_read(paths[i], ret->base, &parts.types[i], e);
		if (!err && btf_start(parts.types[i]) == 1)
			err = err_set(e, -EINVAL, "%s is not based on that BTF: it cannot be merged", paths[i]);
		if (err)
			return err;
	}
	return btf_merge(&ret->own, ret->base, parts.types, n, e);
}

int btf_files_read(struct btf_files *ret, const char *const *paths, size_t n, const char *base, struct err *e)
{
	CLEAN_PTR const char **rest = calloc(n + 1, sizeof(*rest));
	size_t left = 0;
	int err = 0;

	if (!rest)
		arena_die(n * sizeof(*rest));
	for (size_t i = 0; i < n; i++) {
		if (!base && str_starts(paths[i], BTF_SYSFS))
			base = SYSFS_VMLINUX;
		/* It is already the base of all others. */
		if (strcmp(paths[i], SYSFS_VMLINUX))
			rest[left++] = paths[i];
	}
	if (n && !left) {
		rest[left++] = SYSFS_VMLINUX;
		base = NULL;
	}
	if (base)
		err = btf_base_read(ret, base, e);
	if (!err && left == 1)
		err = btf_file_read(rest[0], ret->base, &ret->own, e);
	else if (!err)
		err = several_read(ret, rest, left, e);
	if (!err)
		ret->types = ret->own;
	return err;
}
