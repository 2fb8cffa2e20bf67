/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/c/writer.h"

#include "base/ident.h"

#define NAMES_MIN 64

static uint32_t hash_of(enum c_space space, const char *name)
{
	const uint64_t h = hash_text(HASH_TEXT, name);

	return (uint32_t)(h ^ h >> 32) << 1 | space;
}

/* The slot of the name, or the free slot where it belongs. A quarter of the slots is always free. */
static struct c_name *name_slot(const struct c_names *names, uint32_t hash, const char *name)
{
	size_t i = hash & (names->cap - 1);

	while (names->slots[i].times && (names->slots[i].hash != hash || strcmp(names->slots[i].name, name)))
		i = (i + 1) & (names->cap - 1);
	return &names->slots[i];
}

void c_names_init(struct c_names *names, struct arena *a, size_t expected)
{
	*names = (struct c_names){ .arena = a, .cap = NAMES_MIN };
	while (names->cap / 4 * 3 < expected)
		names->cap *= 2;
	names->slots = arena_array(a, names->cap, sizeof(*names->slots));
}

const char *c_name(struct c_names *names, const char *name)
{
	return ident_make(names->arena, name, IDENT_C);
}

static void names_grow(struct c_names *names)
{
	struct c_names old = *names;

	c_names_init(names, old.arena, old.cap);
	names->n = old.n;
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].times)
			*name_slot(names, old.slots[i].hash, old.slots[i].name) = old.slots[i];
}

uint32_t c_names_take(struct c_names *names, enum c_space space, const char *name)
{
	uint32_t hash = hash_of(space, name);
	struct c_name *slot;

	if (names->n >= names->cap / 4 * 3)
		names_grow(names);
	slot = name_slot(names, hash, name);
	if (!slot->times) {
		*slot = (struct c_name){ .name = name, .hash = hash };
		names->n++;
	}
	return ++slot->times;
}
