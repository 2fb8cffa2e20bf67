/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/portable.h"

#include <linux/bpf.h>

#include "base/json/jsonr.h"
#include "cli/kind.h"
#include "map/types.h"

const struct kind *portable_object(const struct elem_form *f)
{
	if (f->value_size != sizeof(uint32_t))
		return NULL;
	if (f->type == BPF_MAP_TYPE_PROG_ARRAY)
		return &kind_prog;
	return f->flags & MAP_OF_MAPS ? &kind_map : NULL;
}

void portable_form_init(struct portable_form *ret, const struct elem_form *map, uint32_t entries)
{
	*ret = (struct portable_form){
		.map = map,
		.key = map->key,
		.value = map->value,
		.entries = entries,
		.key_exact = map->key && value_exact(map->key, map->key_size),
		.value_exact = map->value && value_exact(map->value, map->value_size),
	};
}

void portable_form_padding(struct portable_form *f, struct arena *a)
{
	f->key = f->map->key ? value_plan_unique(f->map->key, a) : NULL;
	f->value = f->map->value ? value_plan_unique(f->map->value, a) : NULL;
	padding_find(&f->key_padding, f->map->key, f->map->key_size, a);
	if (!portable_object(f->map))
		padding_find(&f->value_padding, f->map->value, f->map->value_size, a);
}

/* "0x1f", exactly two digits. -1: something else. */
static int hex_byte(const struct jsonr *r)
{
	return r->len == 4 && r->text[0] == '0' && r->text[1] == 'x' ? num_hex_byte(r->text + 2) : -1;
}

bool portable_bytes(struct jsonr *r, unsigned char *bytes, size_t n)
{
	struct jsonr ahead = *r;
	size_t i;
	int byte;

	if (jsonr_next(&ahead) != JSONR_ARRAY)
		return false;
	for (i = 0; i < n; i++) {
		byte = jsonr_next(&ahead) == JSONR_STR ? hex_byte(&ahead) : -1;
		if (byte < 0)
			return false;
		bytes[i] = (unsigned char)byte;
	}
	if (jsonr_next(&ahead) != JSONR_CLOSE)
		return false;
	*r = ahead;
	return true;
}
