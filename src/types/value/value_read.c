/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/value/value.h"

#include "types/value/path.h"
#include "types/value/scalar_read.h"
#include "types/value/integer_read.h"
#include "types/value/number.h"

#define MEMBERS_SHOWN 200u /* characters, in a hint */

static int step_read(struct reader *rd, uint32_t i, enum jsonr_token t, unsigned char *p, size_t n);

/* Reads the most frequent values fast. */
static bool small_read(struct reader *rd, const struct step *s, unsigned char *p, size_t n)
{
	uint64_t max, v;

	if (s->op > STEP_INT_LAST || rd->known || s->off > n || s->size > n - s->off)
		return false;
	max = ~0ull >> (64 - 8 * s->size);
	if (!jsonr_uint(rd->r, s->op < STEP_U8 ? max >> 1 : max, &v))
		return false;
	store_uint(p + s->off, s->size, v, step_is_big(s));
	return true;
}

/* After a failure, the path is put together from its end. */
static void path_add(struct reader *rd, const char *name, size_t len, uint32_t index)
{
	size_t part, n = strlen(rd->path);
	char text[80];

	if (name)
		part = str_snprintf(text, sizeof(text), ".%.*s", (int)(len && len < 64 ? len : 2), len ? name : "\"\"");
	else
		part = str_snprintf(text, sizeof(text), "[%u]", index);
	if (part + n >= sizeof(rd->path))
		return;
	memmove(rd->path + part, rd->path, n + 1);
	memcpy(rd->path, text, part);
}

static bool is_anonymous(const struct step *s)
{
	return s->op == STEP_OBJECT && s->name_len == 2;
}

/* True if one of steps [from, to) was given. */
static bool any_seen(const unsigned char *seen, uint32_t from, uint32_t to)
{
	return memchr(seen + from, 1, to - from);
}

/* Has step @j the last name of rd->r, and was not given yet? */
static bool is_missing(const struct reader *rd, uint32_t j, const unsigned char *seen, uint32_t base)
{
	const struct step *s = &rd->plan->step[j];

	return !seen[j - base] && jsonr_equal(rd->r, s->name, s->name_len) &&
	       !(is_anonymous(s) && any_seen(seen, j - base, step_next(rd->plan, j) - base));
}

/*
 * The member of object @i with the last name of rd->r: not given yet, the nearest from @from on, or inside an anonymous
 * member. 0: none. seen[j] belongs to step base + j.
 */
static uint32_t typed_member_find(const struct reader *rd, uint32_t i, uint32_t from, const unsigned char *seen,
				  uint32_t base)
{
	const struct value_plan *p = rd->plan;
	uint32_t end = p->step[i].end - 1, j, found = 0;

	for (j = from; j < end; j = step_next(p, j))
		if (is_missing(rd, j, seen, base))
			return j;
	for (j = i + 1; j < from; j = step_next(p, j))
		if (is_missing(rd, j, seen, base))
			return j;
	for (j = i + 1; j < end && !found; j = step_next(p, j))
		if (is_anonymous(&p->step[j]) && !seen[j - base])
			found = typed_member_find(rd, j, j + 1, seen, base);
	return found;
}

/* "x#2": the second member of object @i that is named x, as value_plan_unique() prints it. 0: none, or it was given. */
static uint32_t twin_find(const struct reader *rd, uint32_t i, const unsigned char *seen)
{
	const struct value_plan *p = rd->plan;
	const char *name = rd->r->text, *mark = memrchr(name, '#', rd->r->len);
	const size_t n = mark ? (size_t)(mark - name) : 0;
	unsigned long left = mark ? strtoul(mark + 1, NULL, 10) : 0;

	for (uint32_t j = i + 1; left && j < p->step[i].end - 1; j = step_next(p, j))
		if (p->step[j].name_len == n + 2 && !memcmp(p->step[j].name + 1, name, n) && !--left)
			return seen[j - i] ? 0 : j;
	return 0;
}

