/* SPDX-License-Identifier: BSD-2-Clause */
#include "info/info.h"

#include <sys/stat.h>

#include "cli/select.h"
#include "source/facts.h"
#include "source/questions.h"
#include "source/samples.h"

struct info_rec {
	const char *file, *host, *release, *machine, *tool, *lacks_caps, *lacks;
	uint64_t bytes, from, to, saved_at, duration;
	uint64_t counts[OBJECT_KINDS], gone, samples;
	bool complete, map_data;
	uint8_t has_counts[OBJECT_KINDS]; /* enum avail, as all that follow */
	uint8_t has_file, has_saved, has_time, has_end, has_lives, has_tool, has_caps, has_samples;
};

static size_t caps_text(const void *rec, char *buf, size_t size)
{
	const struct info_rec *r = rec;

	if (r->has_caps != AVAIL_YES)
		return str_snprintf(buf, size, "%s", r->has_caps == AVAIL_NO ? "not recorded" : "?");
	return str_snprintf(buf, size, "%s%s", *r->lacks_caps ? "without " : "all that BPF needs", r->lacks_caps);
}

/* Files have it since version 0.1.0. */
static size_t host_text(const void *rec, char *buf, size_t size)
{
	const struct info_rec *r = rec;

	return str_snprintf(buf, size, "%s", r->host ? r->host : "not recorded");
}

static size_t duration_text(const void *rec, char *buf, size_t size)
{
	const struct info_rec *r = rec;
	char text[32];

	return r->has_end == AVAIL_YES ? str_snprintf(buf, size, "%s", num_nsec(text, sizeof(text), r->duration)) : 0;
}

enum { L_FILE, L_HOST, L_TIME, L_TOOL, L_CAPS, L_OBJECTS, L_COMPLETE };
#define INFO_FIELD_COUNT(kind, name, noun, before) \
	FIELD_IF(info_rec, counts[kind], has_counts[kind], name, noun "s in it", .plain = before "% " noun "(s)", \
		 .line = L_OBJECTS, .col = kind)
static const struct field info_fields[] = {
	INFO_FIELD_FILE(info_rec, .line = L_FILE, FIELD_WHEN(info_rec, has_file)),
	INFO_FIELD_BYTES(info_rec, .line = L_FILE, FIELD_WHEN(info_rec, has_file)),
	FIELD(info_rec, host, "host", "name of the host, unless the file is too old to have it", .plain = "host %",
	      .text = host_text, .line = L_HOST),
	INFO_FIELD_RELEASE(info_rec, .line = L_HOST),
	INFO_FIELD_MACHINE(info_rec, .line = L_HOST),
	FIELD_AS(info_rec, from, FT_TIME, "recorded_from", "start of the recording", .plain = "recorded from %",
		 .line = L_TIME, FIELD_WHEN(info_rec, has_time)),
	FIELD_AS(info_rec, to, FT_TIME, "recorded_to", "end of the recording; ? if it was killed", .plain = " to %",
		 .line = L_TIME, .col = 1, FIELD_WHEN(info_rec, has_end)),
	FIELD_IF(info_rec, duration, has_end, "recorded_ns", "how long the recording is", .unit = FU_NSEC,
		 .plain = ", %", .text = duration_text, .line = L_TIME, .col = 2),
	FIELD_AS(info_rec, saved_at, FT_TIME, "saved_at", "time when the file was written", .plain = "saved at %",
		 .line = L_TIME, .col = 3, FIELD_WHEN(info_rec, has_saved)),
	INFO_FIELD_TOOL(info_rec, .line = L_TOOL, FIELD_WHEN(info_rec, has_tool)),
	FIELD_IF(info_rec, lacks_caps, has_caps, "caps_missing",
		 "capabilities that BPF needs and that the process which read the machine lacked; empty: none",
		 .plain = "capabilities: %", .text = caps_text, .line = L_CAPS),
	INFO_FIELD_COUNT(OBJECT_PROG, "nr_progs", "program", ""),
	INFO_FIELD_COUNT(OBJECT_MAP, "nr_maps", "map", ", "),
	INFO_FIELD_COUNT(OBJECT_LINK, "nr_links", "link", ", "),
	INFO_FIELD_COUNT(OBJECT_BTF, "nr_btfs", "BTF object", ", "),
	FIELD_IF(info_rec, map_data, has_file, "map_data", "with the contents of maps",
		 .plain = ", with map contents|, without map contents", .line = L_OBJECTS, .col = 5),
	FIELD_IF(info_rec, gone, has_lives, "programs_gone", "programs that were unloaded before the end",
		 .plain = ", % of the programs unloaded before the end", .line = L_OBJECTS, .col = 6),
	FIELD_IF(info_rec, samples, has_samples, "hz", "samples per second of a CPU", .was = "samples_hz",
		 .plain = ", % samples per second", .line = L_OBJECTS, .col = 7),
	FIELD_IF(info_rec, complete, has_file, "file_complete", "the file has all that there was to read",
		 .plain = "complete|", .line = L_COMPLETE),
	FIELD(info_rec, lacks, "incomplete", "what could not be read, or what the file lacks", .plain = "incomplete: %",
	      .line = L_COMPLETE, .col = 1, .flags = FIELD_NONZERO),
};
const struct schema info_schema = SCHEMA("info", info_rec, info_fields);

