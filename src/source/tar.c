/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>
#include "base/clean.h"
#include "base/err.h"
#include "base/str.h"
#include "source/source.h"
#include "source/tar.h"

#define BLOCK 512u
#define NAME_MAX_BYTES (4u * SOURCE_KEY_MAX)	/* of an escaped name, or of the record that holds it */
#define GZIP_WINDOW (15 + 16)

struct tar_header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100];
	char magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], pad[12];
};
_Static_assert(sizeof(struct tar_header) == BLOCK, "a tar header is one block");

/* The sum counts itself as blanks. */
static unsigned header_sum(const struct tar_header *h)
{
	const unsigned char *p = (const unsigned char *)h, *own = (const unsigned char *)h->sum;
	unsigned sum = sizeof(h->sum) * ' ';

	for (size_t i = 0; i < BLOCK; i++)
		sum += p[i];
	for (size_t i = 0; i < sizeof(h->sum); i++)
		sum -= own[i];
	return sum;
}

/* Names */

static bool starts_component(const char *key, const char *p)
{
	return p == key || p[-1] == '/';
}

static bool must_escape(const char *key, const char *p, bool pin)
{
	unsigned char c = (unsigned char)*p;

	if (c <= ' ' || c >= 0x7f || c == '%' || c == '\\')
		return true;
	if (c == '/')
		return (pin && p > key + 3) || p == key || p[-1] == '/' || !p[1];
	if (c != '.')
		return false;
	if (!strcmp(p, ".errno"))
		return true;
	if (!starts_component(key, p))
		return false;
	p += p[1] == '.';
	return !p[1] || p[1] == '/';
}