/* The first required member of object @i that was not given; 0: none. */
static uint32_t members_missing(const struct value_plan *p, uint32_t i, const unsigned char *seen, uint32_t base)
{
	uint32_t end = p->step[i].end - 1, j, found;

	if (p->step[i].flags & STEP_UNION)
		return i + 1 == end || any_seen(seen, i + 1 - base, end - base) ? 0 : i + 1;
	for (j = i + 1; j < end; j = step_next(p, j)) {
		if (seen[j - base] || p->step[j].op == STEP_NULL ||
		    (p->step[j].op == STEP_OBJECT && p->step[j].flags & STEP_KERNEL))
			continue;
		found = is_anonymous(&p->step[j]) ? members_missing(p, j, seen, base) : j;
		if (found)
			return found;
	}
	return 0;
}

static int name_error(struct reader *rd, uint32_t i)
{
	const struct value_plan *p = rd->plan;
	uint32_t j;

	for (j = i + 1; j < p->step[i].end - 1; j = step_next(p, j))
		if (jsonr_equal(rd->r, p->step[j].name, p->step[j].name_len))
			return err_set(rd->e, -EINVAL, "member '%.*s' is given twice",
				       (int)(rd->r->len < 64 ? rd->r->len : 64), rd->r->text);
	return path_no_member(p, i, rd->r->text, rd->r->len, rd->e);
}

static int missing_error(struct reader *rd, uint32_t i, uint32_t member)
{
	const struct step *s = &rd->plan->step[member];

	if (rd->plan->step[i].flags & STEP_UNION)
		err_set(rd->e, -EINVAL, "one member of the union is needed");
	else
		err_set(rd->e, -EINVAL, "member '%.*s' is missing", s->name_len > 2 ? (int)s->name_len - 2 : 0,
			s->name ? s->name + 1 : "");
	return path_hint(rd->plan, i, rd->e);
}

/* Reads the members from @next on, in any order; @t is the token after those that came in order. */
static int members_any(struct reader *rd, uint32_t i, uint32_t next, enum jsonr_token t, unsigned char *p, size_t n)
{
	const struct value_plan *plan = rd->plan;
	CLEAN_PTR unsigned char *seen = calloc(plan->step[i].end - i, 1);
	uint32_t j;
	int err;

	if (!seen)
		return err_set(rd->e, -ENOMEM, "no memory to read members");
	for (j = i + 1; j < next; j = step_next(plan, j))
		seen[j - i] = 1;
	for (; t == JSONR_NAME; t = jsonr_next(rd->r)) {
		j = typed_member_find(rd, i, next, seen, i);
		j = j ? j : twin_find(rd, i, seen);
		if (!j)
			return name_error(rd, i);
		seen[j - i] = 1;
		err = step_read(rd, j, jsonr_next(rd->r), p, n);
		if (err)
			return err;
		if (j >= next)
			next = j < plan->step[i].end - 1 ? step_next(plan, j) : next;
	}
	if (t != JSONR_CLOSE)
		return shape_error(rd, t, "a member");
	j = members_missing(plan, i, seen, i);
	return j ? missing_error(rd, i, j) : 0;
}

static int members_read(struct reader *rd, uint32_t i, unsigned char *p, size_t n)
{
	const struct value_plan *plan = rd->plan;
	uint32_t next = i + 1, end = plan->step[i].end - 1;
	enum jsonr_token t;
	int err;

	/* In the order in which they are printed. */
	while (next < end && jsonr_name_is(rd->r, plan->step[next].name, plan->step[next].name_len)) {
		err = small_read(rd, &plan->step[next], p, n) ? 0 : step_read(rd, next, jsonr_next(rd->r), p, n);
		if (err)
			return err;
		next = step_next(plan, next);
	}
	t = jsonr_next(rd->r);
	if (t == JSONR_CLOSE && next == end)
		return 0;
	return members_any(rd, i, next, t, p, n);
}

