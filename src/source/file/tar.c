/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/file/tar.h"

#include "base/infile.h"
#include "host/elf/elf.h"
#include "kernel/perf/data.h"
#include "source/file/archive.h"

#define EXTRA_MAX (TAR_NAME_MAX + 4096) /* contents of a PAX or GNU header */

/* The sum counts itself as blanks. */
unsigned tar_header_sum(const struct tar_header *h)
{
	const unsigned char *p = (const unsigned char *)h, *own = (const unsigned char *)h->sum;
	unsigned sum = sizeof(h->sum) * ' ';

	for (size_t i = 0; i < TAR_BLOCK; i++)
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

/* Reading */

static int broken(const struct tar_reader *r, const char *why)
{
	return err_set(r->e, -EBADMSG, "damaged archive, at byte %llu: %s", llu(r->at), why);
}

/* Octal, after blanks and before a NUL or blank; or base-256 with the first bit set. -1: neither, or too large. */
static int64_t octal_parse(const char *field, size_t n)
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

/* Without a leading "./"; NULL: not a plain relative name. */
static const char *plain_name(const char *name)
{
	const char *p;

	while (name[0] == '.' && name[1] == '/')
		name += 2;
	for (p = name;; p++) {
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

bool tar_header_is(const struct tar_header *h)
{
	return octal_parse(h->sum, sizeof(h->sum)) == tar_header_sum(h);
}

static int long_name(struct tar_reader *r, const char *p, size_t n)
{
	if (!n || n > TAR_NAME_MAX || memchr(p, '\0', n))
		return broken(r, "impossible name");
	str_reset(&r->name);
	str_add(&r->name, p, n);
	r->long_name = true;
	return 0;
}

static int comment(struct tar_reader *r, const char *p, size_t n)
{
	static const char key[] = "crc32=";
	const size_t len = sizeof(key) - 1;

	while (n) {
		const char *blank = memchr(p, ' ', n);
		size_t word = blank ? (size_t)(blank - p) : n;

		if (word > len && !memcmp(p, key, len)) {
			char text[16] = "";

			memcpy(text, p + len, word - len < sizeof(text) ? word - len : 0);
			if (num_parse_u32(text, &r->crc32))
				return broken(r, "impossible checksum");
			r->summed = true;
		}
		word += blank != NULL;
		p += word;
		n -= word;
	}
	return 0;
}

static int pax_record(struct tar_reader *r, const char *p, size_t n)
{
	if (n > 5 && !memcmp(p, "path=", 5))
		return long_name(r, p + 5, n - 5);
	if (n > 8 && !memcmp(p, "comment=", 8))
		return comment(r, p + 8, n - 8);
	if ((n >= 5 && !memcmp(p, "size=", 5)) || (n >= 11 && !memcmp(p, "GNU.sparse.", 11)))
		return broken(r, "members of this kind are not supported");
	return 0;
}

/* "LENGTH KEY=VALUE\n"; LENGTH is that of the whole record. */
static int pax_records(struct tar_reader *r, const char *p, size_t n)
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

static int member_begin(struct tar_reader *r, uint64_t size)
{
	struct tar_member m = { .size = size, .summed = r->summed, .crc32 = r->crc32 };
	const struct tar_header *h = &r->header;

	if (!r->long_name) {
		str_reset(&r->name);
		if (!memcmp(h->magic, "ustar", 6) && h->prefix[0])
			str_fmt(&r->name, "%.*s/", (int)sizeof(h->prefix), h->prefix);
		str_fmt(&r->name, "%.*s", (int)sizeof(h->name), h->name);
	}
	r->long_name = r->summed = false;
	m.name = plain_name(r->name.p);
	if (!m.name)
		return broken(r, "a name that is not a plain relative path");
	return r->sink->begin(r->ctx, &m);
}

/* The state for the bytes after the header, or -errno. */
static int header_state(struct tar_reader *r, uint64_t size)
{
	char type = r->header.type;
	int err;

	if (type == 'x' || type == 'L') {
		str_reset(&r->extra);
		return size > EXTRA_MAX ? broken(r, type == 'x' ? "impossible PAX record" : "impossible name") :
					  TAR_EXTRA;
	}
	if (type == 'g')
		return TAR_SKIP;
	if (type == '5' && !size) {
		r->long_name = r->summed = false;
		return TAR_SKIP;
	}
	if (type != '0' && type != '\0' && type != '7')
		return broken(r, "a member that is not a regular file");
	err = member_begin(r, size);
	return err ? err : TAR_BYTES;
}

/* The end of a member's bytes. */
static int contents_end(struct tar_reader *r)
{
	int state = r->state;

	r->state = TAR_PADDING;
	r->left = r->padding;
	if (state == TAR_BYTES)
		return r->sink->end(r->ctx);
	if (state != TAR_EXTRA)
		return 0;
	str_add(&r->extra, "", 0);
	if (r->header.type == 'x')
		return pax_records(r, r->extra.p, r->extra.n);
	return long_name(r, r->extra.p, strnlen(r->extra.p, r->extra.n));
}

/* The hint names what reads such a file. */
static int not_ours(struct tar_reader *r)
{
	static const struct {
		infile_begins *begins;
		const char *hint;
	} others[] = {
		{ elf_is, "an object file: `object FILE` shows what is in it" },
		{ perf_data_is,
		  "a file of perf: `info FILE` says what it is, `report RECORDING --perf FILE` shows its samples" },
	};
	const int err = err_set(r->e, -ENOEXEC, "not a file that 'bpflens save' or 'record' made");

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].begins(&r->header, sizeof(r->header)))
			err_hint(r->e, "%s", others[i].hint);
	return err;
}

static int header(struct tar_reader *r)
{
	static const struct tar_header end;
	int64_t size;
	int state;

	if (r->at && !memcmp(&r->header, &end, TAR_BLOCK)) {
		r->ended = true;
		return 0;
	}
	if (!tar_header_is(&r->header))
		return r->at ? broken(r, "wrong checksum") : not_ours(r);
	if (++r->members > 2 * ARCHIVE_MEMBERS)
		return broken(r, "too many members");
	size = octal_parse(r->header.size, sizeof(r->header.size));
	if (size < 0 || (uint64_t)size > ARCHIVE_MAX)
		return broken(r, "a member larger than the limit of an archive");
	state = header_state(r, (uint64_t)size);
	if (state < 0)
		return state;
	r->state = (unsigned)state;
	r->left = (uint64_t)size;
	r->padding = (uint64_t)-size % TAR_BLOCK;
	return size ? 0 : contents_end(r);
}

static void expect_header(struct tar_reader *r)
{
	r->state = TAR_HEADER;
	r->left = TAR_BLOCK;
	r->at = r->off;
}

void tar_reader_init(struct tar_reader *r, const struct tar_sink *sink, void *ctx, struct err *e)
{
	*r = (struct tar_reader){ .sink = sink, .ctx = ctx, .e = e };
	expect_header(r);
}

static int tar_bytes_take(struct tar_reader *r, const unsigned char *p, size_t n)
{
	int err = 0;

	if (r->state == TAR_HEADER)
		memcpy((char *)&r->header + TAR_BLOCK - r->left, p, n);
	else if (r->state == TAR_EXTRA)
		str_add(&r->extra, p, n);
	else if (r->state == TAR_BYTES)
		err = r->sink->bytes(r->ctx, p, n);
	r->left -= n;
	r->off += n;
	if (err || r->left)
		return err;
	if (r->state == TAR_HEADER)
		err = header(r);
	else if (r->state != TAR_PADDING)
		err = contents_end(r);
	return err;
}

int tar_feed(struct tar_reader *r, const void *p, size_t n)
{
	const unsigned char *from = p;

	while (n && !r->ended) {
		size_t step = n < r->left ? n : (size_t)r->left;
		int err = tar_bytes_take(r, from, step);

		if (err)
			return err;
		from += step;
		n -= step;
		if (r->state == TAR_PADDING && !r->left)
			expect_header(r);
	}
	return 0;
}

int tar_feed_end(struct tar_reader *r)
{
	if (r->ended)
		return 0;
	if (r->off < TAR_BLOCK)
		return not_ours(r);
	return broken(r, "it ends in the middle");
}

void tar_reader_release(struct tar_reader *r)
{
	str_release(&r->extra);
	str_release(&r->name);
}
