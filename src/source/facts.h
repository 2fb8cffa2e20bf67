/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_FACTS_H
#define SOURCE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "host/holders.h"
#include "host/symbols.h"

struct machine;
struct arena;
/*
 * Decoded answers to the questions about the whole system, each asked at most once, and only when somebody wants to
 * know. A question that is refused leaves an empty table; the machine notes the refusal (source/machine.h).
 */
struct facts;
struct facts *facts_new(void);
void facts_free(struct facts *f);

/* Who has a descriptor of the object, one entry a process, ascending by pid. *n may be 0. Valid as long as @f. */
const struct holder *facts_holders(struct machine *m, enum object_kind kind, uint32_t id, uint32_t *n);
const struct holders *facts_all_holders(struct machine *m); /* host/holders.h; empty where they could not be read */
/*
 * This is the only object whose holders will be asked for: look for them alone, which costs less than the table of all.
 * For others the table is made all the same.
 */
void facts_holders_expect(struct machine *m, enum object_kind kind, uint32_t id);
uint32_t facts_holders_again(struct machine *m, enum object_kind kind, uint32_t id); /* how many there are now */
int facts_holders_error(struct machine *m);					     /* 0, or why the table is empty */

/* Where it is pinned, absolute paths, ascending, those of our mount namespace first. */
const char *const *facts_pins(struct machine *m, enum object_kind kind, uint32_t id, uint32_t *n);
int facts_pins_error(struct machine *m); /* 0, or why there is no list */
bool facts_any_pins(struct machine *m, enum object_kind kind);
/* All of them, ascending by kind, id and path; one may be there twice. Valid as long as @f. 0, or why there is no list.
 */
struct pin {
	enum object_kind kind;
	uint32_t id;
	const char *path;
	uint32_t pid; /* process through whose mount namespace the path leads; 0: ours */
};
/* 0, or -errno: why pins of some other mount namespaces are missing. */
int facts_unseen_pins(struct machine *m);
/* Pins and directories of pins that could not be looked at, and the -errno. */
struct pin_unread {
	const char *path;
	int err;
};
size_t facts_unread_pins(struct machine *m, const struct pin_unread **ret);
int facts_all_pins(struct machine *m, const struct pin **ret, size_t *n);
/* What is pinned at a path, from pin/PATH, else from sys/pins: 0 with kind and id; -errno. */
int facts_pinned(struct machine *m, const char *path, enum object_kind *kind, uint32_t *id);

/* Elements in a map, as the kernel counts them; false: it does not, or that is not known. */
bool facts_map_count(struct machine *m, uint32_t id, uint64_t *ret);

/*
 * The last kernel symbol at or below an address; NULL: unknown. Asks for single ones first, for the table of all only
 * when there are many. The module of what BPF made, "bpf" in the table, may be missing. Valid as long as @f.
 */
const struct symbol *facts_symbol(struct machine *m, uint64_t addr);
const struct symbols *facts_symbols(struct machine *m); /* the table; never NULL; perhaps empty */
uint64_t facts_call_base(struct machine *m);		/* where calls in BPF instructions count from; 0: unknown */
const char *facts_ifname(struct machine *m, uint32_t ifindex); /* NULL: no such device in our namespace */
const char *facts_pmu(struct machine *m,
		      uint32_t type); /* "msr": what perf events of that type belong to; NULL: unknown */
const char *facts_cgroup(struct machine *m, uint64_t id); /* path below the cgroup mount, "/" first; NULL: unknown */
/* The other way; 0: there is none, or several. */
uint32_t facts_ifindex(struct machine *m, const char *name);
uint64_t facts_cgroup_id(struct machine *m, const char *path);
uint64_t facts_boot_ns(struct machine *m); /* add to a boot time stamp to get nanoseconds since the epoch; 0: unknown */
/* When it was asked, seconds since the epoch: of an archive when it was made, with --at that moment, 0: it does not
 * say; else now. */
uint64_t facts_asked_at(struct machine *m);
uint32_t facts_cpus(struct machine *m);	      /* possible CPUs; 0: unknown */
const char *facts_release(struct machine *m); /* "5.10.0-8-amd64"; NULL: unknown */
bool facts_netns(struct machine *m, uint64_t *dev, uint64_t *ino);
/* "kptr_restrict" and so on of sys/limits; -1: unknown. */
int facts_limit(struct machine *m, const char *name);
/* Does the kernel count how often programs run, and how long? 0: no, or an archive that does not say; -errno: refused.
 */
int facts_counts_runs(struct machine *m);

#endif
