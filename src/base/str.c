/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/base.h"
#include "base/infile.h"

#define READ_STEP ((size_t)64 << 10)

void str_reserve(struct str *s, size_t more)
{
	size_t want, cap = s->cap ? s->cap : 64;

	if (more > SIZE_MAX / 4 || s->n > SIZE_MAX / 4)
		arena_die(more);
	want = s->n + more + 1;
	if (want <= s->cap)
		return;
	while (cap < want)
		cap *= 2;
	s->p = array_resize(s->p, cap, 1);
	s->p[s->n] = '\0';
	s->cap = cap;
}

void str_add(struct str *s, const void *p, size_t n)
{
	str_reserve(s, n);
	if (n)
		memcpy(s->p + s->n, p, n);
	s->n += n;
	s->p[s->n] = '\0';
}

void str_puts(struct str *s, const char *text)
{
	str_add(s, text, strlen(text));
}

void str_vfmt(struct str *s, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		arena_die(0);
	str_reserve(s, (size_t)n);
	vsnprintf(s->p + s->n, (size_t)n + 1, fmt, ap);
	s->n += (size_t)n;
}

void str_fmt(struct str *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_vfmt(s, fmt, ap);
	va_end(ap);
}

void str_reset(struct str *s)
{
	s->n = 0;
	if (s->p)
		s->p[0] = '\0';
}

void str_release(struct str *s)
{
	free(s->p);
	*s = (struct str){ 0 };
}

static int str_undo(struct str *s, size_t n, int err)
{
	s->n = n;
	if (s->p)
		s->p[n] = '\0';
	return err;
}

int str_read_fd(struct str *s, int fd, size_t max)
{
	size_t start = s->n;
	ssize_t got;

	for (;;) {
		size_t left = max - (s->n - start);

		/* One byte more than allowed distinguishes a file that is too large from one that just fits. */
		str_reserve(s, left < READ_STEP ? left + 1 : READ_STEP);
		got = read(fd, s->p + s->n, left < READ_STEP ? left + 1 : READ_STEP);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return str_undo(s, start, -errno);
		if (got == 0)
			return str_undo(s, s->n, 0);
		if ((size_t)got > left)
			return str_undo(s, start, -EFBIG);
		s->n += (size_t)got;
	}
}

int str_read_file(struct str *s, const char *path, size_t max)
{
	CLEAN_FD fd = infile_open(path);

	return fd < 0 ? fd : str_read_fd(s, fd, max);
}

static int octal(char c)
{
	return c >= '0' && c <= '7' ? c - '0' : -1;
}

/* Is it printed as it is, and between single quotes read as it is? In fish, a backslash is special there. */
static bool is_printable(const char *s)
{
	for (size_t n = strlen(s), len; n; s += len, n -= len) {
		len = str_utf8(s, n);
		if (!len || (unsigned char)*s < ' ' || *s == '\\' || str_control(s, len))
			return false;
	}
	return true;
}

bool str_shell(struct str *ret, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._:+-@,=";
	const size_t n = strlen(text);

	if (n && text[n - 1] == '\n')
		return false;
	/* zsh replaces a word that begins with '=' by the path of a command. */
	if (n && *text != '=' && !text[strspn(text, plain)]) {
		str_puts(ret, text);
	} else if (is_printable(text)) {
		str_puts(ret, "'");
		for (; *text; text++)
			str_fmt(ret, *text == '\'' ? "'\\''" : "%c", *text);
		str_puts(ret, "'");
	} else {
		str_puts(ret, "\"$(printf '");
		for (; *text; text++)
			str_fmt(ret, strchr(plain, *text) ? "%c" : "\\%03o", (unsigned char)*text);
		str_puts(ret, "')\"");
	}
	return true;
}

void str_escape(struct str *ret, const char *text)
{
	for (; *text; text++) {
		if (strchr(" \t\n\\#", *text))
			str_fmt(ret, "\\%03o", (unsigned char)*text);
		else
			str_add(ret, text, 1);
	}
}

void str_unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		int v;

		if (s[0] == '\\' && octal(s[1]) >= 0 && octal(s[2]) >= 0 && octal(s[3]) >= 0) {
			v = octal(s[1]) << 6 | octal(s[2]) << 3 | octal(s[3]);
			if (v > 0 && v <= 0xff) {
				*to++ = (char)v;
				s += 3;
				continue;
			}
		}
		*to++ = *s;
	}
	*to = '\0';
}

int str_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