static int union_read(struct reader *rd, uint32_t i, unsigned char *p, size_t n)
{
	struct jsonr before = *rd->r;
	int err;

	if (!rd->known_mem)
		rd->known_mem = calloc(rd->n + 1, 1);
	if (!rd->known_mem)
		return err_set(rd->e, -ENOMEM, "no memory to read a union");
	rd->known = rd->known_mem;
	rd->open = false;
	err = members_read(rd, i, p, n);
	if (!err && rd->open) {
		*rd->r = before;
		rd->second = true;
		err = members_read(rd, i, p, n);
		rd->second = false;
	}
	rd->known = NULL;
	return err;
}

static int list_read(struct reader *rd, uint32_t i, enum jsonr_token t, unsigned char *p)
{
	const struct step *s = &rd->plan->step[i];
	uint32_t k;
	int err;

	if (t != JSONR_ARRAY)
		return shape_error(rd, t, "an array");
	for (k = 0;; k++) {
		if (k < s->n && small_read(rd, s + 1, p + k * s->stride, s->stride))
			continue;
		t = jsonr_next(rd->r);
		if (t == JSONR_CLOSE)
			break;
		if (t == JSONR_BAD)
			return shape_error(rd, t, "an element");
		if (k == s->n)
			return err_set(rd->e, -EINVAL, "too many elements: the array has %u", s->n);
		err = step_read(rd, i + 1, t, p + k * s->stride, s->stride);
		if (err) {
			path_add(rd, NULL, 0, k);
			return err;
		}
	}
	return k == s->n ? 0 : err_set(rd->e, -EINVAL, "too few elements: %u of %u", k, s->n);
}

/* Reads the array of a DATASEC: an object for each variable, in order. */
static int variables_read(struct reader *rd, uint32_t i, unsigned char *p, size_t n)
{
	uint32_t end = rd->plan->step[i].end - 1, j;
	enum jsonr_token t;
	int err;

	for (j = i + 1; j < end; j = step_next(rd->plan, j)) {
		t = jsonr_next(rd->r);
		if (t == JSONR_CLOSE)
			return err_set(rd->e, -EINVAL, "too few variables");
		err = step_read(rd, j, t, p, n);
		if (err)
			return err;
	}
	t = jsonr_next(rd->r);
	if (t == JSONR_CLOSE)
		return 0;
	return t == JSONR_BAD ? shape_error(rd, t, "a variable") : err_set(rd->e, -EINVAL, "too many variables");
}

static int members_wanted(struct reader *rd, uint32_t i, enum jsonr_token t)
{
	const uint32_t end = rd->plan->step[i].end - 1;
	int err = shape_error(rd, t, "an object");
	STR names = { 0 };

	for (uint32_t j = i + 1; j < end && names.n < MEMBERS_SHOWN; j = step_next(rd->plan, j)) {
		const struct step *s = &rd->plan->step[j];

		if (s->name_len > strlen("\"\""))
			str_fmt(&names, "%s%.*s=", names.n ? " " : "", (int)s->name_len - 2, s->name + 1);
	}
	return t == JSONR_BAD || !names.n ? err : err_hint(rd->e, "name its members: %s", names.p);
}

static int brackets_read(struct reader *rd, uint32_t i, enum jsonr_token t, unsigned char *p, size_t n)
{
	const struct step *s = &rd->plan->step[i];

	if (step_op(s) == STEP_ARRAY)
		return t == JSONR_ARRAY ? variables_read(rd, i, p, n) : shape_error(rd, t, "an array");
	if (t != JSONR_OBJECT)
		return members_wanted(rd, i, t);
	return s->flags & STEP_UNION && !rd->known ? union_read(rd, i, p, n) : members_read(rd, i, p, n);
}

/* True for a number that is read in the byte order of memory. */
static bool is_raw(const struct reader *rd, const struct step *s)
{
	return s->flags & STEP_IMPLIED && rd->r->depth;
}

