/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "record/field.h"
#include "host/holders.h"

struct env;
/* The units, containers and cgroups of the processes that hold an object (source/task_place.h): each once, in order. */
struct holder_places {
	const char **unit, **container, **cgroup;
	uint32_t nunit, ncontainer, ncgroup;
	uint8_t known; /* enum avail: AVAIL_UNSEEN if one of them could not be read */
};
/* Read the places of these holders, into @a. */
void holder_places_read(struct env *env, struct arena *a, const struct holder *holders, uint32_t n,
			struct holder_places *ret);
#define FIELD_PLACES(T, m, ...) \
	FIELD_PLACE(T, m, unit, "UNIT", "systemd units of the processes that hold it", ##__VA_ARGS__), \
		FIELD_PLACE(T, m, container, "CONTAINER", \
			    "containers of the processes that hold it, by the id or name of their runtime", \
			    ##__VA_ARGS__), \
		FIELD_PLACE(T, m, cgroup, "CGROUP", "cgroups of the processes that hold it", ##__VA_ARGS__)
#define FIELD_PLACE(T, m, l, ttl, hlp, ...) \
	FIELD_LIST(T, m.l, m.n##l, FT_STR, "holder_" #l, hlp, .title = ttl, .plain = "  " #l " %", \
		   .flags = FIELD_NONZERO | FIELD_HOLDER, .need = NEED_UNITS, FIELD_WHEN(T, m.known), ##__VA_ARGS__)

/*
 * What programs, maps, links and (without pins) BTF objects have in common: their pins, and the processes that hold
 * them open. A kind has the struct in its record and the two rows in its fields, with .line for its plain text, and
 * calls object_owners_read() in its read.
 */
struct object_owners {
	const char *const *pins;      /* absolute paths, ascending */
	const struct holder *holders; /* ascending by pid */
	uint32_t npins, nholders;
	struct holder_places places;
	const char *owner;			  /* NULL: none, or unknown */
	uint8_t has_pins, has_holders, has_owner; /* enum avail */
};

/* In every object of a kind, perhaps empty, if one object of that kind is pinned. @m: the struct in record @T. */
#define FIELD_PINNED(T, m, ...) \
	FIELD_LIST(T, m.pins, m.npins, FT_STR, "pinned", "paths of its pins in bpffs", .unit = FU_PIN, \
		   .plain = "pinned %", .flags = FIELD_EACH | FIELD_HOLDER, .need = NEED_PINS, \
		   FIELD_WHEN(T, m.has_pins), ##__VA_ARGS__)
#define FIELD_PIDS(T, m, ...) \
	FIELD_ROWS(T, m.holders, m.nholders, &schema_holder, "pids", "processes that hold it open", \
		   .role = ROLE_OWNER, .plain = "pids %", .flags = FIELD_NONZERO | FIELD_HOLDER, .need = NEED_HOLDERS, \
		   FIELD_WHEN(T, m.has_holders), ##__VA_ARGS__)
/* The owner of an attachment in `ls`, or of an object: in both cases the holder that would have to release it. */
#define FIELD_OWNER(T, o, has, ...) \
	FIELD_IF(T, o, has, "owner", "a process that holds it, or else the link that attaches it, or a pin", \
		 .role = ROLE_OWNER, ##__VA_ARGS__)
/* The same for a record @T with a struct object_owners @m. */
#define FIELD_OBJECT_OWNER(T, m, ...) \
	FIELD_OWNER(T, m.owner, m.has_owner, .need = NEED_OWNER, .plain = "  owner %", ##__VA_ARGS__)
extern const struct schema schema_holder; /* struct holder: pid, comm; as text "comm(pid)" */

/*
 * The owner: a process, "comm(pid)", or "comm(pid) +2" for several, else the first pin; in @a, or valid as long as
 * env->machine. NULL: none, or unknown, which owner_is_known() (enum avail) distinguishes.
 */
const char *object_owner(struct env *env, struct arena *a, enum object_kind kind, uint32_t id);
const char *holders_owner(const struct holder *h, uint32_t n,
			  struct arena *a); /* the same for these processes; NULL: none */
uint8_t owner_is_known(struct env *env, const char *owner);
/* Read what @need asks for (NEED_PINS, NEED_HOLDERS, NEED_UNITS, NEED_OWNER); the rest is marked as not applying. Valid
 * as long as env->machine and @a. */
void object_owners_read(struct env *env, struct arena *a, enum object_kind kind, uint32_t id, unsigned need,
			struct object_owners *ret);
