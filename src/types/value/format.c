/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/value/format.h"

#include <arpa/inet.h>
#include <time.h>

#include "base/when.h"
#include "base/bytes.h"
#include "source/facts.h"

static const struct {
	const char *word;
	uint64_t sizes;	  /* a bit for each; 0: any size */
	const char *like; /* an example; NULL: a number */
} formats[FORMATS] = {
	[FORMAT_IP] = { "ip", 1u << 4 | 1u << 16, "10.0.0.1" },
	[FORMAT_MAC] = { "mac", 1u << 6, "02:00:00:00:00:01" },
	[FORMAT_BE16] = { "be16", 1u << 2, NULL },
	[FORMAT_BE32] = { "be32", 1u << 4, NULL },
	[FORMAT_BE64] = { "be64", 1u << 8, NULL },
	[FORMAT_LE16] = { "le16", 1u << 2, NULL },
	[FORMAT_LE32] = { "le32", 1u << 4, NULL },
	[FORMAT_LE64] = { "le64", 1u << 8, NULL },
	[FORMAT_KTIME] = { "ktime", 1u << 8, "2026-01-31T23:59:00Z" },
	[FORMAT_KSYM] = { "ksym", 1u << 8, "schedule+0x1a" },
	[FORMAT_CGROUP] = { "cgroup", 1u << 8, "/system.slice" },
	[FORMAT_IFINDEX] = { "ifindex", 1u << 4, "eth0" },
	[FORMAT_PID] = { "pid", 1u << 4 | 1u << 8, NULL },
	[FORMAT_TGID] = { "tgid", 1u << 4 | 1u << 8, NULL },
	[FORMAT_NETNS] = { "netns", 1u << 4 | 1u << 8, NULL },
	[FORMAT_STR] = { "str", 0, NULL },
	[FORMAT_HEX] = { "hex", 0, "0x1f" },
};

static bool is_int_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

enum format format_parse(const char *word, size_t n)
{
	for (unsigned f = 1; f < FORMATS; f++)
		if (strlen(formats[f].word) == n && !memcmp(formats[f].word, word, n))
			return (enum format)f;
	return FORMAT_NONE;
}

const char *format_word(enum format f)
{
	return formats[f].word;
}

const char *format_words(void)
{
	return "ip, mac, be16, be32, be64, le16, le32, le64, ktime, ksym, cgroup, ifindex, pid, tgid, netns, str, hex";
}

int format_hint(enum format f, uint64_t size, struct err *e)
{
	const char *like = formats[f].like ? formats[f].like : "443";

	if (f == FORMAT_IP && size == 16)
		like = "fe80::1";
	if (f == FORMAT_STR)
		return err_hint(e, "its format is str: at most %llu bytes, none of them NUL", llu(size));
	if (f == FORMAT_HEX && !is_int_size(size))
		return err_hint(e, "its format is hex: %llu bytes, such as 01 02 03", llu(size));
	return err_hint(e, "its format is %s, such as %s", formats[f].word, like);
}

bool format_fits(enum format f, uint64_t size)
{
	return size && (!formats[f].sizes || (size < 64 && formats[f].sizes >> size & 1));
}

const char *format_words_for(uint64_t size, struct arena *a)
{
	STR list = { 0 };

	for (unsigned f = 1; f < FORMATS; f++)
		if (format_fits((enum format)f, size))
			str_fmt(&list, "%s%s", list.n ? ", " : "", formats[f].word);
	return arena_str(a, list.n ? list.p : "none", SIZE_MAX);
}

#define HEX_BYTES ((FORMAT_TEXT - 1) / 3)

uint64_t format_number(enum format f, const unsigned char *p, uint64_t size)
{
	return load_uint(p, size, format_is_be(f));
}

static size_t number_text(uint64_t v, char *ret)
{
	*num_dec(ret, v) = '\0';
	return strlen(ret);
}

static size_t hex_text(const unsigned char *p, uint64_t size, bool big, char *ret)
{
	char *to = ret;

	if (is_int_size(size))
		return str_snprintf(ret, FORMAT_TEXT, "0x%" PRIx64, load_uint(p, size, big));
	for (uint64_t i = 0; i < size && i < HEX_BYTES; i++) {
		if (i)
			*to++ = ' ';
		to = mempcpy(to, num_hex2[p[i]], 2);
	}
	*to = '\0';
	return (size_t)(to - ret);
}

