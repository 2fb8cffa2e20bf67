/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/elem_args.h"

#include <arpa/inet.h>
#include <linux/bpf.h>

#include "base/json/jsonr.h"
#include "cli/parse/object.h"
#include "cli/select.h"
#include "map/elem/open.h"
#include "map/types.h"

/* Key or value. @plan: with the formats that names imply; NULL: no type. @present: members change an existing value. */
struct data {
	const char *what;
	uint32_t size;
	const struct value_plan *plan;
	bool lpm, present;
	bool big; /* as base/bytes.h */
};

static const struct kind *value_kind(const struct open_map *m)
{
	if (m->info.type == BPF_MAP_TYPE_PROG_ARRAY)
		return &kind_prog;
	return m->form.flags & MAP_OF_MAPS ? &kind_map : NULL;
}

static bool is_hex(const char *word)
{
	return *word && str_starts("hex", word);
}

/* Decimal, octal or 0x: as bpftool reads a byte. */
static bool is_numeral(const char *word)
{
	bool hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
	const char *digits = word + (hex ? 2 : 0);
	size_t n = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");

	return n && !digits[n];
}

/* "in.x=5", "a[2]=7" */
static bool is_assignment(const char *word)
{
	size_t n = strcspn(word, "=");

	return n && word[n] && (isalpha((unsigned char)*word) || *word == '_' || *word == '[') && !memchr(word, '"', n);
}

static size_t numbers(const struct arg_list *l, size_t max)
{
	size_t n = 0;

	while (n < l->n && n < max && is_numeral(l->word[n]))
		n++;
	return n;
}

static bool is_abbreviation(const char *full, const char *word)
{
	return *word && str_starts(full, word);
}

/* Does a word after `hex` begin something else than bytes? Then `hex` is text. */
static bool is_keyword(const char *word)
{
	return num_hex_digit(*word) < 0 ? is_abbreviation("key", word) || is_abbreviation("value", word) ||
						  is_abbreviation("noexist", word) :
					  word[1] && (is_abbreviation("any", word) || is_abbreviation("exist", word));
}

/* The number of words, from the first of @l on, that are the data. */
static size_t data_words(const struct arg_list *l, uint32_t size)
{
	size_t n = 0;

	if (!l->n)
		return 0;
	if (is_hex(l->word[0]) && l->n > 1 && is_keyword(l->word[1]))
		return 1;
	if (is_hex(l->word[0]))
		return l->n - 1 < size ? l->n : (size_t)size + 1;
	n = numbers(l, size);
	if (n > 1)
		return n;
	for (n = 0; n < l->n && is_assignment(l->word[n]);)
		n++;
	return n ? n : 1;
}

static int flag_take(struct elem_args *w, const char *word, struct err *e)
{
	static const struct {
		const char *word;
		uint64_t flag;
	} flags[] = {
		{ "any", BPF_ANY },
		{ "exist", BPF_EXIST },
		{ "noexist", BPF_NOEXIST },
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (!is_abbreviation(flags[i].word, word))
			continue;
		if (w->has_flags)
			return err_usage(e, "only one of any, exist and noexist can be given");
		w->has_flags = true;
		w->flags = flags[i].flag;
		return 0;
	}
	return err_usage(e, "expected key, value, any, exist or noexist, got: '%s'?", word);
}

const char *elem_args_cpu(struct arg_list *words)
{
	/* `key cpu` is a key, and what follows is none. */
	if (words->n < 4 || strcmp(words->word[words->n - 2], "cpu") != 0)
		return NULL;
	words->n -= 2;
	return words->word[words->n + 1];
}

int elem_args_split(const struct open_map *m, const struct arg_list *words, unsigned allowed, struct elem_args *ret,
		    struct err *e)
{
	struct elem_args w = { 0 };
	size_t i = 0, n;
	int err;

