/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "types/btf.h"
#include "btf_input.h"
#include "map/elem/portable.h"
#include "render/jsonw.h"
#include "kernel/abi.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

#define MAX_TYPES 64
#define BYTES 400 /* of all keys and values here */

static const struct {
	uint32_t type, key, value;
} maps[] = {
	{ BPF_MAP_TYPE_HASH, 8, 32 }, { BPF_MAP_TYPE_PERCPU_ARRAY, 4, 12 }, { BPF_MAP_TYPE_HASH_OF_MAPS, 5, 4 },
	{ BPF_MAP_TYPE_QUEUE, 0, 1 }, { BPF_MAP_TYPE_LPM_TRIE, 8, 0 },
};

/* Text that is written for any bytes is read as the same bytes. */
static void write_read(const struct portable_form *f, const unsigned char *elem, struct arena *a, struct out *o,
		       struct out *scratch)
{
	size_t key = f->map->key_size, n = key + (size_t)elem_value_bytes(f->map);
	unsigned char back[BYTES];
	struct portable got;
	struct jsonw w;

	o->n = 0;
	jsonw_init(&w, o, false);
	portable_write(f, &w, elem, scratch);
	if (portable_read(f, o->buf, o->n, a, back, &got, NULL))
		__builtin_trap();
	if (portable_object(f->map))
		memcpy(back + key, &got.object.id, sizeof(got.object.id));
	if (memcmp(back, elem, n) != 0)
		__builtin_trap();
}

/* Bytes of the input; the padding between the values of two CPUs is not kept. */
static void elem_make(const struct elem_form *m, const struct input *in, unsigned char *elem)
{
	size_t step = m->cpus ? ((size_t)m->value_size + 7) / 8 * 8 : 0;

	memset(elem, 0, BYTES);
	memcpy(elem, in->value, in->value_n < BYTES ? in->value_n : BYTES);
	for (uint32_t cpu = 0; cpu < m->cpus; cpu++)
		memset(elem + m->key_size + cpu * step + m->value_size, 0, step - m->value_size);
}

static void try(const struct btf_types *t, uint32_t id, const struct input *in, struct out *o, struct out *scratch)
{
	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++) {
		const struct abi_map_info info = { .type = maps[i].type,
						   .key_size = maps[i].key,
						   .value_size = maps[i].value };
		unsigned char elem[BYTES];
		ARENA a = arena_new();
		struct portable_form f;
		struct elem_form m;
		struct portable got;

		elem_form_init(&m, &info, 3);
		if (id)
			m.value = value_plan(t, id, VALUE_FORMATTED, a);
		if (id & 1)
			m.key = m.value;
		portable_form_init(&f, &m, 1);
		portable_read(&f, (const char *)in->value, in->value_n, a, elem, &got, NULL);
		/* Enumerators that look like bytes are only in hostile files. */
		f.key_exact = f.value_exact = false;
		elem_make(&m, in, elem);
		write_read(&f, elem, a, o, scratch);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct btf_types *t = NULL;
	struct out o, scratch;
	struct input in;
	uint8_t *raw;

	if (input_parse(p, n, &in))
		return 0;
	raw = malloc(n + sizeof(struct abi_btf_header) + 2);
	if (!raw)
		abort();
	out_init(&o, -1);
	out_init(&scratch, -1);
	try(NULL, 0, &in, &o, &scratch);
	if (!btf_parse(&t, raw, btf_make(&in, raw), NULL, NULL))
		for (uint32_t id = 1; id < btf_count(t) && id < MAX_TYPES; id++)
			try(t, id, &in, &o, &scratch);
	out_close(&scratch, NULL);
	out_close(&o, NULL);
	btf_release(&t);
	free(raw);
	return 0;
}
