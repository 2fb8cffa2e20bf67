/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>

#include "base/json/json_cutter.h"
#include "base/json/jsonr.h"
#include "cli/env.h"
#include "cli/records.h"
#include "prog/verify.h"

/* Names in --limit and of the fields; the kernel's limit, 0: none. */
static const struct {
	const char *name, *field;
	uint64_t most;
} figures[FIGURES] = {
	[FIGURE_INSNS] = { "insns", "insns", 1000000 }, /* BPF_COMPLEXITY_LIMIT_INSNS */
	[FIGURE_STATES] = { "states", "states", 0 },	   [FIGURE_PEAK_STATES] = { "peak_states", "peak_states", 0 },
	[FIGURE_STACK] = { "stack", "stack", 512 }, /* MAX_BPF_STACK */
	[FIGURE_XLATED] = { "xlated", "bytes_xlated", 0 }, [FIGURE_JITED] = { "jited", "bytes_jited", 0 },
};

static int limit_unknown(const char *word, struct err *e)
{
	err_usage(e, "'%.64s' is not a limit", word);
	return err_hint(e, "limits are insns, states, peak_states, stack, xlated and jited: insns=80%%,stack=400");
}

/* "insns=80%" */
static int limit_parse(struct verify_limits *ret, char *word, struct err *e)
{
	char *value = strchr(word, '='), *end;
	uint32_t percent;
	unsigned f = 0;

	if (value)
		*value++ = '\0';
	while (f < FIGURES && strcmp(word, figures[f].name))
		f++;
	if (!value || f == FIGURES)
		return limit_unknown(word, e);
	end = value + strlen(value);
	if (end == value || end[-1] != '%')
		return num_parse_size(value, &ret->most[f]) ? err_usage(e, "'%s' is not a number", value) : 0;
	end[-1] = '\0';
	if (!figures[f].most)
		return err_usage(e, "the kernel has no limit of %s to take a percentage of", word);
	if (num_parse_u32(value, &percent) || !percent || percent > 100)
		return err_usage(e, "'%s%%' is not a percentage from 1 to 100", value);
	ret->most[f] = figures[f].most * percent / 100;
	return 0;
}

int verify_limits_parse(struct env *env, struct verify_limits *ret, const char *text, struct err *e)
{
	char *words = text ? arena_str(env->keep, text, SIZE_MAX) : NULL;
	int err = 0;

	for (unsigned f = 0; f < FIGURES; f++)
		ret->most[f] = UINT64_MAX;
	while (!err && words && *words)
		err = limit_parse(ret, strsep(&words, ","), e);
	return err;
}

/* A member of a record, whose name was read; what is not needed is skipped. */
static enum jsonr_token member_read(struct env *env, struct jsonr *r, struct verify_rec *rec)
{
	const struct jsonr name = *r;
	const enum jsonr_token t = jsonr_next(r);
	char *text;
	uint64_t value;

	if (t != JSONR_STR && t != JSONR_NUM)
		return jsonr_skip(r, t);
	text = arena_alloc(env->keep, r->len + 1);
	jsonr_text(r, text, r->len);
	for (unsigned f = 0; t == JSONR_NUM && f < FIGURES; f++)
		if (name.len == strlen(figures[f].field) && !memcmp(name.text, figures[f].field, name.len) &&
		    !num_parse_u64(text, &value))
			verify_figure_set(rec, f, value);
	if (t == JSONR_STR && jsonr_equal(&name, "\"file\"", 6))
		rec->file = text;
	else if (t == JSONR_STR && jsonr_equal(&name, "\"prog_name\"", 11))
		rec->name = text;
	else if (t == JSONR_STR && jsonr_equal(&name, "\"verification\"", 14))
		rec->was = text;
	return t;
}

static int result_read(struct env *env, const char *path, const char *text, size_t n, struct records *ret,
		       struct err *e)
{
	struct verify_rec rec = { 0 };
	struct jsonr r;
	enum jsonr_token t;

	jsonr_init(&r, path, 0, text, n);
	t = jsonr_next(&r);
	if (t == JSONR_OBJECT)
		while ((t = jsonr_next(&r)) == JSONR_NAME && (t = member_read(env, &r, &rec)) != JSONR_BAD)
			;
	if (t == JSONR_BAD)
		return jsonr_error(&r, e);
	if (!rec.was)
		return err_set(e, -EINVAL, "%s is not a result of `prog verify -j`", path);
	*(struct verify_rec *)records_add(ret, env) = rec;
	return 0;
}

int verify_results_read(struct env *env, const char *path, struct records *ret, struct err *e)
{
	CLEAN_FD fd = open(path, O_RDONLY | O_CLOEXEC);
	struct json_cutter cut;
	const char *text;
	size_t n;
	int err;

	if (fd < 0)
		return err_sys(e, -errno, "cannot open %s", path);
	json_cutter_init(&cut, fd, path);
	while ((err = json_cutter_next(&cut, &text, &n, e)) > 0) {
		err = result_read(env, path, text, n, ret, e);
		if (err)
			break;
	}
	json_cutter_release(&cut);
	return err;
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

/* Its result before: of the file with the same name, else of any. */
static const struct verify_rec *before_find(const struct verify_limits *l, const struct verify_rec *r)
{
	const struct verify_rec *ret = NULL;

	for (size_t i = 0; i < l->nbefore; i++) {
		const struct verify_rec *b = &l->before[i];

		if (!b->name || !r->name || strcmp(b->name, r->name))
			continue;
		if (!strcmp(base_name(b->file), base_name(r->file)))
			return b;
		if (!ret)
			ret = b;
	}
	return ret;
}

static bool figures_compare(struct verify_rec *r, const struct verify_rec *b, double tolerance)
{
	const char *accepted = verdict_words[VERDICT_ACCEPTED];
	bool worse = r->verdict != VERDICT_ACCEPTED && !strcmp(b->was, accepted);

	r->was = b->was;
	for (unsigned f = 0; f < FIGURES; f++) {
		struct verify_change c = { figures[f].field, b->figure[f], r->figure[f], false };

		if (b->has[f] != AVAIL_YES || r->has[f] != AVAIL_YES || c.was == c.now)
			continue;
		c.worse = (double)c.now > (double)c.was * (1 + tolerance / 100);
		worse |= c.worse;
		r->change[r->nchanges++] = c;
	}
	return worse;
}

bool verify_judge(struct verify_rec *r, const struct verify_limits *l)
{
	const struct verify_rec *b = before_find(l, r);
	bool bad = b ? figures_compare(r, b, l->tolerance) : r->verdict != VERDICT_ACCEPTED;

	for (unsigned f = 0; f < FIGURES; f++)
		if (r->has[f] == AVAIL_YES && r->figure[f] > l->most[f])
			r->over[r->novers++] = (struct verify_over){ figures[f].field, r->figure[f], l->most[f] };
	r->overs = r->over;
	r->changes = r->change;
	return bad || r->novers;
}
