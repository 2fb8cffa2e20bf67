/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct btf_types;
#define BTF_SYSFS "/sys/kernel/btf/" /* has a file for the kernel and for each module with types */
/*
 * BTF from files of this machine: raw BTF, or the section .BTF of an object file. Files of modules in /sys/kernel/btf/
 * are based on vmlinux in the same directory.
 */
struct btf_files {
	const struct btf_types *types; /* the types of the files; one of those below */
	struct btf_types *base, *own;
};
#define BTF_FILES __attribute__((cleanup(btf_files_release))) struct btf_files

/*
 * @base: path of a base for split BTF, or NULL. Several files must be split BTF with the same base, and are merged.
 * -ENOENT, -EBADMSG, or an error of reading.
 */
int btf_files_read(struct btf_files *ret, const char *const *paths, size_t n, const char *base, struct err *e);
/* Reads only the base, for BTF from elsewhere. */
int btf_base_read(struct btf_files *ret, const char *path, struct err *e);
/* The error of btf_base_read(), for an option that a command may not need. */
int btf_base_check(const char *path, struct err *e);
void btf_files_release(struct btf_files *f);
