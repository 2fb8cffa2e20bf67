/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <linux/btf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "kernel/abi.h"
#include "kernel/btf_kinds.h"
#include "own/kbtf.h"

#define KBTF_MAX (256u << 20)
#define KBTF_PATH "/sys/kernel/btf/vmlinux"

#define NESTED 4 /* most levels of nested unnamed structs */

struct kbtf_walk {
	const unsigned char *types, *end;
	const char *strs;
	uint32_t str_len;
	struct btf_layouts layouts;
	const struct kbtf_want *want;
	size_t n_want;
	int found[KBTF_WANTS];	       /* offset or id; -1: not found */
	bool complete[KBTF_WANTS];     /* its struct or function was found */
	size_t left;		       /* wants that are not complete */
	bool begins[256];	       /* is a name with this kbtf_hash() wanted? */
	const struct btf_type **by_id; /* built at the first unnamed member */
	uint32_t n_ids;
};

static const char *name_at(const struct kbtf_walk *w, uint32_t off)
{
	return off < w->str_len ? w->strs + off : "";
}

/* Bytes of a type with what follows it, before the end of the section; 0: damaged, or of an unknown kind. */
static size_t type_size(const struct kbtf_walk *w, const unsigned char *p)
{
	size_t left = (size_t)(w->end - p);
	size_t size = left < sizeof(struct btf_type) ? 0 : btf_type_bytes((const void *)p, &w->layouts);

	return size > left || size % sizeof(uint32_t) ? 0 : size;
}

/* The walk has checked the types before its own position; those after it are checked here. */
static const struct btf_type *type_at(struct kbtf_walk *w, uint32_t id)
{
	const unsigned char *p = w->types;
	size_t size;

	if (!w->by_id) {
		w->by_id = malloc((size_t)(w->end - w->types) / sizeof(struct btf_type) * sizeof(*w->by_id));
		for (; w->by_id && p < w->end; p += size) {
			size = type_size(w, p);
			if (!size)
				break;
			w->by_id[w->n_ids++] = (const void *)p;
		}
	}
	return id && id <= w->n_ids ? w->by_id[id - 1] : NULL;
}

static bool is_struct(const struct btf_type *t)
{
	return ABI_BTF_KIND(t->info) == BTF_KIND_STRUCT || ABI_BTF_KIND(t->info) == BTF_KIND_UNION;
}

/* Bit offset of a member; -1: no such member, or an unwanted bit field. */
static int member_offset(struct kbtf_walk *w, const struct btf_type *t, const struct kbtf_want *want, unsigned nested)
{
	const struct btf_member *m = (const void *)(t + 1);
	const bool kflag = BTF_INFO_KFLAG(t->info);

	for (unsigned i = 0; i < ABI_BTF_VLEN(t->info); i++) {
		if (!m[i].name_off || strcmp(name_at(w, m[i].name_off), want->member))
			continue;
		if (!want->bits && kflag && BTF_MEMBER_BITFIELD_SIZE(m[i].offset))
			return -1;
		return (int)(kflag ? BTF_MEMBER_BIT_OFFSET(m[i].offset) : m[i].offset);
	}
	for (unsigned i = 0; nested && i < ABI_BTF_VLEN(t->info); i++) {
		const struct btf_type *inner = m[i].name_off ? NULL : type_at(w, m[i].type);
		int off = inner && is_struct(inner) ? member_offset(w, inner, want, nested - 1) : -1;

		if (off >= 0)
			return off + (int)(kflag ? BTF_MEMBER_BIT_OFFSET(m[i].offset) : m[i].offset);
	}
	return -1;
}

static unsigned char kbtf_hash(const char *name)
{
	unsigned h = (unsigned char)name[0];

	for (unsigned i = 1; i < 4 && name[i - 1]; i++)
		h = h * 31 + (unsigned char)name[i];
	return (unsigned char)(h ^ h >> 8);
}

static bool same_type(const struct kbtf_want *a, const struct kbtf_want *b)
{
	return a->type && a->member && b->type && b->member && !strcmp(a->type, b->type);
}

/* @t has the name of @first and of later wants. If it has all their required members, these wants are complete. */
static void struct_match(struct kbtf_walk *w, size_t first, const struct btf_type *t)
{
	int off[KBTF_WANTS];

	for (size_t i = first; i < w->n_want; i++) {
		if (!same_type(&w->want[first], &w->want[i]))
			continue;
		off[i] = member_offset(w, t, &w->want[i], NESTED);
		if (off[i] >= 0 && !w->want[i].bits)
			off[i] /= 8;
		if (off[i] < 0 && !w->want[i].optional)
			return;
	}
	for (size_t i = first; i < w->n_want; i++) {
		if (!same_type(&w->want[first], &w->want[i]))
			continue;
		w->found[i] = off[i];
		w->complete[i] = true;
		w->left--;
	}
}

