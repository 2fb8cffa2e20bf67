/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/when.h"
#include "source/facts_state.h"
#include "source/lives.h"

const char *facts_meta(struct machine *m, const char *name)
{
	const size_t n = strlen(name);
	struct blob meta;
	char *text, *line;
	int err = machine_is_saved(m) ? ask_silently(m, m->facts->arena, &meta, Q_META) : -ENODATA;

	if (!err && meta.n && meta.p[meta.n - 1] != '\n')
		note_refused(m, -EBADMSG, Q_META);
	if (err && err != -ENODATA)
		note_refused(m, err, Q_META);
	if (err)
		return NULL;
	text = blob_text(m->facts->arena, &meta);
	while ((line = facts_cut(&text, '\n')))
		if (str_starts(line, name) && (line[n] == ' ' || !line[n]))
			return line[n] ? line + n + 1 : "";
	return NULL;
}

uint64_t facts_asked_at(struct machine *m)
{
	const struct lives *l;
	const char *created;
	struct when w;

	if (!machine_is_saved(m))
		return (uint64_t)time(NULL);
	if (m->saved_at)
		return m->saved_at;
	l = facts_lives(m);
	if (l && facts_boot_ns(m))
		return (facts_boot_ns(m) + lives_end(l)) / NSEC_PER_SEC;
	created = facts_meta(m, "created");
	return !created || when_parse(created, &w) || w.base != WHEN_DATE ? 0 : when_at(&w, 0) / NSEC_PER_SEC;
}

/* "SYSNAME RELEASE MACHINE\nHOST\n"; HOST since facts of a file include it. */
static char *uname_lines(struct machine *m)
{
	return facts_lines(m, Q_UNAME, NULL);
}

const char *facts_release(struct machine *m)
{
	char *text = uname_lines(m), *line = facts_cut(&text, '\n');

	return facts_cut(&line, ' ') ? facts_cut(&line, ' ') : NULL;
}

const char *facts_architecture(struct machine *m)
{
	char *text = uname_lines(m), *line = facts_cut(&text, '\n'), *blank = line ? strrchr(line, ' ') : NULL;

	return blank ? blank + 1 : NULL;
}

const char *facts_host(struct machine *m)
{
	char *text = uname_lines(m), *host;

	facts_cut(&text, '\n');
	host = facts_cut(&text, '\n');
	if (host)
		str_unescape(host);
	return host && *host ? host : NULL;
}

bool facts_recording(struct machine *m, struct recording_facts *ret)
{
	const struct lives *l = facts_lives(m);
	const uint64_t boot = facts_boot_ns(m);

	if (!l)
		return false;
	*ret = (struct recording_facts){
		.from = (boot + l->from) / NSEC_PER_SEC,
		.to = (boot + l->to) / NSEC_PER_SEC,
		.ns = l->to - l->from,
		.dated = boot,
		.killed = !l->to,
	};
	for (size_t i = 0; i < l->n; i++) {
		ret->gone += l->life[i].gone;
		ret->missing += l->life[i].how == LIFE_MISSED || l->life[i].missing;
	}
	return true;
}
