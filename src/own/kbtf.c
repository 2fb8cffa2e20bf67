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

/* All types, by number: the walk that finds where each one begins is as long as the search for names in it. */
struct kbtf_types {
	const unsigned char *begin, *end;
	const char *strs;
	uint32_t str_len;
	struct btf_layouts layouts;
	const struct btf_type **by_id;
	unsigned char *hash; /* kbtf_hash() of the name of each */
	uint32_t n_ids;
	bool damaged; /* after the last one */
};

struct kbtf_walk {
	const struct kbtf_types *types;
	const struct kbtf_want *want;
	size_t n_want;
	int found[KBTF_WANTS];	   /* offset or id; -1: not found */
	bool complete[KBTF_WANTS]; /* its struct or function was found */
	size_t left;		   /* wants that are not complete */
	bool begins[256];	   /* is a name with this kbtf_hash() wanted? */
};

static const char *name_at(const struct kbtf_types *t, uint32_t off)
{
	return off < t->str_len ? t->strs + off : "";
}

/* Bytes of a type with what follows it, before the end of the section; 0: damaged, or of an unknown kind. */
static size_t type_size(const struct kbtf_types *t, const unsigned char *p)
{
	size_t left = (size_t)(t->end - p);
	size_t size = left < sizeof(struct btf_type) ? 0 : btf_type_bytes((const void *)p, &t->layouts);

	return size > left || size % sizeof(uint32_t) ? 0 : size;
}

static const struct btf_type *type_at(const struct kbtf_types *t, uint32_t id)
{
	return id && id <= t->n_ids ? t->by_id[id - 1] : NULL;
}

static bool is_struct(const struct btf_type *t)
{
	return ABI_BTF_KIND(t->info) == BTF_KIND_STRUCT || ABI_BTF_KIND(t->info) == BTF_KIND_UNION;
}

