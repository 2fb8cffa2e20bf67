/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "base/arena.h"
#include "base/clean.h"
#include "cli/env.h"
#include "link/link.h"

/* Links of perf events: a type of its own, and below it what the event is. */
#define HAS_BUFS .when = offsetof(struct link_rec, has_bufs)
#define SITE LINK_ROW(site, "place", "function or file, and the offset there", .plain = "%  ", .flags = FIELD_PLAINONLY)

static void probe_derive(struct env *env, unsigned need, struct link_rec *r)
{
	const char *text = r->text ? r->text : "?";

	(void)need;
	if (r->info.perf_event.type <= ABI_PERF_URETPROBE) {
		r->retprobe = r->info.perf_event.type == ABI_PERF_URETPROBE;
		r->site = arena_fmt(env->arena, "%s+%#x", text, r->info.perf_event.uprobe.offset);
		r->attach_to = r->site;
		return;
	}
	r->retprobe = r->info.perf_event.type == ABI_PERF_KRETPROBE;
	r->attach_to = !r->info.perf_event.kprobe.offset ? text :
		       arena_fmt(env->arena, "%s+%#x", text, r->info.perf_event.kprobe.offset);
	r->site = !r->info.perf_event.kprobe.addr ? r->attach_to :
		  arena_fmt(env->arena, "%llx %s", (unsigned long long)r->info.perf_event.kprobe.addr, r->attach_to);
}

static const struct field uprobe_fields[] = {
	LINK_RETPROBE("uretprobe |uprobe "),
	LINK_ROW(text, "file", "file with the function", .flags = FIELD_NOPLAIN, HAS_BUFS),
	LINK_ROW(info.perf_event.uprobe.offset, "offset", "bytes from the start of the function or file",
		 .unit = FU_HEX, .flags = FIELD_NOPLAIN),
	SITE,
	LINK_COOKIE(perf_event.uprobe.cookie),
	LINK_ROW(info.perf_event.uprobe.ref_ctr_offset, "ref_ctr_offset", "place of the reference counter in the file",
		 .unit = FU_HEX, .plain = "ref_ctr_offset %  ", .flags = FIELD_PLAIN_NZ),
};
const struct link_kind link_perf_uprobe = {
	.type = ABI_LINK_PERF_EVENT, .subtypes = 1u << ABI_PERF_UPROBE | 1u << ABI_PERF_URETPROBE,
	.part = LINK_PART("perf_event uprobe", uprobe_fields), .derive = probe_derive,
	.bufs = { LINK_BUF(perf_event.uprobe.file_name, perf_event.uprobe.name_len, 0) }, .nbufs = 1,
};

static const struct field kprobe_fields[] = {
	LINK_RETPROBE("kretprobe |kprobe "),
	LINK_ROW(info.perf_event.kprobe.addr, "addr", "address in the kernel", .unit = FU_ADDR, .flags = FIELD_NOPLAIN),
	LINK_ROW(text, "func", "function in the kernel", .flags = FIELD_NOPLAIN, HAS_BUFS),
	LINK_ROW(info.perf_event.kprobe.offset, "offset", "bytes from the start of the function or file",
		 .unit = FU_HEX, .flags = FIELD_NOPLAIN),
	SITE,
	LINK_ROW(info.perf_event.kprobe.missed, "missed", "hits that did not run the program", .unit = FU_COUNTER,
		 .plain = "missed %  ", .flags = FIELD_PLAIN_NZ),
	LINK_COOKIE(perf_event.kprobe.cookie),
};
const struct link_kind link_perf_kprobe = {
	.type = ABI_LINK_PERF_EVENT, .subtypes = 1u << ABI_PERF_KPROBE | 1u << ABI_PERF_KRETPROBE,
	.part = LINK_PART("perf_event kprobe", kprobe_fields), .derive = probe_derive,
	.bufs = { LINK_BUF(perf_event.kprobe.func_name, perf_event.kprobe.name_len, 0) }, .nbufs = 1,
};