static size_t time_of(uint64_t boot, uint64_t ns, char *ret)
{
	const uint64_t at = boot + ns;

	/* 0 is not a time. */
	if (!boot || !ns || at < boot)
		return number_text(ns, ret);
	return (size_t)(when_print(ret, at / NSEC_PER_SEC, (uint32_t)(at % NSEC_PER_SEC), 9, true) - ret);
}

static size_t symbol_text(struct machine *machine, uint64_t addr, char *ret)
{
	const struct symbol *s = machine ? symbols_find(facts_symbols(machine), addr) : NULL;
	char off[24] = "";

	if (!s)
		return str_snprintf(ret, FORMAT_TEXT, "0x%" PRIx64, addr);
	if (addr > s->addr)
		snprintf(off, sizeof(off), "+0x%" PRIx64, addr - s->addr);
	return str_snprintf(ret, FORMAT_TEXT, "%.200s%s%s%.200s%s", s->name, off, s->module ? " [" : "",
			    s->module ? s->module : "", s->module ? "]" : "");
}

static size_t name_text(const char *name, uint64_t number, char *ret)
{
	uint64_t digits;

	/* A device whose name is a number would be read as that number. */
	if (!name || !num_parse_u64(name, &digits))
		return number_text(number, ret);
	snprintf(ret, FORMAT_TEXT, "%s", name);
	return strlen(ret);
}

/* "\\x1b" */
static bool is_escape(const unsigned char *p, size_t n)
{
	return n >= 4 && p[0] == '\\' && p[1] == 'x' && num_hex_byte((const char *)p + 2) >= 0;
}

static size_t str_text(const unsigned char *p, size_t n, char *ret)
{
	char *to = ret;

	for (size_t i = 0, len; i < n; i += len) {
		len = is_escape(p + i, n - i) ? 0 : str_utf8((const char *)p + i, n - i);
		if (to + (len ? len : 4) >= ret + FORMAT_TEXT)
			break;
		to = len ? mempcpy(to, p + i, len) : mempcpy(mempcpy(to, "\\x", 2), num_hex2[p[i]], 2);
		len += !len;
	}
	*to = '\0';
	return (size_t)(to - ret);
}

/* Returns the number of bytes read. 0: too many for @size, or one of them is a NUL. */
static uint64_t str_read(const char *text, unsigned char *p, uint64_t size)
{
	uint64_t n = 0;

	for (size_t left = strlen(text), len; left; text += len, left -= len) {
		len = is_escape((const unsigned char *)text, left) ? 4 : 1;
		if (n == size)
			return 0;
		p[n] = len == 1 ? (unsigned char)*text :
				  (unsigned char)(num_hex_digit(text[2]) << 4 | num_hex_digit(text[3]));
		if (!p[n++])
			return 0;
	}
	if (n < size)
		p[n++] = '\0';
	return n;
}

size_t format_text(enum format f, struct machine *machine, const unsigned char *p, uint64_t size, bool big,
		   char ret[FORMAT_TEXT])
{
	uint64_t v = load_uint(p, size, big);

	switch (f) {
	case FORMAT_IP:
		inet_ntop(size == 4 ? AF_INET : AF_INET6, p, ret, FORMAT_TEXT);
		return strlen(ret);
	case FORMAT_MAC:
		return str_snprintf(ret, FORMAT_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x", p[0], p[1], p[2], p[3], p[4],
				    p[5]);
	case FORMAT_BE16:
	case FORMAT_BE32:
	case FORMAT_BE64:
	case FORMAT_LE16:
	case FORMAT_LE32:
	case FORMAT_LE64:
		return number_text(format_number(f, p, size), ret);
	case FORMAT_KTIME:
		return time_of(machine ? facts_boot_ns(machine) : 0, v, ret);
	case FORMAT_KSYM:
		return symbol_text(machine, v, ret);
	case FORMAT_CGROUP:
		return name_text(machine ? facts_cgroup(machine, v) : NULL, v, ret);
	case FORMAT_IFINDEX:
		return name_text(machine ? facts_ifname(machine, (uint32_t)v) : NULL, v, ret);
	case FORMAT_PID:
	case FORMAT_TGID:
	case FORMAT_NETNS:
		return number_text(v, ret);
	case FORMAT_STR:
		return str_text(p, strnlen((const char *)p, size), ret);
	case FORMAT_HEX:
		return hex_text(p, size, big, ret);
	default:
		*ret = '\0';
		return 0;
	}
}

bool format_is_exact(enum format f, uint64_t size)
{
	return f == FORMAT_IP || f == FORMAT_MAC || format_is_number(f) || (f == FORMAT_HEX && size <= HEX_BYTES);
}

