/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/file/map_calls.h"

#include "kernel/object.h"
#include "source/facts_state.h"
#include "source/questions.h"

void map_calls_put_head(struct str *ret, const struct map_calls *head)
{
	str_fmt(ret, "%u %" PRIu64 "\n", head->map, head->lost);
}

static void call_put_bytes(struct str *ret, const void *p, size_t n)
{
	const unsigned char *byte = p;

	str_puts(ret, n ? " " : " -");
	for (size_t i = 0; i < n; i++)
		str_add(ret, num_hex2[byte[i]], 2);
}

static void call_put_object(struct str *ret, const struct calls_object *o)
{
	if (o->kind && o->kind <= OBJECT_KINDS)
		str_fmt(ret, " %s:%u", object_kind_names[o->kind - 1], o->id);
	else
		str_puts(ret, " -");
}

void map_calls_put(struct str *ret, const struct calls_record *r)
{
	const unsigned char *bytes = (const unsigned char *)(r + 1);
	char comm[sizeof(r->comm) + 1];

	str_fmt(ret, "%" PRIu64 " %" PRIu64 " %" PRId64 " %u %u %u %u", r->begin, r->end, r->result, r->pid, r->tid,
		r->cmd, r->size);
	call_put_object(ret, &r->made);
	for (size_t i = 0; i < CALLS_FDS; i++)
		call_put_object(ret, &r->object[i]);
	call_put_bytes(ret, r->attr, r->got);
	call_put_bytes(ret, r->text, strnlen(r->text, sizeof(r->text)));
	call_put_bytes(ret, bytes, r->key_bytes);
	call_put_bytes(ret, bytes + r->key_bytes, r->value_bytes);
	snprintf(comm, sizeof(comm), "%.*s", (int)sizeof(r->comm), r->comm);
	str_puts(ret, " ");
	str_escape(ret, *comm ? comm : "?");
	str_puts(ret, "\n");
}

static int number_parse(char **line, uint64_t max, uint64_t *ret)
{
	const char *word = facts_cut(line, ' ');

	return !word || num_parse_u64(word, ret) || *ret > max ? -EBADMSG : 0;
}

static int u32_parse(char **line, uint32_t *ret)
{
	uint64_t v;
	int err = number_parse(line, UINT32_MAX, &v);

	*ret = err ? 0 : (uint32_t)v;
	return err;
}

static int result_parse(char **line, int64_t *ret)
{
	const bool negative = *line && **line == '-';
	uint64_t v;

	if (negative)
		++*line;
	if (number_parse(line, INT64_MAX, &v))
		return -EBADMSG;
	*ret = negative ? -(int64_t)v : (int64_t)v;
	return 0;
}

static int call_object_parse(char **line, struct calls_object *ret)
{
	char *word = facts_cut(line, ' ');
	const char *kind = word ? facts_cut(&word, ':') : NULL;
	int k;

	*ret = (struct calls_object){ 0 };
	if (!kind)
		return -EBADMSG;
	if (!word)
		return strcmp(kind, "-") ? -EBADMSG : 0;
	k = object_kind_parse(kind);
	ret->kind = (uint32_t)k + 1;
	return k < 0 ? -EBADMSG : u32_parse(&word, &ret->id);
}

static int call_bytes_parse(char **line, void *to, size_t max, uint32_t *ret_n)
{
	const char *word = facts_cut(line, ' ');
	const size_t n = word ? strlen(word) / 2 : 0;

	*ret_n = 0;
	if (!word)
		return -EBADMSG;
	if (!strcmp(word, "-"))
		return 0;
	if (!n || n > max || word[2 * n])
		return -EBADMSG;
	for (size_t i = 0; i < n; i++) {
		const int byte = num_hex_byte(word + 2 * i);

		if (byte < 0)
			return -EBADMSG;
		((unsigned char *)to)[i] = (unsigned char)byte;
	}
	*ret_n = (uint32_t)n;
	return 0;
}

static int call_parse(char *line, struct calls_elem *ret)
{
	struct calls_record *r = &ret->call;
	uint32_t text;
	char *comm;

	memset(r, 0, sizeof(*r));
	if (number_parse(&line, UINT64_MAX, &r->begin) || number_parse(&line, UINT64_MAX, &r->end) ||
	    r->end < r->begin || result_parse(&line, &r->result) || u32_parse(&line, &r->pid) ||
	    u32_parse(&line, &r->tid) || u32_parse(&line, &r->cmd) || u32_parse(&line, &r->size) ||
	    call_object_parse(&line, &r->made))
		return -EBADMSG;
	for (size_t i = 0; i < CALLS_FDS; i++)
		if (call_object_parse(&line, &r->object[i]))
			return -EBADMSG;
	if (call_bytes_parse(&line, r->attr, sizeof(r->attr), &r->got) ||
	    call_bytes_parse(&line, r->text, sizeof(r->text), &text) || memchr(r->text, '\0', text) ||
	    call_bytes_parse(&line, ret->bytes, CALLS_KEY, &r->key_bytes) ||
	    call_bytes_parse(&line, ret->bytes + r->key_bytes, CALLS_VALUE, &r->value_bytes))
		return -EBADMSG;
	comm = facts_cut(&line, ' ');
	if (!comm)
		return -EBADMSG;
	str_unescape(comm);
	if (strcmp(comm, "?"))
		memcpy(r->comm, comm, strnlen(comm, sizeof(r->comm)));
	return 0;
}

int map_calls_parse(const struct blob *b, struct arena *scratch, map_calls_fn *each, void *ctx)
{
	struct calls_elem *elem = arena_alloc(scratch, sizeof(*elem));
	char *text = blob_text(scratch, b), *line;
	size_t lines = str_lines(text);

	if (!blob_is_lines(b))
		return -EBADMSG;
	while (lines-- && (line = facts_cut(&text, '\n'))) {
		if (call_parse(line, elem))
			return -EBADMSG;
		each(ctx, &elem->call);
	}
	return 0;
}

int map_calls_read_head(struct machine *m, struct arena *scratch, struct map_calls *ret)
{
	ARENA_SCOPE(scratch);
	struct blob b;
	int err = machine_is_saved(m) ? ask_silently(m, scratch, &b, Q_CALLS) : -ENODATA;
	char *line;

	if (err == -ENODATA)
		return err;
	if (!err) {
		line = blob_text(scratch, &b);
		line[strcspn(line, "\n")] = '\0';
		err = u32_parse(&line, &ret->map) || number_parse(&line, UINT64_MAX, &ret->lost) || line ? -EBADMSG : 0;
	}
	return err ? note_refused(m, err, Q_CALLS) : 0;
}

int map_calls_read(struct machine *m, struct arena *scratch, map_calls_fn *each, void *ctx)
{
	for (uint64_t piece = 0;; piece++) {
		ARENA_SCOPE(scratch);
		struct blob b;
		int err = ask_silently(m, scratch, &b, Q_CALL, piece);

		if (err == -ENODATA)
			return 0;
		if (!err)
			err = map_calls_parse(&b, scratch, each, ctx);
		if (err)
			return note_refused(m, err, Q_CALL, piece);
	}
}