static void info_recording(struct machine *m, struct info_rec *r)
{
	struct recording_facts f;

	if (!facts_recording(m, &f))
		return;
	r->has_lives = AVAIL_YES;
	r->gone = f.gone;
	r->has_time = f.dated ? AVAIL_YES : AVAIL_UNKNOWN;
	r->has_end = f.dated && !f.killed ? AVAIL_YES : AVAIL_UNKNOWN;
	r->from = f.from;
	r->to = f.to;
	r->duration = f.ns;
	r->has_saved = AVAIL_NO;
	if (f.killed && !r->lacks)
		r->lacks = "the recorder was killed";
}

/* The answer of NAME in sys/access; NULL: unknown. */
static const char *info_caps(struct env *env, uint8_t *ret_has)
{
	const char *caps;
	char *text;
	struct blob b;

	*ret_has = AVAIL_NO;
	if (machine_is_saved(env->machine) && ask_silently(env->machine, env->keep, &b, Q_ACCESS) == -ENODATA)
		return NULL;
	*ret_has = AVAIL_UNKNOWN;
	if (ask_lines(env->machine, env->keep, &text, Q_ACCESS))
		return NULL;
	caps = facts_access(text, "caps_missing", env->keep);
	*ret_has = caps ? AVAIL_YES : AVAIL_UNKNOWN;
	return caps && !strcmp(caps, "none") ? "" : caps;
}

const void *info_read(struct env *env, const char *path)
{
	struct info_rec *r = arena_alloc(env->keep, sizeof(*r));
	struct machine *m = env->machine;
	const char *note = env->report->note;
	struct samples_head how;
	struct stat st;

	r->lacks = *note ? arena_str(env->keep, note, SIZE_MAX) : NULL;
	r->host = facts_host(m);
	r->release = facts_release(m);
	r->machine = facts_architecture(m);
	r->lacks_caps = info_caps(env, &r->has_caps);
	for (size_t i = 0; kinds[i]; i++) {
		const enum object_kind k = kinds[i]->object;
		struct err why = { 0 };
		const uint32_t *ids;
		size_t n;

		r->has_counts[k] = select_all(env, kinds[i], &ids, &n, &why) ? AVAIL_UNKNOWN : AVAIL_YES;
		r->counts[k] = r->has_counts[k] == AVAIL_YES ? n : 0;
		if (r->has_counts[k] != AVAIL_YES && !r->lacks)
			r->lacks = arena_fmt(env->keep, "the list of %ss could not be read", kinds[i]->noun);
	}
	if (!machine_is_saved(m))
		return r;
	r->file = path;
	r->has_file = AVAIL_YES;
	r->bytes = !stat(path, &st) ? (uint64_t)st.st_size : 0;
	r->saved_at = facts_asked_at(m);
	r->has_saved = r->saved_at ? AVAIL_YES : AVAIL_NO;
	r->tool = facts_meta(m, "bpflens");
	r->tool = r->tool ? arena_fmt(env->keep, "bpflens %s", r->tool) : NULL;
	r->has_tool = r->tool ? AVAIL_YES : AVAIL_NO;
	r->map_data = !facts_meta(m, "map contents were not saved") && !facts_meta(m, "map contents were left out");
	info_recording(m, r);
	if (!samples_read_head(m, env->keep, &how)) {
		r->samples = how.hz;
		r->has_samples = AVAIL_YES;
	}
	r->complete = !r->lacks;
	return r;
}
