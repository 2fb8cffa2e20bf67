/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include <linux/bpf.h>

#include "cli/env.h"
#include "map/elem/portable.h"
#include "map/elem/walk.h"
#include "source/info.h"

int map_decode_init(struct env *env, uint32_t id, struct map_decode *ret, struct err *e)
{
	struct elem_form *form = arena_alloc(env->keep, sizeof(*form));
	struct abi_map_info info;
	struct walk w;
	int err = map_info(env->machine, env->keep, id, &info, e);

	if (err)
		return err;
	walk_init(&w, env, &info);
	err = elem_form_check(&w.form, id, e);
	if (err)
		return err;
	walk_types(&w, value_form_of(env), env->keep);
	*form = w.form;
	*ret = (struct map_decode){
		.form = form,
		.id = id,
		.key_size = info.key_size,
		.value_size = info.value_size,
		.value_bytes = elem_value_bytes(form),
		.holds_fds = portable_object(form) != NULL,
		.asks_values = info.type == BPF_MAP_TYPE_BLOOM_FILTER,
	};
	return 0;
}

const char *map_decode_key(const struct map_decode *d, const void *key, struct arena *a)
{
	return elem_value_json(d->form->key, key, d->key_size, a);
}

const char *map_decode_value(const struct map_decode *d, const void *value, size_t n, struct arena *a)
{
	if (d->holds_fds)
		return arena_fmt(a, "{\"id\":%u}", elem_u32(d->form, value));
	return n == d->value_bytes ? elem_values_json(d->form, value, a) : elem_value_json(d->form->value, value, n, a);
}