static int value_at(struct reader *rd, uint32_t i, enum jsonr_token t, unsigned char *p, size_t n)
{
	const struct step *s = &rd->plan->step[i];
	bool there = s->off <= n && s->size <= n - s->off;
	enum step_op op = step_op(s);
	int err;

	if (s->op == STEP_FORMAT && there && (t == JSONR_STR || (t == JSONR_NUM && !is_raw(rd, s)))) {
		err = format_put(rd, s, t, p + s->off);
		if (err != -ENOENT)
			return err;
	}
	if (t == JSONR_STR && there && op != STEP_TEXT) {
		err = address_put(rd, i, p);
		if (err != -ENOENT)
			return err;
	}
	if (s->op == STEP_FORMAT && t == JSONR_STR && (op == STEP_LIST || op == STEP_OBJECT)) {
		err_set(rd->e, -EINVAL, "'%.*s' cannot be read in its format", integer_shown(rd->r), rd->r->text);
		return format_hint(s->format, s->size, rd->e);
	}
	if (op == STEP_OBJECT || op == STEP_ARRAY)
		return brackets_read(rd, i, t, p, n);
	if (op == STEP_EMPTY) {
		if (t != JSONR_ARRAY)
			return shape_error(rd, t, "an array");
		return jsonr_next(rd->r) == JSONR_CLOSE ?
			       0 :
			       err_set(rd->e, -EINVAL, "too many elements: the array has none");
	}
	if (!there)
		return t == JSONR_NULL ? 0 : err_set(rd->e, -EINVAL, "it exceeds the value");
	if (op == STEP_TEXT)
		return t == JSONR_STR ? text_read(rd, s, p + s->off) : value_at(rd, i + 1, t, p, n);
	if (op == STEP_LIST)
		return list_read(rd, i, t, p + s->off);
	return scalar_read(rd, s, t, p + s->off);
}

static int step_read(struct reader *rd, uint32_t i, enum jsonr_token t, unsigned char *p, size_t n)
{
	const struct step *s = &rd->plan->step[i];
	int err = t == JSONR_BAD ? shape_error(rd, t, "a value") : value_at(rd, i, t, p, n);

	if (err && s->name_len > 1)
		path_add(rd, s->name + 1, s->name_len - 2, 0);
	return err;
}

int value_read(const struct value_plan *p, struct jsonr *r, void *bytes, size_t n, struct err *e)
{
	struct err why;
	struct reader rd = { .plan = p, .r = r, .e = &why, .bytes = bytes, .n = n };
	int err;

	err_clear(&why);
	memset(bytes, 0, n);
	err = step_read(&rd, 0, jsonr_next(r), bytes, n);
	free(rd.known_mem);
	if (!err)
		return 0;
	if (!rd.located)
		err_in(&why, "%s%s", r->what, rd.path);
	if (e && !e->code)
		*e = why;
	return err;
}

static bool is_change(const char *p)
{
	return (*p == '+' || *p == '-') && p[1] == '=';
}

#define SUM_TEXT 48
/* For "+=5" of the number at @p: the sum in decimal, which value_at() reads with its limits like any other number. */
static int sum_text(struct reader *rd, const struct step *s, const unsigned char *p, const char *change,
		    char ret[SUM_TEXT])
{
	bool number = s->op <= STEP_INT_LAST || (s->op == STEP_BITS && !s->n && s->bits <= 64) ||
		      (s->op == STEP_FORMAT && format_is_number(s->format));
	struct wide sum;
	uint64_t v;

	if (!number)
		return err_set(rd->e, -EINVAL, "only integers can be added to");
	if (num_parse_size(change + 2, &v))
		return err_set(rd->e, -EINVAL, "'%.40s' is not an integer", change + 2);
	sum = *change == '+' ? wide_add(step_number(s, p), wide_u(v)) : wide_sub(step_number(s, p), wide_u(v));
	if (wide_cmp(sum, wide_u(UINT64_MAX)) > 0 || wide_cmp(sum, wide_s(INT64_MIN)) < 0)
		return err_set(rd->e, -EINVAL, "the result does not fit in 64 bits");
	/* It would be read as the negative number that is printed like it. */
	if (s->op == STEP_BITS && step_bits_signed(s) && !wide_is_neg(sum) && sum.lo >> (s->bits - 1))
		return err_set(rd->e, -EINVAL, "%llu does not fit in %u bits", llu(sum.lo), s->bits);
	*ret = '-';
	*num_dec(ret + wide_is_neg(sum), wide_abs(sum).lo) = '\0';
	return 0;
}

