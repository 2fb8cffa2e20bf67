/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/features.h"

#include <linux/bpf.h>

#include "source/machine.h"

char *feature_word(char **p)
{
	char *word = *p;

	if (!word)
		return NULL;
	*p = strchr(word, ' ');
	if (*p)
		*(*p)++ = '\0';
	return word;
}

static int why_parse(const char *text)
{
	uint32_t why;

	return text && !num_parse_u32(text, &why) && why < 4096 ? (int)why : -1;
}

/* Names from the kernel and from archives become names of macros. */
bool feature_is_word(const char *s)
{
	return s && *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

static void way_parse(struct feature_answer *a, uint32_t type, char *rest)
{
	const char *which = feature_word(&rest);
	uint32_t attach;

	if (!which || num_parse_u32(which, &attach) || a->nways == FEATURE_WAYS)
		return;
	a->way[a->nways].prog = type;
	a->way[a->nways].attach = attach;
	a->way[a->nways++].why = why_parse(rest);
}

static void answer_parse(struct feature_answer *a, char *line)
{
	const char *what = feature_word(&line), *which = strcmp(what, "bpf") ? feature_word(&line) : NULL;
	uint32_t type = 0;

	if (!strcmp(what, "bpf")) {
		a->call = why_parse(line);
	} else if (which && !strcmp(what, "misc") && feature_is_word(which) && a->nmisc < ARRAY_SIZE(a->misc)) {
		a->misc[a->nmisc].name = which;
		a->misc[a->nmisc++].why = why_parse(line);
	} else if (which && !num_parse_u32(which, &type) && type && type < FEATURE_TYPES) {
		if (!strcmp(what, "prog"))
			a->prog[type] = why_parse(line);
		else if (!strcmp(what, "map"))
			a->map[type] = why_parse(line);
		else if (!strcmp(what, "helpers"))
			a->helpers[type] = line ? line : "";
		else if (!strcmp(what, "kfuncs"))
			a->kfuncs[type] = line ? line : "";
		else if (!strcmp(what, "attach"))
			way_parse(a, type, line);
	}
}

int feature_ask_all(struct machine *m, uint64_t how, uint32_t ifindex, struct arena *arena, struct feature_answer **ret)
{
	struct feature_answer *a;
	char *text;
	int err = ask_lines(m, arena, &text, Q_FEATURES, how, .index = ifindex);

	if (err)
		return err;
	a = arena_alloc(arena, sizeof(*a));
	a->call = -1;
	memset(a->prog, -1, sizeof(a->prog));
	memset(a->map, -1, sizeof(a->map));
	for (char *line; (line = strsep(&text, "\n"));)
		if (*line)
			answer_parse(a, line);
	*ret = a;
	return 0;
}

enum feature_state feature_state(int why)
{
	switch (why) {
	case 0:
		return FEATURE_HERE;
	case EINVAL:
	case E2BIG:
	case EOPNOTSUPP:
	case ENOTSUPP:
	case ENOSYS:
	case ENOENT:
		return FEATURE_NOT;
	case EPERM:
	case EACCES:
		return FEATURE_REFUSED;
	default:
		return FEATURE_UNKNOWN;
	}
}

enum feature_state feature_helper(const struct feature_answer *f, uint32_t prog, uint32_t id)
{
	const char *p = prog < FEATURE_TYPES ? f->helpers[prog] : NULL;

	if (!p || !strcmp(p, "?"))
		return FEATURE_UNKNOWN;
	while (*p) {
		char *end;
		const unsigned long v = strtoul(p, &end, 10);

		if (end == p)
			break;
		if (v == id)
			return FEATURE_HERE;
		p = end + (*end == ' ');
	}
	/* These are tried only with FEATURES_FULL. */
	return id == BPF_FUNC_trace_printk || id == BPF_FUNC_trace_vprintk || id == BPF_FUNC_probe_write_user ?
		       FEATURE_UNKNOWN :
		       FEATURE_NOT;
}

int feature_way(const struct feature_answer *f, uint32_t prog, uint32_t attach)
{
	for (uint32_t i = 0; i < f->nways; i++)
		if (f->way[i].prog == prog && f->way[i].attach == attach)
			return f->way[i].why;
	return -1;
}

int feature_misc(const struct feature_answer *f, const char *name)
{
	for (uint32_t i = 0; i < f->nmisc; i++)
		if (!strcmp(f->misc[i].name, name))
			return f->misc[i].why;
	return -1;
}
