/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/env.h"
#include "cli/owner.h"
#include "source/facts.h"
#include "source/task_place.h"

static const struct field holder_fields[] = {
	FIELD(holder, pid, "pid", "process that holds the object", .unit = FU_PID),
	FIELD_AS(holder, comm, FT_STR, "comm", "command name of the process", .role = ROLE_OWNER,
		 .flags = FIELD_INLINE),
};

static size_t holder_text(const void *row, char *buf, size_t size)
{
	const struct holder *h = row;

	return str_snprintf(buf, size, "%s(%u)", h->comm, h->pid);
}

const struct schema schema_holder = SCHEMA("holder", holder, holder_fields, .text = holder_text);

static void owner_place_add(const char **list, uint32_t *n, const char *word)
{
	for (uint32_t i = 0; word && i < *n; i++)
		if (!strcmp(list[i], word))
			return;
	if (word)
		list[(*n)++] = word;
}

void holder_places_read(struct env *env, struct arena *a, const struct holder *holders, uint32_t n,
			struct holder_places *ret)
{
	*ret = (struct holder_places){
		.unit = arena_array(a, n, sizeof(*ret->unit)),
		.container = arena_array(a, n, sizeof(*ret->container)),
		.cgroup = arena_array(a, n, sizeof(*ret->cgroup)),
		.known = AVAIL_YES,
	};
	for (uint32_t i = 0; i < n; i++) {
		const struct task_place *p = facts_task_place(env->machine, holders[i].pid);

		if (!p) {
			ret->known = AVAIL_UNSEEN;
			continue;
		}
		owner_place_add(ret->unit, &ret->nunit, p->unit);
		owner_place_add(ret->container, &ret->ncontainer, p->container);
		owner_place_add(ret->cgroup, &ret->ncgroup, p->cgroup);
	}
}

const char *holders_owner(const struct holder *h, uint32_t n, struct arena *a)
{
	return n > 1 ? arena_fmt(a, "%s(%u) +%u", h->comm, h->pid, n - 1) :
	       n     ? arena_fmt(a, "%s(%u)", h->comm, h->pid) :
		       NULL;
}

const char *object_owner(struct env *env, struct arena *a, enum object_kind kind, uint32_t id)
{
	uint32_t n;
	const struct holder *h = facts_holders(env->machine, kind, id, &n);
	const char *const *pins;

	if (n)
		return holders_owner(h, n, a);
	pins = facts_pins(env->machine, kind, id, &n);
	return n ? pins[0] : NULL;
}

/* What is known of an object without holders: may a process that could not be read hold it? */
static enum avail unheld(struct machine *m)
{
	return facts_holders_error(m) ? AVAIL_UNKNOWN : facts_unseen_holders(m) ? AVAIL_UNSEEN : AVAIL_NO;
}

/* May a path that could not be read be its pin? */
static bool lacks_pins(struct machine *m)
{
	const struct pin_unread *unread;

	return facts_pins_error(m) || facts_unread_pins(m, &unread);
}

uint8_t owner_is_known(struct env *env, const char *owner)
{
	struct machine *m = env->machine;

	return owner ? AVAIL_YES : lacks_pins(m) ? AVAIL_UNKNOWN : unheld(m);
}

void object_owners_read(struct env *env, struct arena *a, enum object_kind kind, uint32_t id, unsigned need,
			struct object_owners *ret)
{
	*ret = (struct object_owners){ .has_pins = AVAIL_NO, .has_holders = AVAIL_NO };
	if (need & NEED_OWNER) {
		ret->owner = object_owner(env, a, kind, id);
		ret->has_owner = owner_is_known(env, ret->owner);
	}
	if (need & NEED_PINS) {
		ret->pins = facts_pins(env->machine, kind, id, &ret->npins);
		ret->has_pins = !ret->npins && lacks_pins(env->machine) ? AVAIL_UNKNOWN :
				facts_any_pins(env->machine, kind)	? AVAIL_YES :
									  AVAIL_NO;
	}
	if (need & (NEED_HOLDERS | NEED_UNITS)) {
		ret->holders = facts_holders(env->machine, kind, id, &ret->nholders);
		if (!ret->nholders)
			ret->has_holders = unheld(env->machine);
		if (ret->has_holders == AVAIL_NO)
			ret->has_holders = AVAIL_YES;
	}
	if (need & NEED_UNITS) {
		holder_places_read(env, a, ret->holders, ret->nholders, &ret->places);
		ret->places.known = ret->has_holders == AVAIL_YES ? ret->places.known : ret->has_holders;
	}
}
