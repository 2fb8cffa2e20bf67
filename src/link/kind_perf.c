/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/env.h"
#include "link/link.h"
#include "source/facts.h"
#include "kernel/perf/names.h"

/* Links of perf events: each kind of event is a link_kind. */

/* A kprobe at an address, as at one of several functions of a name: the address is its place, the symbol a detail. */
static void address_derive(struct env *env, struct arena *a, unsigned need, struct link_rec *r)
{
	const uint64_t addr = r->info.perf_event.kprobe.addr;
	const struct symbol *s = need & NEED_SYMBOLS ? facts_symbol(env->machine, addr) : NULL;

	r->at.where = arena_fmt(a, "%#llx", llu(addr));
	if (s)
		r->symbol = arena_fmt(a, "%s+%#llx", s->name, llu(addr - s->addr));
	r->at.detail = r->symbol;
	r->attach_to = r->symbol ? r->symbol : r->at.where;
}

static void probe_derive(struct env *env, struct arena *a, unsigned need, struct link_rec *r)
{
	const char *text = r->text ? r->text : "?";

	if (r->info.perf_event.type <= ABI_PERF_URETPROBE) {
		r->retprobe = r->info.perf_event.type == ABI_PERF_URETPROBE;
		r->symbol = link_symbol(env, a, need, r, r->info.perf_event.uprobe.offset);
		text = r->file ? r->file : text;
		r->attach_to = r->symbol ? arena_fmt(a, "%s:%s", text, r->symbol) :
					   arena_fmt(a, "%s+%#x", text, r->info.perf_event.uprobe.offset);
		r->at.where = arena_fmt(a, "%s:%#x", text, r->info.perf_event.uprobe.offset);
		return;
	}
	r->retprobe = r->info.perf_event.type == ABI_PERF_KRETPROBE;
	if (!(r->text && *r->text) && r->info.perf_event.kprobe.addr) {
		address_derive(env, a, need, r);
		return;
	}
	r->attach_to = !r->info.perf_event.kprobe.offset ?
			       text :
			       arena_fmt(a, "%s+%#x", text, r->info.perf_event.kprobe.offset);
	r->at.where = r->attach_to;
}

static size_t uprobe_offset_text(const void *rec, char *buf, size_t size)
{
	const struct link_rec *r = rec;

	return str_snprintf(buf, size, "+%#x  ", r->info.perf_event.uprobe.offset);
}

static const struct field uprobe_fields[] = {
	LINK_FIELD_RETPROBE("uretprobe |uprobe "),
	LINK_FIELD(text, "file", "the file that has the function", .plain = "%", FIELD_WHEN(link_rec, has_bufs)),
	LINK_FIELD(info.perf_event.uprobe.offset, "offset", "offset in bytes, from the start of the function or file",
		   .unit = FU_HEX, .plain = "%", .text = uprobe_offset_text),
	LINK_FIELD(symbol, "symbol", "function, in the file, and the offset in it", .need = NEED_SYMBOLS,
		   .flags = FIELD_NOPLAIN | FIELD_NONZERO),
	LINK_COOKIE(perf_event.uprobe.cookie),
	LINK_FIELD(info.perf_event.uprobe.ref_ctr_offset, "ref_ctr_offset",
		   "offset of the reference counter in the file", .unit = FU_HEX, .plain = "ref_ctr_offset %  ",
		   .flags = FIELD_PLAIN_NZ),
};
const struct link_kind link_perf_uprobe = {
	.type = ABI_LINK_PERF_EVENT,
	.subtypes = 1u << ABI_PERF_UPROBE | 1u << ABI_PERF_URETPROBE,
	.part = LINK_PART("perf_event uprobe", uprobe_fields),
	.derive = probe_derive,
	.bufs = { LINK_BUF(perf_event.uprobe.file_name, perf_event.uprobe.name_len, 0) },
	.nbufs = 1,
	.cookie = offsetof(struct abi_link_info, perf_event.uprobe.cookie),
};

static size_t kprobe_addr_text(const void *rec, char *buf, size_t size)
{
	const struct link_rec *r = rec;
	unsigned long long addr = r->info.perf_event.kprobe.addr;

	return addr ? str_snprintf(buf, size, "%llx ", addr) : 0;
}

static size_t kprobe_offset_text(const void *rec, char *buf, size_t size)
{
	const struct link_rec *r = rec;

	return str_snprintf(buf, size, r->info.perf_event.kprobe.offset ? "+%#x  " : "  ",
			    r->info.perf_event.kprobe.offset);
}