size_t str_lines(const char *s)
{
	size_t n = 0;

	while ((s = strchr(s, '\n'))) {
		n++;
		s++;
	}
	return n;
}

bool str_has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; n && (p = strstr(p, word)); p += n)
		if ((p == list || p[-1] == ' ') && (!p[n] || p[n] == ' '))
			return true;
	return false;
}

size_t str_utf8(const char *s, size_t n)
{
	unsigned char c, lo = 0x80, hi = 0xbf;
	size_t len, i;

	if (!n)
		return 0;
	c = (unsigned char)s[0];
	if (c < 0x80)
		return 1;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	len = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	if (n < len)
		return 0;
	/* Overlong forms, surrogates and values above U+10FFFF are detected by the second byte. */
	if (c == 0xe0)
		lo = 0xa0;
	else if (c == 0xed)
		hi = 0x9f;
	else if (c == 0xf0)
		lo = 0x90;
	else if (c == 0xf4)
		hi = 0x8f;
	for (i = 1; i < len; i++, lo = 0x80, hi = 0xbf)
		if ((unsigned char)s[i] < lo || (unsigned char)s[i] > hi)
			return 0;
	return len;
}

uint32_t str_code(const char *s, size_t n)
{
	uint32_t code = (unsigned char)s[0];

	if (n > 1)
		code &= 0x7fu >> n;
	for (size_t i = 1; i < n; i++)
		code = code << 6 | ((unsigned char)s[i] & 0x3f);
	return code;
}

uint32_t str_control(const char *s, size_t n)
{
	const uint32_t code = str_code(s, n);

	static const struct {
		uint32_t from, to;
	} controls[] = {
		{ 0x7f, 0x9f },	    { 0xad, 0xad },	{ 0x61c, 0x61c },   { 0x200b, 0x200b }, { 0x200e, 0x200f },
		{ 0x2028, 0x202e }, { 0x2060, 0x2064 }, { 0x2066, 0x2069 }, { 0xfeff, 0xfeff },
	};

	for (size_t i = 0; code >= controls[0].from && i < ARRAY_SIZE(controls); i++)
		if (code >= controls[i].from && code <= controls[i].to)
			return code;
	return 0;
}

/* Where to truncate a text to at most n bytes: after a word if one ends in the second half, else after a character. */
static size_t fit_end(const char *buf, size_t n)
{
	size_t end = n;

	while (end > n / 2 && buf[end] != ' ')
		end--;
	if (buf[end] == ' ')
		return end;
	for (end = n; end && n - end < 3 && ((unsigned char)buf[end] & 0xc0) == 0x80; end--)
		;
	return end;
}

void str_vfit(char *buf, size_t size, const char *fmt, va_list ap)
{
	int n = vsnprintf(buf, size, fmt, ap);

	if (n < 0)
		buf[0] = '\0';
	else if ((size_t)n >= size)
		strcpy(buf + fit_end(buf, size - sizeof("...")), "...");
}

void str_fit(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_vfit(buf, size, fmt, ap);
	va_end(ap);
}

size_t str_snprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	return n > 0 ? (size_t)n : 0;
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

unsigned str_distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), i, j;
	unsigned row[3][STR_DISTANCE_MAX + 1];
	unsigned *old = row[0], *prev = row[1], *cur = row[2], *t;

	if (n > STR_DISTANCE_MAX || m > STR_DISTANCE_MAX)
		return STR_DISTANCE_MAX;
	for (j = 0; j <= m; j++)
		old[j] = prev[j] = (unsigned)j;
	for (i = 1; i <= n; i++) {
		cur[0] = (unsigned)i;
		for (j = 1; j <= m; j++) {
			cur[j] = min3(prev[j] + 1, cur[j - 1] + 1, prev[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && old[j - 2] + 1 < cur[j])
				cur[j] = old[j - 2] + 1;
		}
		t = old;
		old = prev;
		prev = cur;
		cur = t;
	}
	return prev[m];
}

size_t str_utf8_put(char *p, uint32_t c)
{
	if (c < 0x80) {
		p[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		p[0] = (char)(0xc0 | c >> 6);
		p[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		p[0] = (char)(0xe0 | c >> 12);
		p[1] = (char)(0x80 | (c >> 6 & 0x3f));
		p[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	p[0] = (char)(0xf0 | c >> 18);
	p[1] = (char)(0x80 | (c >> 12 & 0x3f));
	p[2] = (char)(0x80 | (c >> 6 & 0x3f));
	p[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}