	while (i < words->n) {
		const char *word = words->word[i];
		bool key = allowed & ELEM_ARGS_KEY && is_abbreviation("key", word),
		     value = allowed & ELEM_ARGS_VALUE && is_abbreviation("value", word);
		struct arg_list left = { words->word + i + 1, words->n - i - 1 };

		if (!key && !value) {
			if (!(allowed & ELEM_ARGS_FLAGS))
				return err_usage(e, "expected key%s, got: '%s'?",
						 allowed & ELEM_ARGS_VALUE ? " or value" : "", word);
			err = flag_take(&w, word, e);
			if (err)
				return err;
			i++;
			continue;
		}
		if (key ? w.has_key : w.has_value)
			return err_usage(e, "'%s' is given twice", key ? "key" : "value");
		n = value && value_kind(m) ? 2 : data_words(&left, key ? m->info.key_size : m->info.value_size);
		left.n = n < left.n ? n : left.n;
		*(key ? &w.key : &w.value) = left;
		*(key ? &w.has_key : &w.has_value) = true;
		i += 1 + left.n;
	}
	*ret = w;
	return 0;
}

/* The hint lists what is accepted. */
static int bytes_hint(const struct data *d, bool hex, struct err *e)
{
	const char *bytes = d->size == 1 ? "byte" : "bytes";

	if (hex)
		return err_hint(e, "after `hex`: %u %s of one or two hexadecimal digits", d->size, bytes);
	return err_hint(e, "%s%u %s, each a number from 0 to 255; after `hex`, in hexadecimal",
			d->plan ? "one word as `map dump` prints it, MEMBER=VALUE for each member, or " : "", d->size,
			bytes);
}

static int bytes_read(const struct data *d, const struct arg_list *l, bool hex, unsigned char *ret, struct err *e)
{
	size_t i;

	if (l->n != d->size) {
		err_usage(e, "%s expected %u byte%s got %zu", d->what, d->size, plural(d->size), l->n);
		return bytes_hint(d, hex, e);
	}
	for (i = 0; i < l->n; i++) {
		char *end;
		unsigned long v;

		errno = 0;
		v = strtoul(l->word[i], &end, hex ? 16 : 0);
		if (*end || end == l->word[i] || num_hex_digit(*l->word[i]) < 0) {
			err_usage(e, "error parsing byte: %s", l->word[i]);
			return bytes_hint(d, hex, e);
		}
		if (v > 255 || errno)
			return err_usage(e, "%s: %s does not fit in a byte (0 to 255)", d->what, l->word[i]);
		ret[i] = (unsigned char)v;
	}
	return 0;
}

/* An address of d's size, or in an LPM trie a prefix: its length in bits, then the address. */
static bool address_read(const struct data *d, const char *word, unsigned char *ret)
{
	uint32_t skip = d->lpm ? sizeof(uint32_t) : 0, size = d->size - skip, bits = size * 8;
	size_t len = strcspn(word, "/");
	char text[64];

	if ((size != 4 && size != 16) || len >= sizeof(text) || (word[len] && !d->lpm))
		return false;
	memcpy(text, word, len);
	text[len] = '\0';
	if (inet_pton(size == 4 ? AF_INET : AF_INET6, text, ret + skip) != 1)
		return false;
	if (word[len] && (num_parse_u32(word + len + 1, &bits) || bits > size * 8))
		return false;
	if (skip)
		store_uint(ret, skip, bits, d->big);
	return true;
}

static int untyped_read(const struct data *d, const char *word, unsigned char *ret, struct err *e)
{
	uint64_t v;

	if (d->size == 1 || d->size == 2 || d->size == 4 || d->size == 8) {
		if (!num_parse_u64(word, &v) && (d->size == 8 || !(v >> 8 * d->size))) {
			store_uint(ret, d->size, v, d->big);
			return 0;
		}
		if (!num_parse_u64(word, &v))
			return err_usage(e, "%s: %s does not fit in %u bits", d->what, word, d->size * 8);
	}
	err_usage(e, "%s: cannot convert '%s' to %u byte%s", d->what, word, d->size, plural(d->size));
	return err_hint(e, "the map has no type for it: give its bytes as numbers, or `hex` and its bytes");
}

static int word_read(const struct data *d, const char *word, unsigned char *ret, struct err *e)
{
	struct err why = { 0 };

	if (d->plan && !value_read_word(d->plan, d->what, word, ret, d->size, &why))
		return 0;
	if (address_read(d, word, ret))
		return 0;
	if (!d->plan)
		return untyped_read(d, word, ret, e);
	why.status = EXIT_USAGE;
	if (e && !e->code)
		*e = why;
	return why.code;
}

