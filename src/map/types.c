/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/types.h"

#include <linux/bpf.h>

#include "kernel/abi.h"
#include "kernel/names.h"

#define V(v) (1u << VERB_##v)
#define WRITE (V(UPDATE) | V(IMPORT))
#define WALK (V(GETNEXT) | V(DUMP) | V(EXPORT) | V(HISTOGRAM) | V(WATCH) | V(FREEZE))
#define FIXED (V(LOOKUP) | WRITE | WALK)
#define HASH (FIXED | V(DELETE))

#define SLOTS(more) \
	.flags = MAP_INDEXED | (more), .can = FIXED, \
	.but = { V(DELETE), "its elements always exist", "`map update` with zeros clears one" }
#define FILES(what) \
	.flags = MAP_INDEXED | MAP_FILES, .can = HASH & ~V(LOOKUP), \
	.but = { V(LOOKUP), "the kernel does not report which " what " are in it", "`map getnext` walks its slots" }
#define QUEUE \
	.can = V(LOOKUP) | WRITE | V(POP) | V(FREEZE), \
	.why = "its elements have no keys, and reading them all would remove them", \
	.instead = "`map peek` shows the next one, `map pop` removes it"
#define RING(who) \
	.can = V(TAP) | V(FREEZE), .why = "it has no elements, only records that " who " has not read yet", \
	.instead = "`map tap` prints the records, `map show` shows the number of unread bytes"
#define STORAGE(owner) \
	.flags = MAP_UNCOUNTED, .can = V(LOOKUP) | V(UPDATE) | V(DELETE) | V(STORAGE) | V(FREEZE), \
	.why = "each element belongs to a " owner " and is found only through it", \
	.instead = "`map storage` prints the values and their owners"
#define OF_CGROUP(more) \
	.flags = MAP_UNCOUNTED | (more), .can = FIXED, \
	.but = { V(DELETE), "its elements are deleted when its program is detached", \
		 "`map update` with zeros clears one" }

/* clang-format off */
static const struct map_type types[] = {
	[BPF_MAP_TYPE_HASH] = { .can = HASH },
	[BPF_MAP_TYPE_ARRAY] = { SLOTS(0) },
	[BPF_MAP_TYPE_PROG_ARRAY] = { .flags = MAP_SPARSE | MAP_INDEXED, .can = HASH },
	[BPF_MAP_TYPE_PERF_EVENT_ARRAY] = { .flags = MAP_INDEXED | MAP_FILES, .can = (HASH & ~V(LOOKUP)) | V(EVENT_PIPE),
		.instead = "`map event_pipe` listens to perf events",
		.but = { V(LOOKUP), "the kernel does not return the perf events in it", "`map event_pipe` listens to perf events" } },
	[BPF_MAP_TYPE_PERCPU_HASH] = { .flags = MAP_PERCPU, .can = HASH },
	[BPF_MAP_TYPE_PERCPU_ARRAY] = { SLOTS(MAP_PERCPU) },
	[BPF_MAP_TYPE_STACK_TRACE] = { .can = (HASH & ~WRITE) | V(STACKS),
		.but = { WRITE, "only programs store stacks in it", "`map delete` makes room for others" } },
	[BPF_MAP_TYPE_CGROUP_ARRAY] = { FILES("cgroups") },
	[BPF_MAP_TYPE_LRU_HASH] = { .flags = MAP_EVICTS, .can = HASH },
	[BPF_MAP_TYPE_LRU_PERCPU_HASH] = { .flags = MAP_PERCPU | MAP_EVICTS, .can = HASH },
	[BPF_MAP_TYPE_LPM_TRIE] = { .can = HASH },
	[BPF_MAP_TYPE_ARRAY_OF_MAPS] = { .flags = MAP_OF_MAPS | MAP_SPARSE | MAP_INDEXED, .can = HASH },
	[BPF_MAP_TYPE_HASH_OF_MAPS] = { .flags = MAP_OF_MAPS | MAP_SPARSE, .can = HASH },
	[BPF_MAP_TYPE_DEVMAP] = { .flags = MAP_INDEXED, .can = HASH },
	[BPF_MAP_TYPE_SOCKMAP] = { .flags = MAP_INDEXED | MAP_FILES, .can = HASH },
	[BPF_MAP_TYPE_CPUMAP] = { .flags = MAP_INDEXED, .can = HASH },
	[BPF_MAP_TYPE_XSKMAP] = { FILES("sockets") },
	[BPF_MAP_TYPE_SOCKHASH] = { .flags = MAP_FILES, .can = HASH },
	[BPF_MAP_TYPE_CGROUP_STORAGE] = { OF_CGROUP(0) },
	[BPF_MAP_TYPE_REUSEPORT_SOCKARRAY] = { .flags = MAP_INDEXED | MAP_FILES, .can = HASH },
	[BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE] = { OF_CGROUP(MAP_PERCPU) },
	[BPF_MAP_TYPE_QUEUE] = { QUEUE },
	[BPF_MAP_TYPE_STACK] = { QUEUE },
	[BPF_MAP_TYPE_SK_STORAGE] = { STORAGE("socket") },
	[BPF_MAP_TYPE_DEVMAP_HASH] = { .can = HASH },
	[BPF_MAP_TYPE_STRUCT_OPS] = { .flags = MAP_INDEXED, .can = HASH & ~V(FREEZE), .instead = "`struct_ops dump` shows its state",
		.but = { V(FREEZE), "user space must be able to register and unregister its operations", "`struct_ops` registers and unregisters them" } },
	[BPF_MAP_TYPE_RINGBUF] = { RING("user space") },
	[BPF_MAP_TYPE_INODE_STORAGE] = { .flags = MAP_UNCOUNTED, .can = V(LOOKUP) | V(UPDATE) | V(DELETE) | V(FREEZE),
		.why = "each element belongs to a file and is found only through it",
		.instead = "`bpflens map lookup MAP key 3 3< FILE` looks up that of a file" },
	[BPF_MAP_TYPE_TASK_STORAGE] = { STORAGE("task") },
	[BPF_MAP_TYPE_BLOOM_FILTER] = { .can = V(LOOKUP) | WRITE | V(FREEZE), .why = "it stores bits, not values",
		.instead = "`map lookup MAP value VALUE` tests whether a value may be in it" },
	[ABI_MAP_USER_RINGBUF] = { RING("a BPF program") },
	[ABI_MAP_CGRP_STORAGE] = { STORAGE("cgroup") },
	[ABI_MAP_ARENA] = { .can = V(DUMP) | V(FREEZE), .why = "it is memory without elements",
		.instead = "`map dump` shows its pages" },
	[ABI_MAP_INSN_ARRAY] = { SLOTS(0) },
	[ABI_MAP_RHASH] = { .can = HASH },
};
/* clang-format on */

