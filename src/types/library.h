/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct btf;
struct btf_types;
struct err;
/* Types that btf_parse() checked, as a libbpf object with its base. The bytes are copied. */
struct library {
	struct btf *btf, *base;
};
#define LIBRARY __attribute__((cleanup(library_release))) struct library

/* -EINVAL: this libbpf does not support something in it. */
int library_load(struct library *ret, const struct btf_types *t, struct err *e);
void library_release(struct library *l);
/* The reverse: parses the types of an object file that libbpf opened. *ret is NULL if @btf is NULL. */
int library_types(struct btf_types **ret, const struct btf *btf, struct err *e);
