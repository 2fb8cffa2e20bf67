/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/codes.h"

#include "source/facts_state.h"
#include "source/questions.h"

/* A number, or @none in its place. */
static void field_put_number(struct str *ret, bool known, uint64_t v, const char *none)
{
	if (known)
		str_fmt(ret, "%" PRIu64 " ", v);
	else
		str_fmt(ret, "%s ", none);
}

void codes_put(struct str *ret, const struct code *c)
{
	str_fmt(ret, "0x%" PRIx64 " %u ", c->addr, c->len);
	field_put_number(ret, c->from, c->from, "?");
	field_put_number(ret, c->gone && c->gone_at, c->gone_at, c->gone ? "?" : "-");
	field_put_number(ret, c->prog, c->prog, "-");
	field_put_number(ret, c->pid, c->pid, "?");
	field_put_number(ret, c->has_text, c->text, "-");
	if (c->comm && *c->comm)
		str_escape(ret, c->comm);
	else
		str_puts(ret, "?");
	str_puts(ret, " ");
	str_escape(ret, c->name);
	str_puts(ret, "\n");
}

/* The next word: a number up to @max, or one of the characters of @none and 0. */
static int field_parse(char **line, const char *none, uint64_t max, char *ret_none, uint64_t *ret)
{
	const char *word = facts_cut(line, ' ');

	*ret = 0;
	*ret_none = '\0';
	if (!word)
		return -EBADMSG;
	if (*word && !word[1] && strchr(none, *word)) {
		*ret_none = *word;
		return 0;
	}
	return num_parse_u64(word, ret) || *ret > max ? -EBADMSG : 0;
}

static int code_parse(char *line, struct code *ret)
{
	uint64_t addr, len, from, gone, prog, pid, text;
	char none, no_gone, no_text, *comm;

	if (field_parse(&line, "", UINT64_MAX, &none, &addr) || field_parse(&line, "", UINT32_MAX, &none, &len) ||
	    field_parse(&line, "?", UINT64_MAX, &none, &from) ||
	    field_parse(&line, "?-", UINT64_MAX, &no_gone, &gone) ||
	    field_parse(&line, "-", UINT32_MAX, &none, &prog) || field_parse(&line, "?", UINT32_MAX, &none, &pid) ||
	    field_parse(&line, "-", UINT32_MAX, &no_text, &text))
		return -EBADMSG;
	comm = facts_cut(&line, ' ');
	*ret = (struct code){
		.addr = addr,
		.len = (uint32_t)len,
		.from = from,
		.gone = no_gone != '-',
		.gone_at = gone,
		.prog = (uint32_t)prog,
		.pid = (uint32_t)pid,
		.has_text = !no_text,
		.text = (uint32_t)text,
	};
	ret->name = facts_cut(&line, ' ');
	if (!comm || !ret->name || addr + len < addr)
		return -EBADMSG;
	ret->comm = strcmp(comm, "?") ? comm : NULL;
	str_unescape(comm);
	str_unescape((char *)ret->name);
	return 0;
}

int codes_parse(struct codes *ret, const struct blob *b, struct arena *a)
{
	char *text = blob_text(a, b), *line;
	const size_t lines = str_lines(text);

	*ret = (struct codes){ 0 };
	if (!blob_is_lines(b))
		return -EBADMSG;
	ret->code = arena_array(a, lines, sizeof(*ret->code));
	while (ret->n < lines && (line = facts_cut(&text, '\n'))) {
		if (code_parse(line, &ret->code[ret->n]))
			return -EBADMSG;
		ret->n++;
	}
	return 0;
}

const struct codes *facts_codes(struct machine *m)
{
	struct facts *f = m->facts;
	struct blob b;
	int err;

	if (f->codes)
		return f->codes;
	f->codes = arena_alloc(f->arena, sizeof(*f->codes));
	err = machine_is_saved(m) ? ask_silently(m, f->arena, &b, Q_CODES) : -ENODATA;
	if (!err)
		err = codes_parse(f->codes, &b, f->arena);
	if (err && err != -ENODATA)
		note_refused(m, err, Q_CODES);
	if (err)
		*f->codes = (struct codes){ 0 };
	return f->codes;
}
