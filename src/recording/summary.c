/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/recording.h"
#include "recording/session.h"

#include <sys/stat.h>

#include "base/message.h"
#include "own/capture/capture.h"
#include "record/field.h"
#include "render/doc.h"
#include "source/samples.h"

#define SAYS "bpflens: " /* start of each line */

struct recorded {
	const char *file, *last_file;
	uint8_t has_more; /* there are several files */
	uint64_t bytes, loaded, whole, lost, classic, code, code_lost, samples, samples_lost_error;
	uint64_t calls, calls_lost;
	uint8_t has_samples, has_calls;
	const char *way;
};
static const struct field recorded_fields[] = {
	FIELD(recorded, loaded, "loaded", "programs that were loaded meanwhile", .plain = "% program(s) loaded"),
	FIELD(recorded, whole, "whole", "programs that are complete in the file", .plain = ", % recorded whole",
	      .col = 1),
	FIELD(recorded, lost, "programs_lost", "programs that are incomplete or missing", .plain = ", % lost",
	      .col = 2),
	FIELD(recorded, file, "file", "the file, or the first of several", .plain = "; %", .col = 3),
	FIELD_IF(recorded, last_file, has_more, "last_file", "the last of several files (--max-size)", .plain = " to %",
		 .col = 4),
	FIELD(recorded, bytes, "bytes", "size (of the file or files)", .unit = FU_SIZE, .plain = ", %", .col = 5,
	      .flags = FIELD_SHORT),
	FIELD_IF(recorded, samples, has_samples, "samples", "samples in it", .plain = "% samples", .line = 1),
	FIELD_IF(recorded, samples_lost_error, has_samples, "samples_lost", "samples lost because the buffer was full",
		 .flags = FIELD_NOPLAIN),
	FIELD_IF(recorded, calls, has_calls, "calls", "calls of bpf(2) on the map (--map) in it",
		 .plain = "% call(s) on the map", .line = 4),
	FIELD_IF(recorded, calls_lost, has_calls, "calls_lost", "calls on the map lost because the buffer was full",
		 .flags = FIELD_NOPLAIN),
	FIELD(recorded, way, "way", "how loads were seen", .flags = FIELD_NOPLAIN),
	FIELD(recorded, classic, "classic", "classic filters that were attached, which have no id",
	      .flags = FIELD_NOPLAIN),
	FIELD(recorded, code, "other_code",
	      "pieces of code in the file that belong to no program: trampolines, dispatchers, classic filters",
	      .plain = "% piece(s) of code of no program", .line = 2, .flags = FIELD_PLAIN_NZ),
	FIELD(recorded, code_lost, "other_code_lost",
	      "such pieces made during the recording whose machine code was freed before it was read",
	      .plain = "the machine code of % such piece(s) lost", .line = 3, .flags = FIELD_PLAIN_NZ),
};
const struct schema recorded_schema = SCHEMA("recorded", recorded, recorded_fields, .indent = SAYS);

/* Each loss has a line of its own: of the objects that could not be read, the last line names the first. */
static void loss_say(struct recording *r, struct err *why)
{
	message("bpflens: %s", why->msg);
	report_unread(r->env->report, why);
}

static void code_lost_report(struct recording *r, const struct catalog_prog *p)
{
	struct err why = { 0 };
	const char *tag = (const char *)p->tag;
	char hex[17] = "";

	for (unsigned i = 0; i < sizeof(p->tag); i++)
		memcpy(hex + 2 * i, num_hex2[(unsigned char)tag[i]], 2);
	if (p->written)
		err_set(&why, -ENODATA, "program %u %.15s (tag %s) is incomplete: %s", p->life.id, p->info.name, hex,
			p->life.missing);
	else
		err_set(&why, -ENODATA, "program %u (tag %s) was unloaded before it was copied", p->life.id, hex);
	loss_say(r, &why);
}

static void room_say(const struct recording *r)
{
	struct capture_counts seen;
	char size[8];

	capture_counts(r->capture, &seen);
	if (seen.lost)
		message("bpflens: the ring of %s had no room for %llu program%s: --ring-size makes it larger",
			num_human(size, sizeof(size), r->ring_size), llu(seen.lost), plural(seen.lost));
}