/* "packets+=5" */
static bool is_change(const char *word)
{
	size_t n = strcspn(word, "=");

	return is_assignment(word) && n && (word[n - 1] == '+' || word[n - 1] == '-');
}

/* Sets members of @count values of d's type, @step bytes apart. */
static int members_set(const struct data *d, const struct arg_list *l, uint32_t count, uint32_t step,
		       unsigned char *ret, struct err *e)
{
	for (size_t k = 0; k < l->n; k++)
		if (is_change(l->word[k]) && (count > 1 || !d->present))
			return err_usage(e, "'%s': %s", l->word[k],
					 d->present ? "the map has a value for each CPU: give them as a list" :
						      "a key cannot be added to");
	for (uint32_t i = 0; i < count; i++) {
		for (size_t k = 0; k < l->n; k++) {
			int err = value_set(d->plan, l->word[k], ret + (size_t)i * step, d->size, e);

			if (err) {
				if (e)
					e->status = EXIT_USAGE;
				return err;
			}
		}
	}
	return 0;
}

static int data_read(const struct data *d, const struct arg_list *l, unsigned char *ret, struct err *e)
{
	struct arg_list rest = { l->word + 1, l->n - 1 };
	struct err why = { 0 };

	if (!l->n)
		return bytes_read(d, l, false, ret, e);
	if (is_hex(l->word[0]) && l->n == 1 && d->plan &&
	    !value_read_word(d->plan, d->what, l->word[0], ret, d->size, NULL))
		return 0;
	if (is_hex(l->word[0]))
		return bytes_read(d, &rest, true, ret, e);
	if (is_assignment(l->word[0]) && !d->plan) {
		err_usage(e, "%s: '%s' names a member, and the map has no type for it", d->what, l->word[0]);
		return err_hint(e, "give its bytes as numbers, or `hex` and its bytes");
	}
	/* Text may also have these characters. */
	if (is_assignment(l->word[0]) && (l->n > 1 || word_read(d, l->word[0], ret, &why))) {
		memset(ret, 0, d->size);
		return members_set(d, l, 1, d->size, ret, e);
	}
	if (l->n > 1 || (d->size == 1 && is_numeral(l->word[0]) && !(d->plan && value_is_str(d->plan))))
		return bytes_read(d, l, false, ret, e);
	return word_read(d, l->word[0], ret, e);
}

/* The map has keys, or values, if and only if one was given. */
static int data_expected(const struct open_map *m, const struct data *d, bool given, struct err *e)
{
	if (!given && d->size) {
		err_usage(e, "missing %s: elements of map %u have a %s of %u byte%s", d->what, m->info.id, d->what,
			  d->size, plural(d->size));
		return err_hint(e, "add `%s` and the %s", d->what, d->what);
	}
	if (given && !d->size) {
		err_usage(e, "unexpected %s: elements of map %u have no %s", d->what, m->info.id, d->what);
		return err_hint(e, "omit the %s", d->what);
	}
	return 0;
}

int elem_args_key(const struct open_map *m, const struct elem_args *w, unsigned char *key, struct err *e)
{
	struct data d = { "key", m->info.key_size, m->shown.key, m->info.type == BPF_MAP_TYPE_LPM_TRIE,
			  false, m->form.big };

	int err = data_expected(m, &d, w->has_key, e);

	return err || !w->has_key ? err : data_read(&d, &w->key, key, e);
}

int elem_args_key_only(const struct open_map *m, const struct arg_list *words, unsigned char *key, struct err *e)
{
	struct elem_args w;
	int err = elem_args_split(m, words, ELEM_ARGS_KEY, &w, e);

	return err ? err : elem_args_key(m, &w, key, e);
}

bool elem_args_are_members(const struct open_map *m, const struct elem_args *w)
{
	return m->form.value && w->value.n && is_assignment(w->value.word[0]) && !value_is_str(m->form.value);
}

/* `id 7`, `pinned PATH`: returns a descriptor. */
static int value_object_open(struct env *env, const struct kind *k, const struct arg_list *l, struct err *e)
{
	struct object_ref ref;

	if (l->n && parser_ref(env, k, l, &ref, e) == l->n)
		return select_open(env, k, &ref, NULL, e);
	return err_usage(e, "the values of this map are %ss: name one by id, name%s or pinned path", k->noun,
			 k->selectors & SEL_TAG ? ", tag" : "");
}