void tar_name_put(struct str *ret, const char *key)
{
	static const char hex[] = "0123456789ABCDEF";
	bool pin = !strncmp(key, "pin/", 4);

	for (const char *p = key; *p; p++) {
		unsigned char c = (unsigned char)*p;
		char esc[3] = { '%', hex[c >> 4], hex[c & 15] };

		if (must_escape(key, p, pin))
			str_add(ret, esc, sizeof(esc));
		else
			str_add(ret, p, 1);
	}
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int tar_name_key(struct str *ret, const char *name)
{
	for (const char *p = name; *p; p++) {
		int hi, lo;
		char c;

		if (*p != '%') {
			str_add(ret, p, 1);
			continue;
		}
		hi = hex_digit(p[1]);
		lo = hi < 0 ? -1 : hex_digit(p[2]);
		if (lo < 0)
			return -EBADMSG;
		c = (char)(hi << 4 | lo);
		if (!c)
			return -EBADMSG;
		str_add(ret, &c, 1);
		p += 2;
	}
	return 0;
}

/* Writing */

struct tar_writer {
	gzFile gz;
	int fd;			/* the same file, for fsync */
	long long mtime;
	uint64_t total;
	struct err failed;	/* the first failure; nothing is written after it */
};

int tar_writer_open(struct tar_writer **ret, int fd, struct err *e)
{
	CLEAN_PTR struct tar_writer *w = calloc(1, sizeof(*w));
	CLEAN_FD copy = -1;

	if (!w)
		return err_sys(e, -ENOMEM, "cannot write an archive");
	copy = dup(fd);
	if (copy < 0)
		return err_sys(e, -errno, "cannot write an archive");
	w->gz = gzdopen(fd, "wbe5");
	if (!w->gz)
		return err_sys(e, -ENOMEM, "cannot write an archive");
	gzbuffer(w->gz, 128 << 10);
	w->mtime = (long long)time(NULL);
	w->fd = TAKE_FD(copy);
	*ret = TAKE_PTR(w);
	return 0;
}

static void put_bytes(struct tar_writer *w, const void *p, size_t n)
{
	if (w->failed.code || !n)
		return;
	errno = 0;
	if (gzfwrite(p, 1, n, w->gz) != n)
		err_sys(&w->failed, errno ? -errno : -EIO, "cannot write");
}

static void put_member(struct tar_writer *w, char type, const char *name, const void *p, size_t n)
{
	static const char zeros[BLOCK];
	struct tar_header h = { .type = type, .magic = "ustar", .version = { '0', '0' } };
	size_t len = strlen(name);

	memcpy(h.name, name, len < sizeof(h.name) ? len : sizeof(h.name));
	memcpy(h.mode, "0000600", 8);
	memcpy(h.uid, "0000000", 8);
	memcpy(h.gid, "0000000", 8);
	snprintf(h.size, sizeof(h.size), "%011llo", (unsigned long long)n & 077777777777);
	snprintf(h.mtime, sizeof(h.mtime), "%011llo", (unsigned long long)w->mtime & 077777777777);
	snprintf(h.sum, sizeof(h.sum), "%06o", header_sum(&h) & 0777777);
	h.sum[7] = ' ';
	put_bytes(w, &h, sizeof(h));
	put_bytes(w, p, n);
	put_bytes(w, zeros, -n % BLOCK);
	w->total += BLOCK + (n + BLOCK - 1) / BLOCK * BLOCK;
}

/* A PAX record counts its own length. */
static void put_long_name(struct tar_writer *w, const char *name)
{
	size_t body = strlen(" path=\n") + strlen(name), n = body + 1;
	STR rec = { 0 };
	char digits[24];

	while ((size_t)snprintf(digits, sizeof(digits), "%zu", n) + body != n)
		n++;
	str_fmt(&rec, "%s path=%s\n", digits, name);
	put_member(w, 'x', "pax", rec.p, rec.n);
}

int tar_writer_add(struct tar_writer *w, const char *name, const void *p, size_t n, struct err *e)
{
	size_t len = strlen(name);

	if (!len || len > NAME_MAX_BYTES)
		return err_set(e, -ENAMETOOLONG, "a name of %zu bytes does not fit an archive", len);
	if (!w->failed.code && (n > ARCHIVE_MAX || w->total + n > ARCHIVE_MAX - 16 * BLOCK - NAME_MAX_BYTES))
		err_set(&w->failed, -EFBIG, "more than %llu MiB, the limit of an archive", ARCHIVE_MAX >> 20);
	if (len > sizeof(((struct tar_header *)0)->name))
		put_long_name(w, name);
	put_member(w, '0', name, p, n);
	return w->failed.code ? err_set(e, w->failed.code, "%s", w->failed.msg) : 0;
}

int tar_writer_close(struct tar_writer **ret, struct err *e)
{
	static const char zeros[2 * BLOCK];
	CLEAN_PTR struct tar_writer *w = TAKE_PTR(*ret);
	int err;

	if (!w)
		return 0;
	put_bytes(w, zeros, sizeof(zeros));
	errno = 0;
	err = gzclose(w->gz);
	if (err != Z_OK)
		err_sys(&w->failed, errno ? -errno : -EIO, "cannot write");
	if (!w->failed.code && fsync(w->fd) < 0 && errno != EINVAL && errno != EROFS)
		err_sys(&w->failed, -errno, "cannot write");
	close(w->fd);
	return w->failed.code ? err_set(e, w->failed.code, "%s", w->failed.msg) : 0;
}

/* Reading */

static int unpack_grow(struct str *s, size_t max)
{
	size_t cap = s->cap < max / 2 ? s->cap * 2 : max + 1;
	char *p = realloc(s->p, cap);

	if (!p)
		return -ENOMEM;
	s->p = p;
	s->cap = cap;
	return 0;
}

/* One gzip stream after the other, as gzip does; -EBADMSG: broken, -EFBIG: too much. */
static int unpack_streams(z_stream *z, const unsigned char *p, size_t n, size_t max, struct str *s)
{
	z->next_in = p;
	for (;;) {
		size_t left = n - (size_t)(z->next_in - p);
		uInt room;
		int ret;

		if (s->n == s->cap) {
			if (s->cap > max)
				return -EFBIG;
			if (unpack_grow(s, max))
				return -ENOMEM;
		}
		room = (uInt)(s->cap - s->n);
		z->avail_in = (uInt)(left < (1u << 30) ? left : 1u << 30);
		z->next_out = (unsigned char *)s->p + s->n;
		z->avail_out = room;
		ret = inflate(z, Z_NO_FLUSH);
		s->n += room - z->avail_out;
		left = n - (size_t)(z->next_in - p);
		if (ret == Z_STREAM_END) {
			if (!left)
				return s->n > max ? -EFBIG : 0;
			if (inflateReset(z) != Z_OK)
				return -EBADMSG;
		} else if (ret != Z_OK || (!left && z->avail_out)) {
			return ret == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
		}
	}
}

int tar_unpack(const void *p, size_t n, size_t max, unsigned char **ret, size_t *ret_n, struct err *e)
{
	const unsigned char *in = p;
	z_stream z = { 0 };
	STR s = { 0 };
	int err;

	if (n < 2 || in[0] != 0x1f || in[1] != 0x8b) {
		*ret = NULL;
		*ret_n = n;
		return 0;
	}
	if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		return err_sys(e, -ENOMEM, "cannot unpack");
	s.cap = n < (1u << 20) ? 64u << 10 : 4u << 20;
	if (s.cap > max)
		s.cap = max + 1;
	s.p = malloc(s.cap);
	err = s.p ? unpack_streams(&z, in, n, max, &s) : -ENOMEM;
	inflateEnd(&z);
	if (err == -EFBIG)
		return err_set(e, -EBADMSG, "unpacks to more than %zu MiB", max >> 20);
	if (err == -EBADMSG)
		return err_set(e, err, "broken or truncated gzip data");
	if (err)
		return err_sys(e, err, "cannot unpack");
	*ret_n = s.n;
	*ret = (unsigned char *)TAKE_PTR(s.p);
	return 0;
}

struct tar_reader {
	const unsigned char *p;
	size_t n, off;
	unsigned members;
	struct str name;	/* from a PAX or GNU record, for the next member */
	bool long_name;
	struct err *e;
};

static int broken(const struct tar_reader *r, const char *why)
{
	return err_set(r->e, -EBADMSG, "broken archive, at byte %zu: %s", r->off, why);
}

/* Octal, blanks before and NUL or blank behind it, or base-256 with the first bit set. -1: neither, or too big. */
static int64_t number(const char *field, size_t n)
{
	const unsigned char *p = (const unsigned char *)field, *end = p + n;
	int64_t v = 0;

	if (*p & 0x80) {
		v = *p++ & 0x7f;
		while (p < end && v <= (INT64_MAX >> 8))
			v = v << 8 | *p++;
		return p == end ? v : -1;
	}
	while (p < end && *p == ' ')
		p++;
	if (p == end || *p < '0' || *p > '7')
		return -1;
	while (p < end && *p >= '0' && *p <= '7')
		v = v << 3 | (*p++ - '0');
	while (p < end && (*p == ' ' || *p == '\0'))
		p++;
	return p == end ? v : -1;
}

/* Without "./" in front; NULL: not a plain relative name. */
static const char *plain_name(const char *name)
{
	const char *p;

	while (name[0] == '.' && name[1] == '/')
		name += 2;
	for (p = name; ; p++) {
		size_t n = strcspn(p, "/");

		if (!n || (p[0] == '.' && (n == 1 || (n == 2 && p[1] == '.'))))
			return NULL;
		p += n;
		if (!*p)
			break;
	}
	for (p = name; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return NULL;
	return name;
}

static int long_name(struct tar_reader *r, const unsigned char *p, size_t n)
{
	if (!n || n > NAME_MAX_BYTES || memchr(p, '\0', n))
		return broken(r, "impossible name");
	str_reset(&r->name);
	str_add(&r->name, p, n);
	r->long_name = true;
	return 0;
}

static int pax_record(struct tar_reader *r, const unsigned char *p, size_t n)
{
	if (n > 5 && !memcmp(p, "path=", 5))
		return long_name(r, p + 5, n - 5);
	if ((n >= 5 && !memcmp(p, "size=", 5)) || (n >= 11 && !memcmp(p, "GNU.sparse.", 11)))
		return broken(r, "members of this kind are not supported");
	return 0;
}

/* "LENGTH KEY=VALUE\n", where LENGTH counts all of it. */
static int pax_records(struct tar_reader *r, const unsigned char *p, size_t n)
{
	while (n) {
		size_t len = 0, i = 0;
		int err;

		for (; i < n && i < 8 && p[i] >= '0' && p[i] <= '9'; i++)
			len = len * 10 + (size_t)(p[i] - '0');
		if (!i || i == n || p[i] != ' ' || len > n || len < i + 2 || p[len - 1] != '\n')
			return broken(r, "impossible PAX record");
		err = pax_record(r, p + i + 1, len - i - 2);
		if (err)
			return err;
		p += len;
		n -= len;
	}
	return 0;
}

static int member(struct tar_reader *r, const struct tar_header *h, const unsigned char *p, size_t n, tar_member_fn *fn, void *ctx)
{
	STR own = { 0 };
	const char *name;

	if (h->type == '5' && !n) {
		r->long_name = false;
		return 0;
	}
	if (h->type != '0' && h->type != '\0' && h->type != '7')
		return broken(r, "a member that is no regular file");
	if (r->long_name) {
		str_puts(&own, r->name.p);
	} else {
		if (!memcmp(h->magic, "ustar", 6) && h->prefix[0])
			str_fmt(&own, "%.*s/", (int)sizeof(h->prefix), h->prefix);
		str_fmt(&own, "%.*s", (int)sizeof(h->name), h->name);
	}
	r->long_name = false;
	name = plain_name(own.p);
	return name ? fn(ctx, name, p, n) : broken(r, "a name that is not plain and relative");
}

/* 1: the end */
static int next(struct tar_reader *r, tar_member_fn *fn, void *ctx)
{
	static const struct tar_header end;
	const unsigned char *p = r->p + r->off;
	size_t left = r->n - r->off;
	struct tar_header h;
	int64_t size;
	int err = 0;

	if (left < BLOCK)
		return broken(r, "it ends in the middle");
	memcpy(&h, p, BLOCK);
	if (!memcmp(&h, &end, BLOCK))
		return 1;
	if (number(h.sum, sizeof(h.sum)) != header_sum(&h))
		return broken(r, "wrong checksum");
	if (++r->members > ARCHIVE_MEMBERS)
		return broken(r, "too many members");
	size = number(h.size, sizeof(h.size));
	p += BLOCK;
	left -= BLOCK;
	if (size < 0 || (uint64_t)size > left)
		return broken(r, "a member larger than the file");
	if (h.type == 'x')
		err = pax_records(r, p, (size_t)size);
	else if (h.type == 'L')
		err = long_name(r, p, strnlen((const char *)p, (size_t)size));
	else if (h.type != 'g')
		err = member(r, &h, p, (size_t)size, fn, ctx);
	size = (size + BLOCK - 1) / BLOCK * BLOCK;
	r->off += BLOCK + ((uint64_t)size < left ? (size_t)size : left);
	return err;
}

int tar_read(const void *p, size_t n, tar_member_fn *fn, void *ctx, struct err *e)
{
	struct tar_reader r = { .p = p, .n = n, .e = e };
	struct tar_header first;
	int err = 0;

	if (n < BLOCK)
		return err_set(e, -ENOEXEC, "not an archive that 'bpflens save' made");
	memcpy(&first, p, BLOCK);
	if (number(first.sum, sizeof(first.sum)) != header_sum(&first))
		return err_set(e, -ENOEXEC, "not an archive that 'bpflens save' made");
	while (!err)
		err = next(&r, fn, ctx);
	str_release(&r.name);
	return err < 0 ? err : 0;
}
