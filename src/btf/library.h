/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_LIBRARY_H
#define BTF_LIBRARY_H

struct btf;
struct btf_types;
struct err;
/* Types that btf_parse() has checked, as libbpf's own object, with its base. It copies. */
struct library {
	struct btf *btf, *base;
};
#define LIBRARY __attribute__((cleanup(library_release))) struct library

/* -EINVAL: this libbpf does not know something in it. */
int library_load(struct library *ret, const struct btf_types *t, struct err *e);
void library_release(struct library *l);
/* The other way round: types that libbpf made, of an object that it opened. *ret is NULL for NULL. */
int library_types(struct btf_types **ret, const struct btf *btf, struct err *e);

#endif
