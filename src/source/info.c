/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include "source/info.h"
#include "kernel/bpf.h"

#define AT(member) offsetof(struct abi_prog_info, member)
const struct prog_array prog_arrays[] = {
	[Q_PROG_XLATED - Q_PROG_XLATED] = { AT(xlated_prog_insns), AT(xlated_prog_len), 1, 0 },
	[Q_PROG_JITED - Q_PROG_XLATED] = { AT(jited_prog_insns), AT(jited_prog_len), 1, 0 },
	[Q_PROG_MAP_IDS - Q_PROG_XLATED] = { AT(map_ids), AT(nr_map_ids), sizeof(uint32_t), 0 },
	[Q_PROG_JITED_KSYMS - Q_PROG_XLATED] = { AT(jited_ksyms), AT(nr_jited_ksyms), sizeof(uint64_t), 0 },
	[Q_PROG_JITED_FUNC_LENS - Q_PROG_XLATED] = { AT(jited_func_lens), AT(nr_jited_func_lens), sizeof(uint32_t), 0 },
	[Q_PROG_FUNC_INFO - Q_PROG_XLATED] = { AT(func_info), AT(nr_func_info), 0, AT(func_info_rec_size) },
	[Q_PROG_LINE_INFO - Q_PROG_XLATED] = { AT(line_info), AT(nr_line_info), 0, AT(line_info_rec_size) },
	[Q_PROG_JITED_LINE_INFO -
		Q_PROG_XLATED] = { AT(jited_line_info), AT(nr_jited_line_info), 0, AT(jited_line_info_rec_size) },
	[Q_PROG_PROG_TAGS - Q_PROG_XLATED] = { AT(prog_tags), AT(nr_prog_tags), 8, 0 },
};

#define INFO_TRIES 4
#define INFO_GUESS 4096u /* bytes for a string whose length some kernels do not return */
#define INFO_BUF_MAX (256u << 20)

int info_get(struct machine *m, struct arena *a, enum object_kind kind, uint32_t id, void *info, size_t size,
	     uint32_t *ret_len)
{
	struct blob b;
	int err = ask(m, a, &b, question_of(Q_INFO, kind), id);

	if (err)
		return err;
	if (b.n > size)
		b.n = size;
	memset(info, 0, size);
	if (b.n)
		memcpy(info, b.p, b.n);
	*ret_len = (uint32_t)b.n;
	return 0;
}

static int info_explain(int err, const char *noun, uint32_t id, struct err *e)
{
	if (err == -ENOENT)
		return err_set(e, err, "no %s with id %u", noun, id);
	return err ? err_sys(e, err, "%s %u: cannot read info", noun, id) : 0;
}

int prog_info_len(struct machine *m, struct arena *a, uint32_t id, struct abi_prog_info *ret, uint32_t *ret_len,
		  struct err *e)
{
	return info_explain(info_get(m, a, OBJECT_PROG, id, ret, sizeof(*ret), ret_len), "program", id, e);
}

int prog_info(struct machine *m, struct arena *a, uint32_t id, struct abi_prog_info *ret, struct err *e)
{
	uint32_t len;

	return prog_info_len(m, a, id, ret, &len, e);
}

int prog_maps(struct machine *m, struct arena *a, uint32_t id, const struct abi_prog_info *info, const uint32_t **ret,
	      uint32_t *ret_n)
{
	struct blob ids = { 0 };
	int err = info->nr_map_ids ? ask(m, a, &ids, Q_PROG_MAP_IDS, id) : 0;

	*ret = NULL;
	*ret_n = 0;
	if (err || !info->nr_map_ids)
		return err;
	if (ids.n / sizeof(**ret) < info->nr_map_ids)
		note_refused(m, -EBADMSG, Q_PROG_MAP_IDS, id);
	*ret_n = (uint32_t)(ids.n / sizeof(**ret));
	*ret = arena_dup(a, ids.p, *ret_n * sizeof(**ret));
	return 0;
}

int map_info_len(struct machine *m, struct arena *a, uint32_t id, struct abi_map_info *ret, uint32_t *ret_len,
		 struct err *e)
{
	return info_explain(info_get(m, a, OBJECT_MAP, id, ret, sizeof(*ret), ret_len), "map", id, e);
}