static uint64_t number_format_read(const char *text, unsigned char *p, uint64_t size, bool big)
{
	uint64_t v;

	if (num_parse_size(text, &v) || (size < sizeof(v) && v >> (8 * size)))
		return 0;
	store_uint(p, size, v, big);
	return size;
}

/* "02:00:ab" or "02 00 ab": all bytes. */
static uint64_t pairs_read(const char *text, char between, unsigned char *p, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++, text += 3) {
		const int byte = num_hex_byte(text);

		if (byte < 0 || text[2] != (i + 1 < size ? between : '\0'))
			return 0;
		p[i] = (unsigned char)byte;
	}
	return size;
}

static uint64_t time_read(struct machine *m, const char *text, unsigned char *p, bool big)
{
	const uint64_t boot = facts_boot_ns(m);
	uint64_t at, now;
	struct when w;

	if (!boot || when_parse(text, &w))
		return 0;
	now = when_is_relative(&w) ? when_seconds(facts_asked_at(m)) : 1;
	at = when_at(&w, now);
	if (!now || at < boot || at == when_seconds(UINT64_MAX))
		return 0;
	store_uint(p, sizeof(at), at - boot, big);
	return sizeof(at);
}

/* "schedule+0x1a [module]". */
static uint64_t symbol_read(struct machine *machine, const char *text, unsigned char *p, bool big)
{
	char name[FORMAT_TEXT], *off, *module;
	const struct symbol *s;
	uint64_t addr = 0;

	if ((size_t)snprintf(name, sizeof(name), "%s", text) >= sizeof(name))
		return 0;
	module = strstr(name, " [");
	if (module) {
		*module = '\0';
		module += 2;
		if (!*module || module[strlen(module) - 1] != ']')
			return 0;
		module[strlen(module) - 1] = '\0';
	}
	off = strchr(name, '+');
	if (off) {
		*off++ = '\0';
		if (!str_starts(off, "0x") || num_parse_u64(off, &addr))
			return 0;
	}
	s = symbols_only(facts_symbols(machine), name, module);
	if (!s)
		return 0;
	store_uint(p, sizeof(addr), addr + s->addr, big);
	return sizeof(addr);
}

static uint64_t id_read(uint64_t id, unsigned char *p, uint64_t size, bool big)
{
	store_uint(p, size, id, big);
	return id ? size : 0;
}

static uint64_t symbol_format_read(enum format f, struct machine *machine, const char *text, unsigned char *p,
				   uint64_t size, bool big)
{
	uint64_t number;

	/* Digits are a number, even if a device has that name. A leading 0 could mean octal or decimal. */
	if (!num_parse_u64(text, &number))
		return *text == '0' && isdigit((unsigned char)text[1]) ? 0 : number_format_read(text, p, size, big);
	if (!machine)
		return 0;
	switch (f) {
	case FORMAT_KTIME:
		return time_read(machine, text, p, big);
	case FORMAT_KSYM:
		return symbol_read(machine, text, p, big);
	case FORMAT_CGROUP:
		return id_read(facts_cgroup_id(machine, text), p, size, big);
	default:
		return id_read(facts_ifindex(machine, text), p, size, big);
	}
}

uint64_t format_read(enum format f, struct machine *machine, const char *text, unsigned char *p, uint64_t size,
		     bool big)
{
	switch (f) {
	case FORMAT_IP:
		return inet_pton(size == 4 ? AF_INET : AF_INET6, text, p) == 1 ? size : 0;
	case FORMAT_MAC:
		return pairs_read(text, ':', p, size);
	case FORMAT_BE16:
	case FORMAT_BE32:
	case FORMAT_BE64:
	case FORMAT_LE16:
	case FORMAT_LE32:
	case FORMAT_LE64:
		return number_format_read(text, p, size, format_is_be(f));
	case FORMAT_PID:
	case FORMAT_TGID:
	case FORMAT_NETNS:
		return number_format_read(text, p, size, big);
	case FORMAT_HEX:
		if (is_int_size(size))
			return str_starts(text, "0x") ? number_format_read(text, p, size, big) : 0;
		return pairs_read(text, ' ', p, size);
	case FORMAT_STR:
		return str_read(text, p, size);
	case FORMAT_KTIME:
	case FORMAT_KSYM:
	case FORMAT_CGROUP:
	case FORMAT_IFINDEX:
		return symbol_format_read(f, machine, text, p, size, big);
	default:
		return 0;
	}
}
