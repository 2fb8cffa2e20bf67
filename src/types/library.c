/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/library.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>

#include "types/types.h"

/* libbpf does not export btf__new_split() before 1.3, but can read split BTF from a file. */
static struct btf *split_new(const char *p, size_t size, struct btf *base)
{
	CLEAN_FD fd = memfd_create("btf", MFD_CLOEXEC);
	char path[64];
	size_t done = 0;
	ssize_t n;

	while (fd >= 0 && done < size) {
		n = write(fd, p + done, size - done);
		if (n < 0 && errno != EINTR)
			return NULL;
		done += n > 0 ? (size_t)n : 0;
	}
	if (fd < 0)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return btf__parse_raw_split(path, base);
}

static int one_load(const struct btf_types *t, struct btf *base, struct btf **ret, struct err *e)
{
	ARENA a = arena_new();
	size_t n;
	const void *p = btf_bytes(t, a, &n);
	struct btf *btf = base ? split_new(p, n, base) : btf__new(p, (__u32)n);
	int err = (int)libbpf_get_error(btf);

	if (err)
		return err_sys(e, err, "libbpf cannot read this BTF");
	*ret = btf;
	return 0;
}

int library_load(struct library *ret, const struct btf_types *t, struct err *e)
{
	int err = 0;

	/* libbpf needs every type, and the layout section is not passed on. */
	if (btf_check_known(t, e))
		return -EOPNOTSUPP;
	if (t->base && t->base->base)
		return err_set(e, -EINVAL, "the base of this BTF has a base itself");
	if (t->base)
		err = one_load(t->base, NULL, &ret->base, e);
	return err ? err : one_load(t, ret->base, &ret->btf, e);
}

void library_release(struct library *l)
{
	btf__free(l->btf);
	btf__free(l->base);
}

int library_types(struct btf_types **ret, const struct btf *btf, struct err *e)
{
	uint32_t n;
	const void *raw = btf ? btf__raw_data(btf, &n) : NULL;

	*ret = NULL;
	if (!btf)
		return 0;
	return raw ? btf_parse(ret, raw, n, NULL, e) : err_sys(e, -ENOMEM, "cannot read its types");
}