static void code_lost_say(void *ctx, const struct code *c)
{
	struct recording *r = ctx;
	struct err why = { 0 };

	err_set(&why, -ENODATA, "the code of %s at 0x%llx was freed before it was read", c->name, llu(c->addr));
	loss_say(r, &why);
}

void session_count(struct recording *r)
{
	const struct code_log_count code = code_log_count(&r->code, code_lost_say, r);

	for (size_t i = 0; i < r->catalog.n; i++) {
		const struct catalog_prog *p = r->catalog.all[i];
		const bool whole = p->written && !p->life.missing;

		if (p->life.how == LIFE_BEFORE || catalog_waits(p))
			continue;
		r->loaded++;
		r->whole += whole;
		if (!whole)
			code_lost_report(r, p);
	}
	r->pieces += code.listed;
	r->pieces_lost += code.lost;
}

/* Programs without a copy may be missing from the list of incomplete ones. */
static void nameless_say(struct recording *r)
{
	const uint64_t lost = audit_lost(&r->audit);
	struct err why = { 0 };

	if (lost)
		err_set(&why, -ENODATA, "the kernel lost %llu event%s: programs may be missing", llu(lost),
			plural(lost));
	else if (r->no_names)
		err_sys(&why, r->no_names, "cannot list the programs that had no room: programs may be missing");
	else
		return;
	loss_say(r, &why);
}

static void classic_say(struct recording *r, struct recorded *ret)
{
	struct capture_counts seen;
	struct err why = { 0 };
	uint64_t lost;

	capture_counts(r->capture, &seen);
	ret->classic = seen.classic;
	if (seen.classic <= r->code.classic)
		return;
	lost = seen.classic - r->code.classic;
	ret->code_lost += lost;
	err_set(&why, -ENODATA, "no copy of %llu classic filter%s", llu(lost), plural(lost));
	loss_say(r, &why);
}

static void samples_say(struct recording *r, struct recorded *ret)
{
	const struct sampler_count count = sampler_count(r->sampler);
	struct err why = { 0 };

	ret->has_samples = r->sampler ? AVAIL_YES : AVAIL_NO;
	ret->samples = count.samples;
	ret->samples_lost_error = count.lost;
	if (samples_lost_error(count.lost, &why))
		loss_say(r, &why);
}

static void calls_say(struct recording *r, struct recorded *ret)
{
	const struct map_call_log_count count = map_call_log_count(r->calls);
	struct err why = { 0 };

	ret->has_calls = r->calls ? AVAIL_YES : AVAIL_NO;
	ret->calls = count.calls;
	ret->calls_lost = count.lost;
	if (!count.lost)
		return;
	err_set(&why, -ENOBUFS, "%llu call%s on map %u lost", llu(count.lost), count.lost == 1 ? " was" : "s were",
		r->map);
	loss_say(r, &why);
}

/* Standard output belongs to the command that is run. */
static void summary_say(struct env *env, const struct recorded *sum)
{
	struct out o;
	struct doc d;

	out_init(&o, STDERR_FILENO);
	out_str(&o, SAYS);
	doc_init(&d, &o, NULL, env->keep);
	doc_record(&d, &recorded_schema, sum);
	out_close(&o, NULL);
}

static void files_say(struct recording *r, struct recorded *ret)
{
	struct stat st;

	ret->file = session_path(r, r->first_file);
	ret->last_file = session_path(r, r->file);
	ret->has_more = r->file > r->first_file ? AVAIL_YES : AVAIL_NO;
	for (uint32_t i = r->first_file; i <= r->file; i++)
		if (!stat(session_path(r, i), &st))
			ret->bytes += (uint64_t)st.st_size;
}

void session_summary(struct recording *r)
{
	struct recorded sum = {
		.way = capture_way(r->capture),
		.loaded = r->loaded,
		.whole = r->whole,
		.lost = r->loaded - r->whole,
		.code = r->pieces,
		.code_lost = r->pieces_lost,
	};
	struct doc d;

	room_say(r);
	nameless_say(r);
	classic_say(r, &sum);
	samples_say(r, &sum);
	calls_say(r, &sum);
	files_say(r, &sum);
	env_doc(r->env, &d);
	if (doc_is_text(&d))
		summary_say(r->env, &sum);
	else
		doc_record(&d, &recorded_schema, &sum);
}
