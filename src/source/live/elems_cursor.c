/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/bpf.h>
#include "source/elems.h"
#include "source/live/elems.h"

static bool type_has_batch(uint32_t type)
{
	switch (type) {
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_ARRAY:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_PERCPU_ARRAY:
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
	case BPF_MAP_TYPE_LPM_TRIE:
	case BPF_MAP_TYPE_HASH_OF_MAPS:
	case BPF_MAP_TYPE_ARRAY_OF_MAPS:
		return true;
	default:
		return false;
	}
}

static int position_parse(struct elems_walk *w, const char *p)
{
	const struct live_walk *m = w->mem;
	size_t n = strlen(p);

	if (*p == 't') {
		char now[24];

		*num_dec(now, m->token) = '\0';
		if (strcmp(p + 1, now) != 0 || m->last_map != w->map_id || m->last_len != w->pos_size)
			return -ESTALE;
		memcpy(w->pos, m->last, w->pos_size);
		return 0;
	}
	if (n % 2 || n / 2 > w->pos_size)
		return -EINVAL;
	for (size_t i = 0; i < n / 2; i++) {
		int hi = num_hex_digit(p[2 * i]), lo = num_hex_digit(p[2 * i + 1]);

		if (hi < 0 || lo < 0)
			return -EINVAL;
		w->pos[i] = (unsigned char)(hi << 4 | lo);
	}
	return 0;
}

int walk_cursor_parse(struct elems_walk *w, const char *cursor)
{
	const char *p;
	unsigned digits = 0;

	if (!*cursor || !strcmp(cursor, "start")) {
		w->first = true;
		w->mode = type_has_batch(w->type) ? 'b' : 'k';
		return 0;
	}
	w->mode = cursor[0];
	if ((w->mode != 'b' && w->mode != 'k') || cursor[1] != '.')
		return -EINVAL;
	for (p = cursor + 2; num_hex_digit(*p) >= 0 && digits < 16; p++, digits++)
		w->seen = w->seen << 4 | (uint64_t)num_hex_digit(*p);
	if (!digits || *p != '.')
		return -EINVAL;
	return position_parse(w, p + 1);
}

size_t walk_cursor_print(struct elems_walk *w, char *ret)
{
	struct live_walk *m = w->mem;
	size_t n = w->pos_size;
	char *p = ret;

	*p++ = w->mode;
	*p++ = '.';
	p = num_hex(p, w->seen);
	*p++ = '.';
	while (n && !w->pos[n - 1])
		n--;
	if (2 * n > ELEMS_CURSOR_MAX - (size_t)(p - ret)) {
		m->last = walk_buffer(m->last, &m->last_cap, w->pos_size);
		memcpy(m->last, w->pos, w->pos_size);
		m->last_len = w->pos_size;
		m->last_map = w->map_id;
		*p++ = 't';
		return (size_t)(num_dec(p, ++m->token) - ret);
	}
	for (size_t i = 0; i < n; i++) {
		memcpy(p, num_hex2[w->pos[i]], 2);
		p += 2;
	}
	return (size_t)(p - ret);
}
