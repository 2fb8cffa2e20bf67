/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/files.h"

#include <byteswap.h>
#include <linux/btf.h>

#include "base/base.h"
#include "base/infile.h"
#include "types/btf.h"
#include "types/merge.h"
#include "host/elf/elf.h"
#include "own/kbtf.h"

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