/* May a type of this kind be the wanted one? */
static bool kind_fits(const struct kbtf_want *want, unsigned kind)
{
	if (!want->type)
		return kind == BTF_KIND_FUNC;
	return kind == BTF_KIND_STRUCT || (kind == BTF_KIND_TYPEDEF && !want->member);
}

static void type_match(struct kbtf_walk *w, uint32_t id, const struct btf_type *t)
{
	const unsigned kind = ABI_BTF_KIND(t->info);
	bool matched = false;
	const char *name;

	if (kind != BTF_KIND_STRUCT && kind != BTF_KIND_FUNC && kind != BTF_KIND_TYPEDEF)
		return;
	name = name_at(w, t->name_off);
	for (size_t i = 0; w->begins[kbtf_hash(name)] && i < w->n_want; i++) {
		const struct kbtf_want *want = &w->want[i];

		if (w->complete[i] || !kind_fits(want, kind) || strcmp(name, want->type ? want->type : want->member))
			continue;
		if (want->type && want->member) {
			/* struct_match() handles all wants with this name. */
			if (!matched)
				struct_match(w, i, t);
			matched = true;
			continue;
		}
		w->found[i] = (int)id;
		w->complete[i] = true;
		w->left--;
	}
}

static int kbtf_types_walk(struct kbtf_walk *w)
{
	const unsigned char *p = w->types;
	size_t size;

	for (uint32_t id = 1; p < w->end && w->left; id++, p += size) {
		size = type_size(w, p);
		if (!size)
			return -EBADMSG;
		type_match(w, id, (const void *)p);
	}
	return 0;
}

static int btf_header_read(struct kbtf_walk *w, const void *p, size_t n)
{
	const struct abi_btf_header *h = p;
	const unsigned char *base;
	size_t body;

	if (n < sizeof(*h) || h->magic != BTF_MAGIC || h->version != BTF_VERSION || h->hdr_len < sizeof(*h) ||
	    h->hdr_len > n || h->hdr_len % 4 || h->type_off % 4)
		return -EBADMSG;
	base = (const unsigned char *)p + h->hdr_len;
	body = n - h->hdr_len;
	if (h->type_off > body || h->type_len > body - h->type_off || h->str_off > body ||
	    h->str_len > body - h->str_off || !h->str_len)
		return -EBADMSG;
	w->types = base + h->type_off;
	w->end = w->types + h->type_len;
	w->strs = (const char *)base + h->str_off;
	w->str_len = h->str_len;
	return w->strs[w->str_len - 1] ? -EBADMSG : btf_layouts_find(p, n, false, &w->layouts);
}

int kbtf_find(const void *p, size_t n, const struct kbtf_want *want, size_t n_want)
{
	struct kbtf_walk w = { .want = want, .n_want = n_want, .left = n_want };
	int err = n_want > KBTF_WANTS ? -EINVAL : btf_header_read(&w, p, n);

	memset(w.found, -1, sizeof(w.found));
	for (size_t i = 0; !err && i < n_want; i++)
		w.begins[kbtf_hash(want[i].type ? want[i].type : want[i].member)] = true;
	if (!err)
		err = kbtf_types_walk(&w);
	free(w.by_id);
	for (size_t i = 0; !err && i < n_want; i++)
		if (w.found[i] < 0 && !want[i].optional)
			err = -ENOENT;
	for (size_t i = 0; !err && i < n_want; i++)
		*want[i].ret = w.found[i];
	return err;
}

int kbtf_ask(const struct kbtf_want *want, size_t n_want)
{
	KBTF btf = { 0 };

	return kbtf_ask_in(&btf, want, n_want);
}

int kbtf_ask_in(struct kbtf *k, const struct kbtf_want *want, size_t n_want)
{
	int err = n_want && !k->p ? kbtf_open(k) : 0;

	return err || !n_want ? err : kbtf_find(k->p, k->n, want, n_want);
}

int kbtf_tagged(const struct kbtf *k, const char *tag, struct kbtf_func *ret, size_t max)
{
	struct kbtf_walk w = { 0 };
	int n = 0, err = btf_header_read(&w, k->p, k->n);
	size_t size;

	for (const unsigned char *p = w.types; !err && p < w.end; p += size) {
		const struct btf_type *t = (const void *)p, *func;

		size = type_size(&w, p);
		if (!size)
			err = -EBADMSG;
		if (err || ABI_BTF_KIND(t->info) != BTF_KIND_DECL_TAG || strcmp(name_at(&w, t->name_off), tag) != 0)
			continue;
		func = type_at(&w, t->type);
		if (func && ABI_BTF_KIND(func->info) == BTF_KIND_FUNC && (size_t)n++ < max)
			ret[n - 1] = (struct kbtf_func){ name_at(&w, func->name_off), t->type };
	}
	free(w.by_id);
	return err ? err : n;
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
	*k = (struct kbtf){ 0 };
}
