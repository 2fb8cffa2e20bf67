/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in facts_meta.c and facts_pins.c. */

#include "host/holders.h"
#include "host/elf/symbols.h"

struct machine;
/*
 * Decoded answers to the questions about the whole machine, each asked at most once, and only if it is needed. A
 * refused question leaves an empty table; the machine notes the refusal (source/machine.h), and a malformed line of
 * pins, devices, sources of perf events, cgroups or counts, which is left out.
 */
struct facts;
struct facts *facts_new(void);
void facts_free(struct facts *f);

/*
 * The processes that hold a descriptor of the object, an entry for each, ascending by pid. *n may be 0. Lives as long
 * as the machine.
 */
const struct holder *facts_holders(struct machine *m, enum object_kind kind, uint32_t id, uint32_t *n);
const struct holders *facts_all_holders(struct machine *m); /* host/holders.h; empty if they could not be read */
/*
 * Announces that only the holders of this object will be needed: finding only them costs less than the table of all. If
 * others are asked for, the table is still made.
 */
void facts_holders_expect(struct machine *m, enum object_kind kind, uint32_t id);
uint32_t facts_holders_again(struct machine *m, enum object_kind kind, uint32_t id); /* their present number */
int facts_holders_error(struct machine *m);					     /* 0, or why the table is empty */
int facts_unseen_holders(struct machine *m); /* 0, or -errno: why some processes could not be read */

/* Its pins: absolute paths, ascending, those of our mount namespace first. */
const char *const *facts_pins(struct machine *m, enum object_kind kind, uint32_t id, uint32_t *n);
int facts_pins_error(struct machine *m); /* 0, or why there is no list */
bool facts_any_pins(struct machine *m, enum object_kind kind);
/*
 * All pins, ascending by kind, id and path; a path may occur twice. Lives as long as the machine. 0, or why there is no
 * list.
 */
struct pin {
	enum object_kind kind;
	uint32_t id;
	const char *path;
	uint32_t pid; /* process whose mount namespace has the path; 0: ours */
};
/* 0, or -errno: why pins of some other mount namespaces are missing. */
int facts_unseen_pins(struct machine *m);
/* Pins and directories of pins that could not be read, with -errno. */
struct pin_unread {
	const char *path;
	int err;
};
size_t facts_unread_pins(struct machine *m, const struct pin_unread **ret);
int facts_all_pins(struct machine *m, const struct pin **ret, size_t *n);
/* The object pinned at a path, from pin/PATH, else from sys/pins: 0 with kind and id; -errno. */
int facts_find_pin(struct machine *m, const char *path, enum object_kind *kind, uint32_t *id);

/* Number of elements in a map, from the kernel's counter; false: there is none, or it is unknown. */
bool facts_map_count(struct machine *m, uint32_t id, uint64_t *ret);

/*
 * The last kernel symbol at or below an address; NULL: unknown. Asks for single symbols first, and for the table only
 * if there are many. The module of BPF code, "bpf" in the table, may be missing. Lives as long as the machine.
 */
const struct symbol *facts_symbol(struct machine *m, uint64_t addr);
const struct symbols *facts_symbols(struct machine *m); /* the table; never NULL; may be empty */
uint64_t facts_call_base(struct machine *m); /* the base of the offsets of calls in BPF instructions; 0: unknown */
const char *facts_ifname(struct machine *m, uint32_t ifindex); /* NULL: no such device in our namespace */
/* "msr": name of the PMU of perf events of that type; NULL: unknown */
const char *facts_pmu(struct machine *m, uint32_t type);
/* Why that line of a list has no entry: -errno of "? ERRNO ...", or -EBADMSG. */
int facts_unread(const char *line);
#define CGROUP_ROOT 1u /* id of the root of all cgroups; not listed: only some of them are mounted here */
const char *facts_cgroup(struct machine *m, uint64_t id); /* path below the cgroup mount, "/" first; NULL: unknown */
/* The index of a name; 0: none, or several. */
uint32_t facts_ifindex(struct machine *m, const char *name);
uint64_t facts_cgroup_id(struct machine *m, const char *path);
uint64_t facts_boot_ns(struct machine *m); /* add to a boot time stamp to get nanoseconds since the epoch; 0: unknown */
/*
 * The time of the facts, in seconds since the epoch: for an archive when it was made, for a recording its end, with
 * --at that moment, 0: unknown; else now.
 */
uint64_t facts_asked_at(struct machine *m);
uint32_t facts_cpus(struct machine *m);		      /* possible CPUs; 0: unknown */
uint32_t facts_cpus_end(struct machine *m);	      /* the highest number of a possible CPU, plus 1; 0: unknown */
const uint32_t *facts_cpu_numbers(struct machine *m); /* of each of them; NULL: 0, 1, ... */
/* The value of a name in the text of Q_ACCESS (NULL: no answer), in the arena; NULL: unknown, or "-". */
const char *facts_access(const char *access, const char *name, struct arena *a);
/*
 * Is lockdown the reason why a BPF program of ours that reads kernel memory could not be loaded? The verifier has no
 * error number of its own for that.
 */
bool facts_locked_down(struct machine *m, int err);
const char *facts_release(struct machine *m);	   /* "5.10.0-8-amd64"; NULL: unknown */
const char *facts_architecture(struct machine *m); /* "x86_64", as in uname(2); NULL: unknown */
const char *facts_host(struct machine *m); /* name of the host; NULL: unknown, or a file that does not have it */
/* The rest of the line of an archive's meta that begins with this name; NULL: there is none, or it is not an archive.
 */
const char *facts_meta(struct machine *m, const char *name);
/* When a recording was made, in seconds since 1970, and what became of its programs. False: it is not one. */
struct recording_facts {
	uint64_t from, to, ns;	/* ns: how long it is */
	bool dated, killed;	/* dated: the time of boot is known; killed: the recorder was, and to is not known */
	uint32_t gone, missing; /* programs that were unloaded, and that have missing answers */
};
bool facts_recording(struct machine *m, struct recording_facts *ret);
bool facts_netns(struct machine *m, uint64_t *dev, uint64_t *ino);
/* "kptr_restrict" and so on of sys/limits; -1: unknown. */
int64_t facts_limit(struct machine *m, const char *name);
/*
 * Sets the hint for addresses and code that the kernel hides: who is allowed to see them depends on
 * kernel.kptr_restrict (kallsyms_show_value()). Returns e->code.
 */
int facts_hint_hidden(struct machine *m, struct err *e);
/* Does the kernel count runs and run time of programs? 0: no, or an archive without the answer; -errno: refused.
 */
int facts_counts_runs(struct machine *m);
