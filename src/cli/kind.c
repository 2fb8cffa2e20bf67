/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/kind.h"

#include "record/edge.h"
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

unsigned kind_edge_need(const struct kind *k, unsigned skip)
{
	unsigned need = edge_need(k->schema, skip);

	for (size_t i = 0; k->parts && k->parts[i]; i++)
		need |= edge_need(k->parts[i], skip);
	return need;
}
