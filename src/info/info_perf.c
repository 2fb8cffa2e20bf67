/* SPDX-License-Identifier: BSD-2-Clause */
#include "info/info_perf.h"

#include <sys/stat.h>

#include "base/infile.h"
#include "info/info.h"
#include "code/hot.h"
#include "kernel/perf/data.h"
#include "render/doc.h"

struct info_perf {
	const char *file, *host, *release, *machine, *tool, *command, *event;
	uint64_t bytes, samples, ns, changes;
	uint32_t hz;
	bool programs, cut;
	uint8_t has_hz;
};

static size_t span_text(const void *rec, char *buf, size_t size)
{
	char text[32];

	return str_snprintf(buf, size, "%s", num_nsec(text, sizeof(text), ((const struct info_perf *)rec)->ns));
}

enum { L_FILE, L_HOST, L_TOOL, L_SAMPLES, L_BPF, L_CUT };
static const struct field fields[] = {
	INFO_FIELD_FILE(info_perf, .line = L_FILE),
	INFO_FIELD_BYTES(info_perf, .line = L_FILE),
	FIELD(info_perf, host, "host", "name of the host", .plain = "host %", .line = L_HOST, .flags = FIELD_NONZERO),
	INFO_FIELD_RELEASE(info_perf, .line = L_HOST, .flags = FIELD_NONZERO),
	INFO_FIELD_MACHINE(info_perf, .line = L_HOST, .flags = FIELD_NONZERO),
	INFO_FIELD_TOOL(info_perf, .line = L_TOOL),
	FIELD(info_perf, command, "command_line", "command line of perf", .plain = ": %", .line = L_TOOL, .col = 1,
	      .flags = FIELD_NONZERO),
	FIELD_SAMPLES_ALL(info_perf, samples, .plain = "% sample(s)", .line = L_SAMPLES),
	FIELD_SAMPLING_NS(info_perf, .plain = " in %", .text = span_text, .line = L_SAMPLES, .col = 1),
	FIELD_PERF_EVENT(info_perf, .plain = ", %", .line = L_SAMPLES, .col = 2, .flags = FIELD_NONZERO),
	FIELD_HZ(info_perf, hz, .plain = " at % Hz", .line = L_SAMPLES, .col = 3, FIELD_WHEN(info_perf, has_hz)),
	FIELD(info_perf, changes, "bpf_events", "BPF programs that were loaded and unloaded, or there before",
	      .plain = "% BPF event(s)", .line = L_BPF),
	FIELD(info_perf, programs, "bpf_code", "with the code of BPF programs",
	      .plain = ", with the code of BPF programs|, without the code of BPF programs", .line = L_BPF, .col = 1),
	FIELD(info_perf, cut, "truncated", "the file ends too early",
	      .plain = "incomplete: the file ends too early|complete", .line = L_CUT),
};
const struct schema info_perf_schema = SCHEMA("info_perf", info_perf, fields);

static void items_count(struct perf_data *d, struct info_perf *r)
{
	struct perf_data_item item;
	uint64_t at = PERF_DATA_BEGIN, first = UINT64_MAX, last = 0;
	int more;

	while ((more = perf_data_next(d, &at, &item)) > 0) {
		r->changes += !item.is_sample && item.record.kind == SIDEBAND_PROG;
		if (!item.is_sample)
			continue;
		r->samples++;
		first = item.sample.time < first ? item.sample.time : first;
		last = item.sample.time > last ? item.sample.time : last;
	}
	r->ns = r->samples ? last - first : 0;
	r->cut = more < 0;
}

bool info_perf_is(const char *path)
{
	return infile_is(path, perf_data_is);
}

int info_perf_print(struct env *env, const char *path, struct doc *to, struct err *e)
{
	struct info_perf r = { .file = path };
	struct perf_data *d;
	struct stat st;
	int err = perf_data_open(&d, path, e);

	if (err)
		return err;
	r.bytes = !stat(path, &st) ? (uint64_t)st.st_size : 0;
	r.host = perf_data_text(d, PERF_DATA_HOST, env->keep);
	r.release = perf_data_text(d, PERF_DATA_RELEASE, env->keep);
	r.machine = perf_data_text(d, PERF_DATA_ARCH, env->keep);
	r.command = perf_data_text(d, PERF_DATA_COMMAND, env->keep);
	r.tool = perf_data_text(d, PERF_DATA_VERSION, env->keep);
	r.tool = r.tool ? arena_fmt(env->keep, "perf %s", r.tool) : "perf";
	r.event = perf_data_head(d)->event;
	r.hz = perf_data_head(d)->hz;
	r.has_hz = r.hz ? AVAIL_YES : AVAIL_NO;
	r.programs = perf_data_has(d, PERF_DATA_BPF_PROGS);
	items_count(d, &r);
	r.cut |= perf_data_has(d, PERF_DATA_COMMAND) && !r.command;
	doc_record(to, &info_perf_schema, &r);
	perf_data_close(&d);
	return 0;
}