int map_info(struct machine *m, struct arena *a, uint32_t id, struct abi_map_info *ret, struct err *e)
{
	uint32_t len;

	return map_info_len(m, a, id, ret, &len, e);
}

/* "16.24.0+32.24.8" */
static char *spec_print(char *p, const struct info_buf *bufs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			*p++ = '+';
		p = num_dec(p, bufs[i].ptr);
		*p++ = '.';
		p = num_dec(p, bufs[i].len);
		*p++ = '.';
		p = num_dec(p, bufs[i].elem);
	}
	*p = '\0';
	return p;
}

/* A string ends in a NUL in any case; an array is aligned for its integers. */
static struct blob buf_own(struct arena *a, const unsigned char *p, size_t n, bool string)
{
	unsigned char *copy;

	if (!n)
		return (struct blob){ (const unsigned char *)"", 0 };
	if (string)
		n = strnlen((const char *)p, n - 1) + 1;
	copy = arena_dup(a, p, n);
	if (string)
		copy[n - 1] = '\0';
	return (struct blob){ copy, n };
}

int info_bufs_get(struct machine *m, struct arena *a, enum object_kind kind, uint32_t id, const struct info_buf *bufs,
		  size_t n, struct blob *ret)
{
	char spec[INFO_BUFS * 18 + 1];
	struct blob got[INFO_BUFS], b;
	uint32_t len;
	int err;

	for (size_t i = 0; i < n; i++)
		ret[i] = (struct blob){ (const unsigned char *)"", 0 };
	if (n > INFO_BUFS)
		return -E2BIG;
	spec_print(spec, bufs, n);
	err = ask(m, a, &b, question_of(Q_BUF, kind), id, .text = spec);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		if (b.n < sizeof(len))
			return note_refused(m, -EBADMSG, question_of(Q_BUF, kind), id, .text = spec);
		memcpy(&len, b.p, sizeof(len));
		b.p += sizeof(len);
		b.n -= sizeof(len);
		if (len > b.n || (bufs[i].elem && len % bufs[i].elem))
			return note_refused(m, -EBADMSG, question_of(Q_BUF, kind), id, .text = spec);
		got[i] = buf_own(a, b.p, len, !bufs[i].elem);
		b.p += len;
		b.n -= len;
	}
	if (b.n)
		return note_refused(m, -EBADMSG, question_of(Q_BUF, kind), id, .text = spec);
	memcpy(ret, got, n * sizeof(*ret));
	return 0;
}

static const char *parse_u16(const char *p, char end, uint16_t *ret)
{
	unsigned v = 0;
	const char *start = p;

	for (; *p >= '0' && *p <= '9'; p++) {
		v = v * 10 + (unsigned)(*p - '0');
		if (v > UINT16_MAX)
			return NULL;
	}
	if (p == start || (end && *p != end))
		return NULL;
	*ret = (uint16_t)v;
	return end ? p + 1 : p;
}

int info_spec_parse(const char *spec, struct info_buf *ret, size_t *ret_n)
{
	struct info_buf bufs[INFO_BUFS];
	size_t n = 0;

	for (;;) {
		struct info_buf *b = &bufs[n];

		if (!(spec = parse_u16(spec, '.', &b->ptr)) || !(spec = parse_u16(spec, '.', &b->len)) ||
		    !(spec = parse_u16(spec, '\0', &b->elem)))
			return -EINVAL;
		n++;
		if (!*spec)
			break;
		if (*spec++ != '+' || n == INFO_BUFS)
			return -EINVAL;
	}
	memcpy(ret, bufs, n * sizeof(*ret));
	*ret_n = n;
	return 0;
}

int info_fetch(int fd, struct info_known *ret)
{
	int err;

	memset(ret->info, 0, sizeof(ret->info));
	ret->len = sizeof(ret->info);
	err = sys_object_info(fd, ret->info, &ret->len);
	if (err)
		ret->len = 0;
	return err;
}

static uint32_t info_u32(const unsigned char *info, uint16_t off)
{
	uint32_t v;

	memcpy(&v, info + off, sizeof(v));
	return v;
}

/* The buffers, and the number of elements that fit in each. A member that this kernel does not know has no buffer. */
struct info_room {
	unsigned char *p;
	uint32_t count;
};