static const struct field kprobe_fields[] = {
	LINK_FIELD_RETPROBE("kretprobe |kprobe "),
	LINK_FIELD(info.perf_event.kprobe.addr, "addr", "address of the code", .unit = FU_ADDR, .plain = "%",
		   .text = kprobe_addr_text),
	LINK_FIELD(text, "func", "the function, in the kernel", .role = ROLE_NAME, .plain = "%",
		   FIELD_WHEN(link_rec, has_bufs)),
	LINK_FIELD(symbol, "symbol", "function and the offset in it, of a probe at an address", .need = NEED_SYMBOLS,
		   .flags = FIELD_NOPLAIN | FIELD_NONZERO),
	LINK_FIELD(info.perf_event.kprobe.offset, "offset", "offset in bytes, from the start of the function or file",
		   .unit = FU_HEX, .plain = "%", .text = kprobe_offset_text),
	LINK_FIELD(info.perf_event.kprobe.missed, "missed", "hits that did not run the program", .unit = FU_COUNTER,
		   .plain = "missed %  ", .flags = FIELD_PLAIN_NZ),
	LINK_COOKIE(perf_event.kprobe.cookie),
};
const struct link_kind link_perf_kprobe = {
	.type = ABI_LINK_PERF_EVENT,
	.subtypes = 1u << ABI_PERF_KPROBE | 1u << ABI_PERF_KRETPROBE,
	.part = LINK_PART("perf_event kprobe", kprobe_fields),
	.derive = probe_derive,
	.bufs = { LINK_BUF(perf_event.kprobe.func_name, perf_event.kprobe.name_len, 0) },
	.nbufs = 1,
	.cookie = offsetof(struct abi_link_info, perf_event.kprobe.cookie),
};

static const struct field tracepoint_fields[] = {
	LINK_FIELD(text, "tracepoint", "tracepoint it is attached to", .plain = "tracepoint %  ",
		   FIELD_WHEN(link_rec, has_bufs)),
	LINK_COOKIE(perf_event.tracepoint.cookie),
};
const struct link_kind link_perf_tracepoint = {
	.type = ABI_LINK_PERF_EVENT,
	.subtypes = 1u << ABI_PERF_TRACEPOINT,
	.part = LINK_PART("perf_event tracepoint", tracepoint_fields),
	.bufs = { LINK_BUF(perf_event.tracepoint.tp_name, perf_event.tracepoint.name_len, 0) },
	.nbufs = 1,
	.cookie = offsetof(struct abi_link_info, perf_event.tracepoint.cookie),
};

/* The kernel assigns the types of events of devices and modules when it boots. */
static const char *pmu_name(struct env *env, uint32_t type, uint64_t config)
{
	const char *name = facts_pmu(env->machine, type);

	if (!name && perf_is_clock(&type, config))
		name = config ? "task_clock" : "cpu_clock";
	return name;
}

static void event_derive(struct env *env, struct arena *a, unsigned need, struct link_rec *r)
{
	uint32_t type = r->info.perf_event.event.type;
	uint64_t config = r->info.perf_event.event.config;
	const char *number = arena_fmt(a, "%llu", llu(config)), *word = perf_config_word(a, type, config);
	const char *type_word = perf_type_word(type);

	r->own.event.type = type_word ? arena_fmt(a, "\"%s\"", type_word) : arena_fmt(a, "%u", type);
	r->own.event.config = word ? arena_fmt(a, "\"%s\"", word) : number;
	/* bpftool prints a blank after a type without a name. */
	r->site = type_word ? arena_fmt(a, "%s:%s", type_word, word ? word : number) :
			      arena_fmt(a, "%u :%s", type, number);
	if (!type_word) {
		r->own.event.pmu = pmu_name(env, type, config);
		if (!facts_pmu(env->machine, type) && perf_is_clock(&type, config))
			word = perf_config_word(a, type, config);
		type_word = word ? perf_type_word(type) : r->own.event.pmu;
	}
	r->attach_to = type_word ? arena_fmt(a, "%s:%s", type_word, word ? word : number) :
				   arena_fmt(a, "%u:%s", type, number);
	r->at.where = r->attach_to;
}

static size_t event_text(const void *rec, char *buf, size_t size)
{
	const struct link_rec *r = rec;

	return str_snprintf(buf, size, "%s", r->site);
}

static const struct field event_fields[] = {
	FIELD_AS(link_rec, own.event.type, FT_JSON, "event_type", "type of the perf event, a number without a name",
		 .plain = "event %  ", .line = 1, .text = event_text),
	FIELD_AS(link_rec, own.event.config, FT_JSON, "event_config", "event within its type, a number without a name",
		 .flags = FIELD_NOPLAIN),
	LINK_FIELD(own.event.pmu, "pmu", "what counts the event, for a type that is a number",
		   .flags = FIELD_NOPLAIN | FIELD_NONZERO),
	LINK_COOKIE(perf_event.event.cookie),
};
const struct link_kind link_perf_event = {
	.type = ABI_LINK_PERF_EVENT,
	.subtypes = 1u << ABI_PERF_EVENT,
	.part = LINK_PART("perf_event event", event_fields),
	.derive = event_derive,
	.cookie = offsetof(struct abi_link_info, perf_event.event.cookie),
};

/* For kernels before 6.6, and for events newer than this program: the event is unknown. */
const struct link_kind link_perf = { .type = ABI_LINK_PERF_EVENT,
				     .part = { .name = "perf_event", .rec_size = sizeof(struct link_rec) } };