/* "[worker]" is text for an array of char, and "{" a character, although they are not JSON. */
static bool is_text(const struct step *s)
{
	return s->op == STEP_TEXT || s->op == STEP_CHAR || (s->op == STEP_FORMAT && s->format == FORMAT_STR);
}

bool value_is_str(const struct value_plan *p)
{
	return p->n && p->step[0].op == STEP_FORMAT && p->step[0].format == FORMAT_STR;
}

static int word_at(struct reader *rd, uint32_t i, unsigned flags, const char *text, unsigned char *p, size_t n)
{
	const struct step *s = &rd->plan->step[i];
	int err;

	jsonr_init(rd->r, "the text", JSONR_HEX | JSONR_WORD | flags, text, strlen(text));
	if (s->op != STEP_BITS)
		memset(p + s->off, 0, s->size);
	err = value_at(rd, i, jsonr_next(rd->r), p, n);
	return !err && jsonr_next(rd->r) != JSONR_END ? shape_error(rd, JSONR_BAD, "the end") : err;
}

static int set(struct reader *rd, const char *assignment)
{
	const struct step *s;
	char sum[SUM_TEXT];
	const char *text;
	struct path_end at;
	unsigned char *p;
	int err;

	if (!strchr(assignment, '='))
		return err_set(rd->e, -EINVAL, "'=' is missing");
	err = path_follow(rd->plan, rd->n, &assignment, &at, rd->e);
	if (!err && *assignment != '=' && !is_change(assignment))
		err = err_set(rd->e, -EINVAL, "'=' is missing");
	if (err)
		return err;
	p = rd->bytes + at.base;
	s = &rd->plan->step[at.step];
	if (s->off > at.room || s->size > at.room - s->off)
		return err_set(rd->e, -EINVAL, "it exceeds the value");
	text = assignment + 1;
	if (is_change(assignment)) {
		err = sum_text(rd, s, p + s->off, assignment, sum);
		if (err)
			return err;
		text = sum;
	}
	err = word_at(rd, at.step, JSONR_WORD, text, p, at.room);
	if (!err || !is_text(s))
		return err;
	err_clear(rd->e);
	return word_at(rd, at.step, JSONR_TEXT, text, p, at.room);
}

int value_read_word(const struct value_plan *p, const char *what, const char *word, void *bytes, size_t n,
		    struct err *e)
{
	struct err why = { 0 };
	struct jsonr r;
	int err;

	jsonr_init(&r, what, JSONR_HEX | JSONR_WORD, word, strlen(word));
	err = value_read(p, &r, bytes, n, &why);
	if (!err && jsonr_next(&r) != JSONR_END)
		err = jsonr_error(&r, &why);
	if (err && is_text(&p->step[0])) {
		err_clear(&why);
		jsonr_init(&r, what, JSONR_HEX | JSONR_TEXT, word, strlen(word));
		err = value_read(p, &r, bytes, n, &why);
	}
	if (err && e && !e->code)
		*e = why;
	return err;
}

int value_set(const struct value_plan *p, const char *assignment, void *bytes, size_t n, struct err *e)
{
	size_t len = strcspn(assignment, "+-=");
	CLEAN_PTR unsigned char *copy = malloc(n + 1);
	struct err why = { 0 };
	struct jsonr r = { 0 };
	struct reader rd = { .plan = p, .r = &r, .e = &why, .bytes = copy, .n = n };
	int err;

	if (!copy)
		return err_set(e, -ENOMEM, "no memory for a value");
	memcpy(copy, bytes, n);
	err = set(&rd, assignment);
	free(rd.known_mem);
	if (!err) {
		memcpy(bytes, copy, n);
		return 0;
	}
	err_in(&why, "%.*s%s", (int)(len < 64 ? len : 64), assignment, rd.path);
	if (e && !e->code)
		*e = why;
	return err;
}
