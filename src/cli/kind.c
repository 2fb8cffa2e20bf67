/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/kind.h"

#include "record/field.h"

const struct kind *kind_of(enum object_kind object)
{
	size_t i = 0;

	while (kinds[i] && kinds[i]->object != object)
		i++;
	return kinds[i];
}

unsigned kind_need(const struct kind *k, uint32_t without)
{
	unsigned need = schema_need(k->schema, without);
	size_t i;

	for (i = 0; k->parts && k->parts[i]; i++)
		need |= schema_need(k->parts[i], without);
	return need;
}