/* Bit offset of a member; -1: no such member, or an unwanted bit field. */
static int member_offset(const struct kbtf_types *all, const struct btf_type *t, const struct kbtf_want *want,
			 unsigned nested)
{
	const struct btf_member *m = (const void *)(t + 1);
	const bool kflag = BTF_INFO_KFLAG(t->info);

	for (unsigned i = 0; i < ABI_BTF_VLEN(t->info); i++) {
		if (!m[i].name_off || strcmp(name_at(all, m[i].name_off), want->member))
			continue;
		if (!want->bits && kflag && BTF_MEMBER_BITFIELD_SIZE(m[i].offset))
			return -1;
		return (int)(kflag ? BTF_MEMBER_BIT_OFFSET(m[i].offset) : m[i].offset);
	}
	for (unsigned i = 0; nested && i < ABI_BTF_VLEN(t->info); i++) {
		const struct btf_type *inner = m[i].name_off ? NULL : type_at(all, m[i].type);
		int off = inner && is_struct(inner) ? member_offset(all, inner, want, nested - 1) : -1;

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
		off[i] = member_offset(w->types, t, &w->want[i], NESTED);
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
	const char *name = name_at(w->types, t->name_off);
	bool matched = false;

	for (size_t i = 0; i < w->n_want; i++) {
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

static int header_read(struct kbtf_types *t, const void *p, size_t n)
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
	t->begin = base + h->type_off;
	t->end = t->begin + h->type_len;
	t->strs = (const char *)base + h->str_off;
	t->str_len = h->str_len;
	return t->strs[t->str_len - 1] ? -EBADMSG : btf_layouts_find(p, n, false, &t->layouts);
}

static void types_free(struct kbtf_types *t)
{
	if (t) {
		free(t->by_id);
		free(t->hash);
	}
	free(t);
}

static int types_new(struct kbtf_types **ret, const void *p, size_t n)
{
	struct kbtf_types *t = calloc(1, sizeof(*t));
	int err = t ? header_read(t, p, n) : -ENOMEM;
	size_t most = err ? 0 : (size_t)(t->end - t->begin) / sizeof(struct btf_type), size;

	if (!err) {
		t->by_id = malloc((most + 1) * sizeof(*t->by_id));
		t->hash = malloc(most + 1);
		err = t->by_id && t->hash ? 0 : -ENOMEM;
	}
	for (const unsigned char *at = t ? t->begin : NULL; !err && at < t->end; at += size) {
		const struct btf_type *type = (const void *)at;

		size = type_size(t, at);
		if (!size) {
			t->damaged = true;
			break;
		}
		t->hash[t->n_ids] = kbtf_hash(name_at(t, type->name_off));
		t->by_id[t->n_ids++] = type;
	}
	if (err)
		types_free(t);
	else
		*ret = t;
	return err;
}

static int types_find(const struct kbtf_types *t, const struct kbtf_want *want, size_t n_want)
{
	struct kbtf_walk w = { .types = t, .want = want, .n_want = n_want, .left = n_want };
	int err = n_want > KBTF_WANTS ? -EINVAL : 0;

	memset(w.found, -1, sizeof(w.found));
	for (size_t i = 0; !err && i < n_want; i++)
		w.begins[kbtf_hash(want[i].type ? want[i].type : want[i].member)] = true;
	for (uint32_t i = 0; !err && i < t->n_ids && w.left; i++)
		if (w.begins[t->hash[i]])
			type_match(&w, i + 1, t->by_id[i]);
	if (!err && w.left && t->damaged)
		err = -EBADMSG;
	for (size_t i = 0; !err && i < n_want; i++)
		if (w.found[i] < 0 && !want[i].optional)
			err = -ENOENT;
	for (size_t i = 0; !err && i < n_want; i++)
		*want[i].ret = w.found[i];
	return err;
}

int kbtf_find(const void *p, size_t n, const struct kbtf_want *want, size_t n_want)
{
	struct kbtf_types *t = NULL;
	int err = types_new(&t, p, n);

	if (!err)
		err = types_find(t, want, n_want);
	types_free(t);
	return err;
}

int kbtf_ask(const struct kbtf_want *want, size_t n_want)
{
	KBTF btf = { 0 };

	return kbtf_ask_in(&btf, want, n_want);
}

/* Open what is not yet open. */
static int types_open(struct kbtf *k)
{
	int err = k->p ? 0 : kbtf_open(k);

	return err || k->types ? err : types_new(&k->types, k->p, k->n);
}

int kbtf_ask_in(struct kbtf *k, const struct kbtf_want *want, size_t n_want)
{
	int err = n_want ? types_open(k) : 0;

	return err || !n_want ? err : types_find(k->types, want, n_want);
}

int kbtf_tagged(struct kbtf *k, const char *tag, struct kbtf_func *ret, size_t max)
{
	int n = 0, err = types_open(k);

	if (err)
		return err;
	for (uint32_t i = 0; i < k->types->n_ids; i++) {
		const struct btf_type *t = k->types->by_id[i], *func;

		if (ABI_BTF_KIND(t->info) != BTF_KIND_DECL_TAG || strcmp(name_at(k->types, t->name_off), tag) != 0)
			continue;
		func = type_at(k->types, t->type);
		if (func && ABI_BTF_KIND(func->info) == BTF_KIND_FUNC && (size_t)n++ < max)
			ret[n - 1] = (struct kbtf_func){ name_at(k->types, func->name_off), t->type };
	}
	return k->types->damaged ? -EBADMSG : n;
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
		*k = (struct kbtf){ .p = p, .n = (size_t)st.st_size, .mapped = true };
		return 0;
	}
	buf = malloc((size_t)st.st_size);
	if (!buf)
		return -ENOMEM;
	err = read_whole(fd, buf, (size_t)st.st_size);
	if (!err)
		*k = (struct kbtf){ .p = TAKE_PTR(buf), .n = (size_t)st.st_size };
	return err;
}

void kbtf_close(struct kbtf *k)
{
	types_free(k->types);
	if (k->mapped)
		munmap(k->p, k->n);
	else
		free(k->p);
	*k = (struct kbtf){ 0 };
}