/*
 * @done: "a TYPE cannot be ..."; @why, @instead: for every type that does not support the verb, unless the type has its
 * own.
 */
static const struct verb {
	const char *names, *done, *why, *instead;
} verbs[] = {
	[VERB_LOOKUP] = { "lookup, peek", "looked up in", NULL, NULL },
	[VERB_UPDATE] = { "update, push, enqueue", "written to", NULL, NULL },
	[VERB_IMPORT] = { "import", "imported into", NULL, NULL },
	[VERB_DELETE] = { "delete", "deleted from", NULL, NULL },
	[VERB_GETNEXT] = { "getnext", "walked by key", NULL, NULL },
	[VERB_POP] = { "pop, dequeue", "popped from", "it is neither a queue nor a stack",
		       "`map lookup` and `map delete` work with keys" },
	[VERB_FREEZE] = { "freeze", "frozen", NULL, NULL },
	[VERB_DUMP] = { "dump", "dumped", NULL, NULL },
	[VERB_EXPORT] = { "export", "exported", NULL, NULL },
	[VERB_HISTOGRAM] = { "histogram", "drawn", NULL, NULL },
	[VERB_WATCH] = { "watch", "watched", NULL, NULL },
	[VERB_TAP] = { "tap", "tapped", "it is not a ring buffer", "`map dump` shows its elements" },
	[VERB_EVENT_PIPE] = { "event_pipe", "listened to", "it is not a perf event array",
			      "`map dump` shows its elements" },
	[VERB_STACKS] = { "stacks", "read as stacks", "it does not have stack traces",
			  "`map dump` shows its elements" },
	[VERB_STORAGE] = { "storage", "read as local storage", "it is not a map of task, cgroup or socket storage",
			   "`map dump` shows its elements" },
};

const struct map_type *map_type(uint32_t type)
{
	static const struct map_type other = { .can = ~(V(TAP) | V(EVENT_PIPE) | V(STACKS) | V(STORAGE)) };

	return type < ARRAY_SIZE(types) && types[type].can ? &types[type] : &other;
}

bool map_verb_writes(enum map_verb verb)
{
	return (WRITE | V(DELETE) | V(POP) | V(FREEZE) | V(TAP) | V(EVENT_PIPE)) & 1u << verb;
}

int map_can(uint32_t id, uint32_t type, enum map_verb verb, struct err *e)
{
	const struct map_type *t = map_type(type);
	const char *name = names_of(&names_map_type, type), *why = t->why, *instead = t->instead;
	const struct verb *v = &verbs[verb];

	if (map_type_can(type, verb))
		return 0;
	if (t->but.verbs & 1u << verb) {
		why = t->but.why;
		instead = t->but.instead;
	} else if (v->why) {
		why = v->why;
		instead = instead ? instead : v->instead;
	}
	if (name)
		err_set(e, -EOPNOTSUPP, "map %u: %s %s cannot be %s: %s", id, strchr("aeio", *name) ? "an" : "a", name,
			v->done, why);
	else
		err_set(e, -EOPNOTSUPP, "map %u: a map of type %u cannot be %s: %s", id, type, v->done, why);
	return err_hint(e, "%s", instead);
}

/* All types that can do the same as type @first, with commas. */
static const char *same_types(uint32_t first, struct arena *a)
{
	const char *ret = names_of(&names_map_type, first);
	uint32_t i;

	for (i = 0; i < first; i++)
		if (types[i].can == types[first].can)
			return NULL;
	for (i = first + 1; i < ARRAY_SIZE(types); i++)
		if (types[i].can == types[first].can)
			ret = arena_fmt(a, "%s , %s", ret, names_of(&names_map_type, i));
	return ret;
}

bool map_types_row(unsigned row, struct arena *a, const char **ret_types, const char **ret_verbs)
{
	const char *names = NULL, *can = NULL;
	unsigned i, v;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		names = types[i].can ? same_types(i, a) : NULL;
		if (names && !row--)
			break;
	}
	if (i == ARRAY_SIZE(types))
		return false;
	for (v = 0; v < MAP_VERBS; v++)
		if (types[i].can & 1u << v)
			can = can ? arena_fmt(a, "%s, %s", can, verbs[v].names) : verbs[v].names;
	*ret_types = names;
	*ret_verbs = can;
	return true;
}