static int info_room_make(struct info_room *room, const struct info_buf *b, const unsigned char *info,
			  uint32_t info_len, struct arena *a)
{
	uint64_t size;

	*room = (struct info_room){ 0 };
	if ((uint32_t)b->ptr + sizeof(uint64_t) > info_len || (uint32_t)b->len + sizeof(uint32_t) > info_len)
		return 0;
	room->count = info_u32(info, b->len);
	if (!b->elem && !room->count)
		room->count = INFO_GUESS;
	size = (uint64_t)room->count * (b->elem ? b->elem : 1);
	if (size > INFO_BUF_MAX)
		return -EFBIG;
	if (size)
		room->p = arena_alloc(a, (size_t)size);
	return 0;
}

/* Bytes in a filled buffer, or -1: the kernel has more now. */
static int64_t room_bytes(const struct info_room *room, const struct info_buf *b, const unsigned char *info)
{
	uint64_t ptr;
	uint32_t count;

	if (!room->p)
		return 0;
	memcpy(&ptr, info + b->ptr, sizeof(ptr));
	if (!ptr) /* the kernel refuses this member only */
		return 0;
	if (!b->elem)
		return (int64_t)strnlen((const char *)room->p, room->count - 1) + 1;
	count = info_u32(info, b->len);
	return count > room->count ? -1 : (int64_t)count * b->elem;
}

/* -EAGAIN: there is more now than in @known. */
static int bufs_try(int fd, const struct info_known *known, const struct info_buf *bufs, size_t n,
		    struct info_room *room, int64_t *bytes, struct arena *a)
{
	unsigned char info[INFO_MAX];
	uint32_t len = sizeof(info);
	int err = 0;

	for (size_t i = 0; !err && i < n; i++)
		err = info_room_make(&room[i], &bufs[i], known->info, known->len, a);
	if (err)
		return err;
	memset(info, 0, sizeof(info));
	for (size_t i = 0; i < n; i++) {
		uint64_t ptr = (uintptr_t)room[i].p;

		if (!room[i].p)
			continue;
		memcpy(info + bufs[i].ptr, &ptr, sizeof(ptr));
		memcpy(info + bufs[i].len, &room[i].count, sizeof(room[i].count));
	}
	err = sys_object_info(fd, info, &len);
	if (err)
		return err == -ENOSPC ? -EAGAIN : err;
	for (size_t i = 0; i < n; i++) {
		bytes[i] = room_bytes(&room[i], &bufs[i], info);
		if (bytes[i] < 0)
			return -EAGAIN;
	}
	return 0;
}

int info_fetch_bufs(int fd, struct info_known *known, const struct info_buf *bufs, size_t n, struct arena *a,
		    struct blob *ret)
{
	struct info_room room[INFO_BUFS];
	int64_t bytes[INFO_BUFS];
	size_t total = 0;
	unsigned char *out, *p;
	int err = -EAGAIN;

	for (int i = 0; i < INFO_TRIES && err == -EAGAIN; i++) {
		err = i || !known->len ? info_fetch(fd, known) : 0;
		if (!err)
			err = bufs_try(fd, known, bufs, n, room, bytes, a);
	}
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		total += sizeof(uint32_t) + (size_t)bytes[i];
	out = p = arena_alloc(a, total);
	for (size_t i = 0; i < n; i++) {
		uint32_t len = (uint32_t)bytes[i];

		memcpy(p, &len, sizeof(len));
		p += sizeof(len);
		if (len)
			memcpy(p, room[i].p, len);
		p += len;
	}
	*ret = (struct blob){ out, total };
	return 0;
}

bool fdinfo_u64(struct blob fdinfo, const char *key, uint64_t *ret)
{
	const char *start = (const char *)fdinfo.p, *end = fdinfo.n ? start + fdinfo.n : start;
	const size_t klen = strlen(key);

	for (const char *p = start; p < end && (p = memmem(p, (size_t)(end - p), key, klen)); p += klen) {
		const char *value = p + klen + 1;
		char num[32];
		size_t len = 0;

		if ((p > start && p[-1] != '\n') || value > end || value[-1] != ':')
			continue;
		while (value < end && (*value == ' ' || *value == '\t'))
			value++;
		for (; value < end && !strchr(" \t\n", *value) && len < sizeof(num) - 1; value++)
			num[len++] = *value;
		num[len] = '\0';
		return !num_parse_u64(num, ret);
	}
	return false;
}
