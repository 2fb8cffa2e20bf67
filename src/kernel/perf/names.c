/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/perf/names.h"

#include <linux/perf_event.h>

#include "base/near.h"

static const char *const types[] = {
	"hardware", "software", "tracepoint", "hw-cache", "raw", "breakpoint",
};
static const char *const hardware[] = {
	"cpu-cycles",	 "instructions", "cache-references",	    "cache-misses",	      "branch-instructions",
	"branch-misses", "bus-cycles",	 "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};
static const char *const software[] = {
	"cpu-clock",	    "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",	    "bpf-output",   "cgroup-switches",
};
static const char *const cache_units[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
static const char *const cache_ops[] = { "load", "store", "prefetch" };
static const char *const cache_results[] = { "refs", "misses" };

static const char *word_or_number(struct arena *a, const char *const *words, size_t n, uint64_t v)
{
	return v < n ? words[v] : arena_fmt(a, "%llu", llu(v));
}
#define WORD(a, words, v) word_or_number(a, words, ARRAY_SIZE(words), v)

const char *perf_type_word(uint32_t type)
{
	return type < ARRAY_SIZE(types) ? types[type] : NULL;
}

const char *perf_config_word(struct arena *a, uint32_t type, uint64_t config)
{
	if (type == PERF_TYPE_HARDWARE && config < ARRAY_SIZE(hardware))
		return hardware[config];
	if (type == PERF_TYPE_SOFTWARE && config < ARRAY_SIZE(software))
		return software[config];
	if (type != PERF_TYPE_HW_CACHE)
		return NULL;
	return arena_fmt(a, "%s-%s-%s", WORD(a, cache_units, config & 0xff), WORD(a, cache_ops, config >> 8 & 0xff),
			 WORD(a, cache_results, config >> 16 & 0xff));
}

int perf_is_clock(uint32_t *type, uint64_t config)
{
	if (config > PERF_COUNT_SW_TASK_CLOCK || *type != PERF_TYPE_MAX + config)
		return false;
	*type = PERF_TYPE_SOFTWARE;
	return true;
}

static bool word_number(const char *const *words, size_t n, const char *word, size_t len, uint64_t *ret)
{
	for (size_t i = 0; i < n; i++) {
		if (strncmp(words[i], word, len) != 0 || words[i][len])
			continue;
		*ret = i;
		return true;
	}
	return false;
}
#define FIND(words, word, len, ret) word_number(words, ARRAY_SIZE(words), word, len, ret)

/* The name of a unit may contain a dash: look for one that fits, and parse what follows it. */
static bool parse_cache(const char *name, uint64_t *ret)
{
	uint64_t op, result;

	for (size_t unit = 0; unit < ARRAY_SIZE(cache_units); unit++) {
		size_t n = strlen(cache_units[unit]);
		const char *dash;

		if (strncmp(name, cache_units[unit], n) != 0 || name[n] != '-')
			continue;
		dash = strchr(name + n + 1, '-');
		if (!dash || !FIND(cache_ops, name + n + 1, (size_t)(dash - name) - n - 1, &op) ||
		    !FIND(cache_results, dash + 1, strlen(dash + 1), &result))
			return false;
		*ret = unit | op << 8 | result << 16;
		return true;
	}
	return false;
}

static bool parse_config(uint64_t type, const char *name, uint64_t *ret)
{
	if (!num_parse_u64(name, ret))
		return true;
	return (type == PERF_TYPE_HARDWARE && FIND(hardware, name, strlen(name), ret)) ||
	       (type == PERF_TYPE_SOFTWARE && FIND(software, name, strlen(name), ret)) ||
	       (type == PERF_TYPE_HW_CACHE && parse_cache(name, ret));
}

static int event_hint(const char *name, struct err *e)
{
	struct near near = { 0 };
	STR list = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(hardware); i++)
		near_offer(&near, name, hardware[i]);
	for (size_t i = 0; i < ARRAY_SIZE(software); i++)
		near_offer(&near, name, software[i]);
	near_list(&near, &list);
	return near.n ?
		       err_hint(e, "did you mean %s?", list.p) :
		       err_hint(
			       e,
			       "use an event of perf(1), such as cpu-cycles, page-faults, hw-cache:L1-dcache-load-misses or raw:0x1c2");
}

int perf_event_parse(const char *text, uint32_t *ret_type, uint64_t *ret_config, struct err *e)
{
	const char *colon = strchr(text, ':');
	uint64_t type = PERF_TYPE_SOFTWARE, config;

	if (!colon) {
		if (!parse_config(PERF_TYPE_SOFTWARE, text, &config) || (*text >= '0' && *text <= '9')) {
			type = PERF_TYPE_HARDWARE;
			if (!FIND(hardware, text, strlen(text), &config)) {
				err_usage(e, "'%s' is not a software or hardware event", text);
				return event_hint(text, e);
			}
		}
	} else {
		if (!FIND(types, text, (size_t)(colon - text), &type))
			return -ENOENT;
		if (!parse_config(type, colon + 1, &config)) {
			err_usage(e, "'%s' is not an event of type %s", colon + 1, types[type]);
			return event_hint(colon + 1, e);
		}
	}
	*ret_type = (uint32_t)type;
	*ret_config = config;
	return 0;
}
