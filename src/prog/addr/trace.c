/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/addr/trace.h"

#define PREFIX "bpf_prog_"
#define PREFIX_LEN (sizeof(PREFIX) - 1)
#define TAG_DIGITS 16
#define ADDR_DIGITS_MIN 8 /* minimum for an address in running text */

static bool is_symbol_char(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || c == '.' || c == '$';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *word_end(const char *p, const char *end)
{
	while (p < end && is_symbol_char(*p))
		p++;
	return p;
}

static const char *trace_blanks_skip(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

/*
 * Reads all of [p, end) as hexadecimal digits. Returns their number; 0 if there are other characters or more than 16
 * digits.
 */
static size_t hex_read(const char *p, const char *end, uint64_t *ret)
{
	size_t n = (size_t)(end - p);
	uint64_t v = 0;

	if (n > 16)
		return 0;
	for (; p < end; p++) {
		if (num_hex_digit(*p) < 0)
			return 0;
		v = v << 4 | (unsigned)num_hex_digit(*p);
	}
	*ret = v;
	return n;
}

static bool has_0x(const char *p, const char *end)
{
	return end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x';
}

/* 0x1a, or decimal digits as bpftrace and crash write them. Whole words only. */
static bool addr_read(const char *p, const char *end, uint64_t *ret)
{
	uint64_t v = 0;

	if (has_0x(p, end))
		return hex_read(p + 2, end, ret);
	if (p == end)
		return false;
	for (; p < end; p++)
		if (*p < '0' || *p > '9' || __builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return false;
	*ret = v;
	return true;
}

static bool symbol_read(const char *p, const char *end, struct trace_frame *ret)
{
	size_t n = (size_t)(end - p), name_len;

	if (n < PREFIX_LEN + TAG_DIGITS || memcmp(p, PREFIX, PREFIX_LEN))
		return false;
	p += PREFIX_LEN;
	for (size_t i = 0; i < TAG_DIGITS; i += 2) {
		if (num_hex_digit(p[i]) < 0 || num_hex_digit(p[i + 1]) < 0)
			return false;
		ret->tag[i / 2] = (unsigned char)(num_hex_digit(p[i]) << 4 | num_hex_digit(p[i + 1]));
	}
	p += TAG_DIGITS;
	name_len = p < end ? (size_t)(end - p) - 1 : 0;
	if ((p < end && *p != '_') || name_len >= TRACE_NAME_MAX)
		return false;
	memcpy(ret->name, p + (p < end), name_len);
	ret->name[name_len] = '\0';
	ret->symbol = true;
	return true;
}

/* Reads "+0x1a/0x40" at @p. Returns its end. */
static const char *offset_read(const char *p, const char *end, struct trace_frame *ret)
{
	const char *stop;

	if (p == end || *p != '+')
		return p;
	stop = word_end(p + 1, end);
	if (!addr_read(p + 1, stop, &ret->off))
		return p;
	ret->has_off = true;
	p = stop;
	if (p == end || *p != '/')
		return p;
	stop = word_end(p + 1, end);
	return addr_read(p + 1, stop, &ret->size) ? stop : p;
}

static const char *frame_at(const char *p, const char *end, size_t least, struct trace_frame *ret)
{
	const char *stop = word_end(p, end);
	size_t prefix = has_0x(p, stop) ? 2 : 0;

	memset(ret, 0, offsetof(struct trace_frame, name));
	ret->name[0] = '\0';
	ret->has_off = false;
	ret->off = ret->size = 0;
	ret->how = TRACE_PC;
	/* A full stop after a word ends a sentence. */
	while (stop > p && stop[-1] == '.')
		stop--;
	if (symbol_read(p, stop, ret))
		return offset_read(stop, end, ret);
	return hex_read(p + prefix, stop, &ret->addr) >= least ? stop : NULL;
}

bool trace_frame_parse(const char *word, struct trace_frame *ret)
{
	const char *end = word + strlen(word);
	bool marked = word[0] == '[' && word[1] == '<' && end - word > 4 && end[-1] == ']' && end[-2] == '>';
	const char *stop;

	if (marked) {
		word += 2;
		end -= 2;
	}
	stop = frame_at(word, end, 1, ret);
	if (!stop || stop == word)
		return false;
	stop = ret->symbol ? trace_blanks_skip(stop, end) : stop;
	return stop == end || (ret->symbol && *stop == '[' && end[-1] == ']');
}

bool trace_frame_same(const struct trace_frame *a, const struct trace_frame *b)
{
	if (a->symbol != b->symbol)
		return false;
	if (!a->symbol)
		return a->addr == b->addr;
	return !memcmp(a->tag, b->tag, sizeof(a->tag)) && !strcmp(a->name, b->name) && a->off == b->off;
}

void trace_frame_text(const struct trace_frame *f, char *buf, size_t size)
{
	uint64_t tag = 0;
	int n;

	if (!f->symbol) {
		snprintf(buf, size, "0x%016llx", llu(f->addr));
		return;
	}
	for (size_t i = 0; i < sizeof(f->tag); i++)
		tag = tag << 8 | f->tag[i];
	n = snprintf(buf, size, PREFIX "%016llx%s%s", llu(tag), *f->name ? "_" : "", f->name);
	if (f->has_off && (size_t)n < size)
		n += snprintf(buf + n, size - (size_t)n, "+0x%llx", llu(f->off));
	if (f->size && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, "/0x%llx", llu(f->size));
}

/* Words that name the role of the address after them: the program counter and the link register on many machines. */
static const struct {
	const char *word;
	enum trace_how how;
} marks[] = {
	{ "RIP", TRACE_PC },	{ "EIP", TRACE_PC },	{ "IP", TRACE_PC },	 { "pc", TRACE_PC },
	{ "PC", TRACE_PC },	{ "epc", TRACE_PC },	{ "NIP", TRACE_PC },	 { "ERA", TRACE_PC },
	{ "PSW", TRACE_PC },	{ "era", TRACE_PC },	{ "lr", TRACE_RETURN },	 { "LR", TRACE_RETURN },
	{ "ra", TRACE_RETURN }, { "RA", TRACE_RETURN }, { "x30", TRACE_RETURN },
};

static void mark_read(struct trace *t, const char *p, const char *end)
{
	size_t n = (size_t)(end - p);

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		if (n != strlen(marks[i].word) || memcmp(p, marks[i].word, n))
			continue;
		t->how = marks[i].how;
		t->marked = true;
	}
}

/* "#0" in a debugger's stack is the program counter, the others are return addresses. */
static void number_mark(struct trace *t, const char *p, const char *end)
{
	uint64_t v;

	if (!addr_read(p, end, &v))
		return;
	t->how = v ? TRACE_RETURN : TRACE_PC;
	t->marked = true;
}

/*
 * perf script and bpftrace print a stack from the program counter outwards; the kernel begins with the first caller.
 * Their lines look different: "    ffffffffc0001234 name+0x1a (dso)", or "    name+26" with a decimal offset and
 * nothing after it.
 */
void trace_line(struct trace *t, const char *p, size_t n)
{
	const char *end = p + n, *first = trace_blanks_skip(p, end), *stop = word_end(first, end), *next;
	uint64_t v;

	t->how = TRACE_RETURN;
	t->marked = false;
	t->in_stack = t->stack;
	t->stack = false;
	if (first == p || first == stop)
		return;
	next = trace_blanks_skip(stop, end);
	if (hex_read(first, stop, &v) >= ADDR_DIGITS_MIN && next > stop && next < end &&
	    (is_symbol_char(*next) || *next == '[')) {
		t->stack = hex_read(next, word_end(next, end), &v) == 0;
	} else if (stop < end && *stop == '+') {
		next = word_end(stop + 1, end);
		t->stack = !has_0x(stop + 1, next) && addr_read(stop + 1, next, &v) &&
			   (next == end || *next == '\n' || *next == '\r');
	}
	if (t->stack && !t->in_stack)
		t->how = TRACE_PC;
	t->marked = t->stack;
}

/* Skips a JSON escape, whose letter is not part of the next word; a newline there begins another line of the trace. */
static const char *escape_skip(struct trace *t, const char *p, const char *end)
{
	const char *start = p;

	while (p < end && *p == '\\')
		p++;
	if (p == end)
		return p;
	if (*p == 'n' || *p == 'r') {
		t->how = TRACE_RETURN;
		t->marked = false;
	}
	if (*p == 'u')
		return end - p > 4 ? p + 5 : end;
	return p + (strchr("nrtbf", *p) && p > start);
}

static bool question_before(const char *start, const char *p)
{
	while (p > start && is_blank(p[-1]))
		p--;
	return p > start && p[-1] == '?';
}

/* "[<ffffffffc0001234>] ? name+0x1/0x2": the mark is after the address. */
static bool question_after(const char *p, const char *end)
{
	if (end - p < 2 || p[0] != '>' || p[1] != ']')
		return false;
	p = trace_blanks_skip(p + 2, end);
	return p < end && *p == '?';
}

/* A perf sample without a stack: "comm 1 [000] 1.0: cycles: ffffffffc0001234 name+0x1a (dso)". */
static bool is_sample(const char *p, const char *end)
{
	const char *next = trace_blanks_skip(p, end), *stop = word_end(next, end);
	uint64_t v;

	return next > p && stop > next && !hex_read(next, stop, &v) && stop < end && *stop == '+';
}

static void how_set(struct trace *t, const char *start, const char *p, const char *stop, const char *end,
		    struct trace_frame *f)
{
	f->how = t->how;
	if (question_before(start, p) || question_after(stop, end))
		f->how = TRACE_MAYBE;
	else if (!f->symbol && !t->marked && is_sample(stop, end))
		t->how = f->how = TRACE_PC;
	if (f->how == TRACE_PC && t->marked && f->symbol && f->has_off)
		t->pc = *f;
	/* On some machines a trace begins with the program counter, which was already printed. */
	if (f->how == TRACE_RETURN && !t->marked && f->symbol && trace_frame_same(f, &t->pc))
		f->how = TRACE_PC;
}

bool trace_next(struct trace *t, const char **pos, const char *end, struct trace_frame *ret)
{
	const char *start = *pos, *p = start, *stop, *found;

	while (p < end) {
		if (*p == '\\') {
			p = escape_skip(t, p, end);
			continue;
		}
		if (!is_symbol_char(*p)) {
			p++;
			continue;
		}
		stop = word_end(p, end);
		found = frame_at(p, end, ADDR_DIGITS_MIN, ret);
		if (found) {
			how_set(t, start, p, found, end, ret);
			*pos = found > stop ? found : stop;
			return true;
		}
		if (p > start && p[-1] == '#')
			number_mark(t, p, stop);
		else
			mark_read(t, p, stop);
		p = stop;
	}
	*pos = end;
	return false;
}

static size_t part_at(const char *p, size_t n, const char *bytes)
{
	while (n && (!p[n - 1] || !strchr(bytes, p[n - 1])))
		n--;
	return n;
}

size_t trace_part(const char *p, size_t n)
{
	size_t ret = part_at(p, n, "\n;\",");

	return ret ? ret : part_at(p, n, " \t");
}
