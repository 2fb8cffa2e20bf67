/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/recording.h"
#include "recording/session.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/message.h"
#include "base/num.h"
#include "base/out.h"
#include "cli/command.h"
#include "own/capture.h"
#include "record/field.h"
#include "render/doc.h"
#include "source/samples.h"

#define SAYS "bpflens: "		/* in front of each line */

struct recorded {
	const char *file;
	uint64_t bytes, seconds, loaded, whole, lost, classic, code, code_lost, samples, samples_lost;
	uint8_t has_samples;
	const char *way;
};
#define RECORDED(m, name, help, ...) FIELD(struct recorded, m, name, help, ##__VA_ARGS__)
static const struct field recorded_fields[] = {
	RECORDED(loaded, "loaded", "programs that were loaded meanwhile", .plain = "% program(s) loaded"),
	RECORDED(whole, "whole", "those of them that are whole in the file", .plain = ", % recorded whole", .col = 1),
	RECORDED(lost, "programs_lost", "those that are not, or not in it at all", .plain = ", % lost", .col = 2),
	RECORDED(file, "file", "the file", .plain = "; %", .col = 3),
	RECORDED(bytes, "bytes", "its size", .unit = FU_SIZE, .plain = ", %", .col = 4, .flags = FIELD_SHORT),
	RECORDED(samples, "samples", "samples in it", .plain = "% samples", .line = 1, .when = offsetof(struct recorded, has_samples)),
	RECORDED(samples_lost, "samples_lost", "samples that there was no room for", .flags = FIELD_NOPLAIN,
		 .when = offsetof(struct recorded, has_samples)),
	RECORDED(way, "way", "what saw the loads", .flags = FIELD_NOPLAIN),
	RECORDED(classic, "classic", "classic filters that were attached, which have no id", .flags = FIELD_NOPLAIN),
	RECORDED(code, "other_code", "pieces of code in the file that no program has: trampolines, dispatchers, classic filters",
		 .plain = "% piece(s) of code that no program has", .line = 2, .flags = FIELD_PLAIN_NZ),
	RECORDED(code_lost, "other_code_lost", "those that were made meanwhile and whose machine code was gone before it was read",
		 .plain = ", the machine code of % lost", .line = 2, .col = 1, .flags = FIELD_PLAIN_NZ),
};
const struct schema recorded_schema = SCHEMA("recorded", struct recorded, recorded_fields, .indent = SAYS);

static void lost_say(struct recording *r, const struct catalog_prog *p)
{
	struct err why = { 0 };
	const char *tag = (const char *)p->tag;
	char hex[17] = "";

	for (unsigned i = 0; i < sizeof(p->tag); i++)
		memcpy(hex + 2 * i, num_hex2[(unsigned char)tag[i]], 2);
	if (p->written)
		err_set(&why, -ENODATA, "program %u %.15s (tag %s) is not whole: %s", p->life.id, p->info.name, hex, p->life.missing);
	else
		err_set(&why, -ENODATA, "program %u (tag %s) was gone before it was copied", p->life.id, hex);
	message("bpflens: %s", why.msg);
	report_unread(r->env->report, &why);
}

static void room_say(const struct recording *r)
{
	struct capture_counts seen;
	char size[8];

	capture_counts(r->capture, &seen);
	if (seen.lost)
		message("bpflens: %llu copies had no room in the ring of %s: --ring-size makes it larger", (unsigned long long)seen.lost,
			num_human(size, sizeof(size), r->ring_size));
}

static void losses_say(struct recording *r, struct recorded *ret)
{
	const uint64_t lost = audit_lost(&r->audit);
	struct err why = { 0 };

	for (size_t i = 0; i < r->catalog.n; i++) {
		const struct catalog_prog *p = r->catalog.all[i];

		if (p->life.how == LIFE_BEFORE)
			continue;
		ret->loaded++;
		ret->whole += p->written && !p->life.missing;
		if (!p->written || p->life.missing)
			lost_say(r, p);
	}
	ret->lost = ret->loaded - ret->whole;
	room_say(r);
	if (lost) {
		err_set(&why, -ENODATA, "%llu announcements were lost: programs may be missing", (unsigned long long)lost);
		report_unread(r->env->report, &why);
	}
}

static void code_lost_say(void *ctx, const struct code *c)
{
	struct recording *r = ctx;
	struct err why = { 0 };

	err_set(&why, -ENODATA, "the code of %s at 0x%llx was gone before it was read", c->name, (unsigned long long)c->addr);
	message("bpflens: %s", why.msg);
	report_unread(r->env->report, &why);
}

static void code_say(struct recording *r, struct recorded *ret)
{
	const struct code_log_count count = code_log_count(&r->code, code_lost_say, r);
	struct capture_counts seen;
	struct err why = { 0 };

	capture_counts(r->capture, &seen);
	ret->classic = seen.classic;
	ret->code = count.listed;
	ret->code_lost = count.lost;
	if (seen.classic <= r->code.classic)
		return;
	ret->code_lost += seen.classic - r->code.classic;
	err_set(&why, -ENODATA, "%llu classic filters were not copied", (unsigned long long)(seen.classic - r->code.classic));
	message("bpflens: %s", why.msg);
	report_unread(r->env->report, &why);
}

static void samples_say(struct recording *r, struct recorded *ret)
{
	const struct sampler_count count = sampler_count(r->sampler);
	struct err why = { 0 };

	ret->has_samples = r->sampler ? AVAIL_YES : AVAIL_NO;
	ret->samples = count.samples;
	ret->samples_lost = count.lost;
	if (samples_lost(count.lost, &why))
		report_unread(r->env->report, &why);
}

/* Standard output is the command's. */
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

void session_summary(struct recording *r)
{
	struct recorded sum = { .file = r->opts->file, .way = capture_way(r->capture) };
	struct stat st = { 0 };
	struct doc d;

	losses_say(r, &sum);
	code_say(r, &sum);
	samples_say(r, &sum);
	stat(r->opts->file, &st);
	sum.bytes = (uint64_t)st.st_size;
	env_doc(r->env, &d);
	if (doc_is_text(&d))
		summary_say(r->env, &sum);
	else
		doc_record(&d, &recorded_schema, &sum);
}