/* {"cpu":1,"value":..}, as in a dump: reads up to the value. */
static bool cpu_enter(struct jsonr *r, uint32_t *ret_cpu)
{
	char digits[sizeof("4294967295")];

	if (jsonr_next(r) != JSONR_OBJECT || !jsonr_name_is(r, "\"cpu\"", 5) || jsonr_next(r) != JSONR_NUM ||
	    r->len >= sizeof(digits))
		return false;
	memcpy(digits, r->text, r->len);
	digits[r->len] = '\0';
	if (num_parse_u32(digits, ret_cpu))
		return false;
	return jsonr_next(r) == JSONR_NAME && jsonr_equal(r, "\"value\"", 7);
}

/* Each element of the list is the value of a CPU, or an object with cpu and value as in a dump. */
static int cpus_read(const struct open_map *m, const char *word, unsigned char *ret, struct err *e)
{
	uint32_t i, cpu, step = (m->info.value_size + 7) & ~7u;
	enum jsonr_token t;
	struct jsonr r, elem;

	jsonr_init(&r, "value", JSONR_HEX, word, strlen(word));
	jsonr_next(&r);
	for (i = 0; i < m->form.cpus; i++) {
		struct jsonr before = r;
		const char *from;

		t = jsonr_next(&r);
		if (t == JSONR_CLOSE)
			return err_usage(e, "value: the list has %u elements, and there are %u possible CPUs", i,
					 m->form.cpus);
		from = before.p + strspn(before.p, " \t\r\n,");
		if (t == JSONR_BAD || jsonr_skip(&r, t) == JSONR_BAD)
			return jsonr_error(&r, e);
		jsonr_init(&elem, "value", JSONR_HEX, from, (size_t)(r.p - from));
		if (t == JSONR_OBJECT && cpu_enter(&elem, &cpu)) {
			from = elem.p;
			if (cpu != elem_cpu(&m->form, i))
				return err_usage(
					e, "value: element %u of the list is of CPU %u; that of CPU %u belongs there",
					i, cpu, elem_cpu(&m->form, i));
		}
		jsonr_init(&elem, "value", JSONR_HEX, from, (size_t)(r.p - from));
		if (value_read(m->shown.value, &elem, ret + (size_t)i * step, m->info.value_size, e))
			return err_in(e, "CPU %u", elem_cpu(&m->form, i));
	}
	if (jsonr_next(&r) != JSONR_CLOSE)
		return err_usage(e, "value: the list has more than %u elements, one for each possible CPU",
				 m->form.cpus);
	return jsonr_next(&r) == JSONR_END ? 0 : jsonr_error(&r, e);
}

int elem_args_value(struct env *env, const struct open_map *m, const struct elem_args *w, unsigned char *value,
		    int *ret_fd, struct err *e)
{
	struct data d = { "value", m->info.value_size, m->shown.value, false, true, m->form.big };
	const struct kind *k = value_kind(m);
	uint32_t cpu, step = (d.size + 7) & ~7u;
	struct err why = { 0 };
	int err;

	*ret_fd = -1;
	err = data_expected(m, &d, w->has_value, e);
	if (err || !w->has_value)
		return err;
	if (k) {
		err = value_object_open(env, k, &w->value, e);
		if (err < 0)
			return err;
		*ret_fd = err;
		memcpy(value, ret_fd, d.size < sizeof(int) ? d.size : sizeof(int));
		return 0;
	}
	if (elem_args_are_members(m, w))
		return members_set(&d, &w->value, m->form.cpus ? m->form.cpus : 1, step, value, e);
	err = data_read(&d, &w->value, value, &why);
	if (err && m->form.cpus && d.plan && w->value.n == 1 && w->value.word[0][0] == '[')
		return cpus_read(m, w->value.word[0], value, e);
	if (err && e && !e->code)
		*e = why;
	for (cpu = 1; !err && cpu < m->form.cpus; cpu++)
		memcpy(value + (size_t)cpu * step, value, d.size);
	return err;
}
