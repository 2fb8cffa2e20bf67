/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clean.h"
#include "kernel/abi.h"
#include "own/kbtf.h"

#define KBTF_WANTS 32
#define KBTF_MAX (256u << 20)
#define KBTF_PATH "/sys/kernel/btf/vmlinux"

struct walk {
	const unsigned char *types, *end;
	const char *strs;
	uint32_t str_len;
	const struct kbtf_want *want;
	size_t n_want;
	uint32_t found;			/* a bit for each want */
	unsigned off[KBTF_WANTS][KBTF_MEMBERS];
	const char *func;
	uint32_t func_id;		/* 0: not found */
};

/* Bytes that follow a type's header, by kind: so many, and so many for each of its vlen. */
static const struct { unsigned char fixed, each; } tails[] = {
	[1] = { 4, 0 },		/* INT */
	[2] = { 0, 0 },		/* PTR */
	[3] = { 12, 0 },	/* ARRAY */
	[4] = { 0, 12 },	/* STRUCT */
	[5] = { 0, 12 },	/* UNION */
	[6] = { 0, 8 },		/* ENUM */
	[7] = { 0, 0 },		/* FWD */
	[8] = { 0, 0 },		/* TYPEDEF */
	[9] = { 0, 0 },		/* VOLATILE */
	[10] = { 0, 0 },	/* CONST */
	[11] = { 0, 0 },	/* RESTRICT */
	[12] = { 0, 0 },	/* FUNC */
	[13] = { 0, 8 },	/* FUNC_PROTO */
	[14] = { 4, 0 },	/* VAR */
	[15] = { 0, 12 },	/* DATASEC */
	[16] = { 0, 0 },	/* FLOAT */
	[17] = { 4, 0 },	/* DECL_TAG */
	[18] = { 0, 0 },	/* TYPE_TAG */
	[19] = { 0, 12 },	/* ENUM64 */
};

static const char *name_at(const struct walk *w, uint32_t off)
{
	return off < w->str_len ? w->strs + off : "";
}

/* Byte offset of a member that is no bit field; false: no such member. */
static bool member_offset(const struct walk *w, const struct btf_type *t, const char *name, unsigned *ret)
{
	const struct btf_member *m = (const void *)(t + 1);

	for (unsigned i = 0; i < ABI_BTF_VLEN(t->info); i++) {
		uint32_t bits = m[i].offset;

		if (strcmp(name_at(w, m[i].name_off), name))
			continue;
		if (BTF_INFO_KFLAG(t->info)) {
			if (BTF_MEMBER_BITFIELD_SIZE(bits))
				return false;
			bits = BTF_MEMBER_BIT_OFFSET(bits);
		}
		*ret = bits / 8;
		return true;
	}
	return false;
}

static void take_struct(struct walk *w, const struct btf_type *t)
{
	const char *name = name_at(w, t->name_off);

	for (size_t i = 0; i < w->n_want; i++) {
		const struct kbtf_want *want = &w->want[i];
		unsigned n = 0;

		if (strcmp(name, want->type) || w->found & 1u << i)
			continue;
		while (n < KBTF_MEMBERS && want->member[n].name &&
		       member_offset(w, t, want->member[n].name, &w->off[i][n]))
			n++;
		if (n == KBTF_MEMBERS || !want->member[n].name)
			w->found |= 1u << i;
	}
}

static int walk_types(struct walk *w)
{
	const unsigned char *p = w->types;

	for (uint32_t id = 1; p < w->end; id++) {
		const struct btf_type *t = (const void *)p;
		size_t left = (size_t)(w->end - p), size;
		unsigned kind;

		if (left < sizeof(*t))
			return -EBADMSG;
		kind = ABI_BTF_KIND(t->info);
		if (!kind || kind >= ARRAY_SIZE(tails))
			return -EBADMSG;
		size = sizeof(*t) + tails[kind].fixed + (size_t)tails[kind].each * ABI_BTF_VLEN(t->info);
		if (left < size)
			return -EBADMSG;
		if (kind == BTF_KIND_STRUCT)
			take_struct(w, t);
		else if (kind == BTF_KIND_FUNC && w->func && !w->func_id && !strcmp(name_at(w, t->name_off), w->func))
			w->func_id = id;
		p += size;
	}
	return 0;
}

static int header_read(struct walk *w, const void *p, size_t n)
{
	const struct abi_btf_header *h = p;
	const unsigned char *base;
	size_t body;

	if (n < sizeof(*h) || h->magic != BTF_MAGIC || h->version != BTF_VERSION || h->hdr_len < sizeof(*h) ||
	    h->hdr_len > n || h->hdr_len % 4 || h->type_off % 4)
		return -EBADMSG;
	base = (const unsigned char *)p + h->hdr_len;
	body = n - h->hdr_len;
	if (h->type_off > body || h->type_len > body - h->type_off ||
	    h->str_off > body || h->str_len > body - h->str_off || !h->str_len)
		return -EBADMSG;
	w->types = base + h->type_off;
	w->end = w->types + h->type_len;
	w->strs = (const char *)base + h->str_off;
	w->str_len = h->str_len;
	return w->strs[w->str_len - 1] ? -EBADMSG : 0;
}

int kbtf_find(const void *p, size_t n, const struct kbtf_want *want, size_t n_want, const char *func,
	      uint32_t *func_id, uint32_t *missing)
{
	struct walk w = { .want = want, .n_want = n_want, .func = func };
	uint32_t absent = 0;
	int err;

	err = n_want > KBTF_WANTS ? -EINVAL : header_read(&w, p, n);
	if (!err)
		err = walk_types(&w);
	if (err)
		return err;
	for (size_t i = 0; i < n_want; i++) {
		if (w.found & 1u << i)
			continue;
		if (!want[i].optional)
			return -ENOENT;
		absent |= 1u << i;
	}
	if (func && !w.func_id)
		return -ENOENT;
	for (size_t i = 0; i < n_want; i++)
		for (size_t m = 0; w.found & 1u << i && m < KBTF_MEMBERS && want[i].member[m].name; m++)
			*want[i].member[m].off = w.off[i][m];
	if (func)
		*func_id = w.func_id;
	if (missing)
		*missing = absent;
	return 0;
}

static int read_whole(int fd, void *buf, size_t n)
{
	size_t got = 0;

	while (got < n) {
		ssize_t r = read(fd, (char *)buf + got, n - got);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return r ? -errno : -EBADMSG;
		got += (size_t)r;
	}
	return 0;
}

int kbtf_open(struct kbtf *k)
{
	CLEAN_FD fd = open(KBTF_PATH, O_RDONLY | O_CLOEXEC);
	CLEAN_PTR void *buf = NULL;
	struct stat st;
	void *p;
	int err;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (st.st_size <= 0 || st.st_size > KBTF_MAX)
		return -EFBIG;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (p != MAP_FAILED) {
		*k = (struct kbtf){ p, (size_t)st.st_size, true };
		return 0;
	}
	buf = malloc((size_t)st.st_size);
	if (!buf)
		return -ENOMEM;
	err = read_whole(fd, buf, (size_t)st.st_size);
	if (!err)
		*k = (struct kbtf){ TAKE_PTR(buf), (size_t)st.st_size, false };
	return err;
}

void kbtf_close(struct kbtf *k)
{
	if (k->mapped)
		munmap(k->p, k->n);
	else
		free(k->p);
	*k = (struct kbtf){0};
}