static const struct field tracepoint_fields[] = {
	LINK_ROW(text, "tracepoint", "tracepoint it is attached to", .plain = "tracepoint %  ", HAS_BUFS),
	LINK_COOKIE(perf_event.tracepoint.cookie),
};
const struct link_kind link_perf_tracepoint = {
	.type = ABI_LINK_PERF_EVENT, .subtypes = 1u << ABI_PERF_TRACEPOINT,
	.part = LINK_PART("perf_event tracepoint", tracepoint_fields),
	.bufs = { LINK_BUF(perf_event.tracepoint.tp_name, perf_event.tracepoint.name_len, 0) }, .nbufs = 1,
};

/* enum perf_type_id and the numbers that each type has (include/uapi/linux/perf_event.h), in perf's words. */
static const char *const perf_types[] = {
	"hardware", "software", "tracepoint", "hw-cache", "raw", "breakpoint",
};
static const char *const perf_hardware[] = {
	"cpu-cycles", "instructions", "cache-references", "cache-misses", "branch-instructions", "branch-misses",
	"bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};
static const char *const perf_software[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults", "major-faults",
	"alignment-faults", "emulation-faults", "dummy", "bpf-output", "cgroup-switches",
};
static const char *const cache_units[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
static const char *const cache_ops[] = { "load", "store", "prefetch" };
static const char *const cache_results[] = { "refs", "misses" };
enum { PERF_HARDWARE, PERF_SOFTWARE, PERF_HW_CACHE = 3 };

static const char *word_or_number(struct arena *a, const char *const *words, size_t n, uint64_t v)
{
	return v < n ? words[v] : arena_fmt(a, "%llu", (unsigned long long)v);
}
#define WORD(a, words, v) word_or_number(a, words, ARRAY_SIZE(words), v)

/* NULL: a number is all there is to say. */
static const char *config_word(struct arena *a, uint32_t type, uint64_t config)
{
	if (type == PERF_HARDWARE && config < ARRAY_SIZE(perf_hardware))
		return perf_hardware[config];
	if (type == PERF_SOFTWARE && config < ARRAY_SIZE(perf_software))
		return perf_software[config];
	if (type != PERF_HW_CACHE)
		return NULL;
	return arena_fmt(a, "%s-%s-%s", WORD(a, cache_units, config & 0xff), WORD(a, cache_ops, config >> 8 & 0xff),
			 WORD(a, cache_results, config >> 16 & 0xff));
}

static void event_derive(struct env *env, unsigned need, struct link_rec *r)
{
	struct arena *a = env->arena;
	uint32_t type = r->info.perf_event.event.type;
	uint64_t config = r->info.perf_event.event.config;
	const char *word = config_word(a, type, config), *number = arena_fmt(a, "%llu", (unsigned long long)config);

	(void)need;
	r->event_type = arena_fmt(a, type < ARRAY_SIZE(perf_types) ? "\"%s\"" : "%s", WORD(a, perf_types, type));
	r->event_config = word ? arena_fmt(a, "\"%s\"", word) : number;
	/* bpftool leaves a blank behind a type without a name. */
	r->site = arena_fmt(a, "%s%s:%s", WORD(a, perf_types, type), type < ARRAY_SIZE(perf_types) ? "" : " ",
			    word ? word : number);
	r->attach_to = arena_fmt(a, "%s:%s", WORD(a, perf_types, type), word ? word : number);
}

static const struct field event_fields[] = {
	FIELD_AS(struct link_rec, event_type, FT_JSON, "event_type", "type of the perf event, a number without a name",
		 .flags = FIELD_NOPLAIN),
	FIELD_AS(struct link_rec, event_config, FT_JSON, "event_config", "event within its type, a number without a name",
		 .flags = FIELD_NOPLAIN),
	LINK_ROW(site, "event", "type and event", .plain = "event %  ", .flags = FIELD_PLAINONLY),
	LINK_COOKIE(perf_event.event.cookie),
};
const struct link_kind link_perf_event = {
	.type = ABI_LINK_PERF_EVENT, .subtypes = 1u << ABI_PERF_EVENT,
	.part = LINK_PART("perf_event event", event_fields), .derive = event_derive,
};

/* Kernels before 6.6, and events newer than this program: nothing is known about them. */
const struct link_kind link_perf = { .type = ABI_LINK_PERF_EVENT, .part = { .name = "perf_event", .rec_size = sizeof(struct link_rec) } };
