/* SPDX-License-Identifier: BSD-2-Clause */
#include "token/read.h"

#include "host/mountinfo.h"
#include "kernel/names.h"

static const struct {
	const char *option;
	const struct name_table *names; /* NULL: the kernel's names are not in a table here */
} lists[ALLOWED] = {
	[ALLOWED_CMDS] = { "delegate_cmds=", NULL },
	[ALLOWED_MAPS] = { "delegate_maps=", &names_map_type },
	[ALLOWED_PROGS] = { "delegate_progs=", &names_prog_type },
	[ALLOWED_ATTACHS] = { "delegate_attachs=", &names_attach_type },
};

struct words {
	struct arena *arena;
	const char **word;
	uint32_t n;
	size_t cap;
};

static void word_add(struct words *w, const char *word)
{
	ARENA_MORE(w->arena, w->word, w->n, w->cap);
	w->word[w->n++] = word;
}

/* A kernel without BTF reports a bit mask instead of names; bits without a name are shown as a mask. */
static void bits_add(struct words *w, const struct name_table *names, uint64_t bits)
{
	uint64_t left = 0;

	for (unsigned i = 0; i < 64; i++) {
		const char *name = bits >> i & 1 ? names_of(names, i) : NULL;

		if (name)
			word_add(w, name);
		else
			left |= bits & UINT64_C(1) << i;
	}
	if (left)
		word_add(w, arena_fmt(w->arena, "0x%llx", llu(left)));
}

static void allowed_parse(char *text, const struct name_table *names, struct arena *a, struct allowed *ret)
{
	struct words w = { .arena = a };
	uint64_t bits;
	char *word;

	while ((word = strsep(&text, ":"))) {
		if (names && str_starts(word, "0x") && !num_parse_u64(word, &bits))
			bits_add(&w, names, bits);
		else if (*word)
			word_add(&w, arena_str(a, word, SIZE_MAX));
	}
	*ret = (struct allowed){ w.word, w.n };
}

static bool mount_options_parse(char *options, struct arena *a, struct token_rec *r)
{
	bool delegates = false;
	char *option;

	while ((option = strsep(&options, ","))) {
		for (unsigned i = 0; i < ALLOWED; i++) {
			if (!str_starts(option, lists[i].option))
				continue;
			allowed_parse(option + strlen(lists[i].option), lists[i].names, a, &r->allowed[i]);
			delegates = true;
		}
	}
	return delegates;
}

bool token_parse(char *line, struct arena *a, struct token_rec *ret)
{
	const char *ino = strsep(&line, " "), *pid = strsep(&line, " ");
	struct token_rec r = { 0 };
	struct mountinfo m;

	if (!line || num_parse_u64(ino, &r.mnt_ns) || num_parse_u32(pid, &r.pid) || !mountinfo_parse(line, &m) ||
	    strcmp(m.type, "bpf"))
		return false;
	if (!mount_options_parse(arena_str(a, m.options, SIZE_MAX), a, &r))
		return false;
	r.path = arena_str(a, m.path, SIZE_MAX);
	*ret = r;
	return true;
}
