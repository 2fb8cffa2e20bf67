/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/capture/copies.h"

#include <linux/bpf.h>

void capture_copies_init(struct capture_copies *cs)
{
	*cs = (struct capture_copies){ 0 };
	cs->ready_end = &cs->ready;
}

void capture_copy_free(struct capture_copy *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < CAPTURE_RECORDS; i++)
		str_release(&c->part[i]);
	for (unsigned i = 0; i < CAPTURED_ARRAYS; i++)
		str_release(&c->made[i]);
	str_release(&c->maps);
	free(c);
}

static void list_free(struct capture_copy *c)
{
	while (c) {
		struct capture_copy *next = c->next;

		capture_copy_free(c);
		c = next;
	}
}

void capture_copies_release(struct capture_copies *cs)
{
	list_free(cs->open);
	list_free(cs->ready);
	capture_copies_init(cs);
}

static struct capture_copy *copy_find(struct capture_copies *cs, const struct capture_head *h)
{
	struct capture_copy *c;

	for (c = cs->open; c; c = c->next)
		if (c->id == h->id && c->cpu == h->cpu && c->time == h->time)
			return c;
	c = calloc(1, sizeof(*c));
	if (!c)
		arena_die(sizeof(*c));
	*c = (struct capture_copy){ .next = cs->open, .id = h->id, .cpu = h->cpu, .time = h->time, .held = sizeof(*c) };
	cs->held += c->held;
	return cs->open = c;
}

static void copy_ready(struct capture_copies *cs, struct capture_copy *c)
{
	struct capture_copy **at = &cs->open;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	c->next = NULL;
	*cs->ready_end = c;
	cs->ready_end = &c->next;
}

/* Structs are appended in order, and so are pieces. */
static void part_put(struct capture_copies *cs, struct capture_copy *c, const struct capture_head *h,
		     const unsigned char *p, size_t n)
{
	static const uint8_t sizes[CAPTURE_RECORDS] = {
		[CAPTURE_FUNC] = sizeof(struct capture_func),
		[CAPTURE_MAP] = sizeof(struct capture_map),
	};
	struct str *part = &c->part[h->record];
	const size_t before = part->cap;
	const size_t size = sizes[h->record];
	const size_t at = size ? h->index * size : h->record == CAPTURE_JITED ? c->jited_before + h->at : h->at;

	if (part->n != at || (size && n != size) || part->n + n > CAPTURE_BYTES_MAX) {
		c->torn = true;
		return;
	}
	if (h->record == CAPTURE_FUNC)
		c->jited_before = c->part[CAPTURE_JITED].n;
	str_add(part, p, n);
	c->held += part->cap - before;
	cs->held += part->cap - before;
}

void capture_copies_put(struct capture_copies *cs, const void *p, size_t n)
{
	const unsigned char *data = (const unsigned char *)p + sizeof(struct capture_head);
	struct capture_head h;
	struct capture_copy *c;

	if (n < sizeof(h))
		return;
	memcpy(&h, p, sizeof(h));
	n -= sizeof(h);
	if (h.record >= CAPTURE_RECORDS)
		return;
	c = copy_find(cs, &h);
	if (h.record == CAPTURE_META || h.record == CAPTURE_BIND)
		c->batch = h.batch;
	if (h.record == CAPTURE_META && h.time > cs->until + CAPTURE_SETTLED)
		cs->until = h.time - CAPTURE_SETTLED;
	if (h.record == CAPTURE_META && n >= sizeof(c->meta)) {
		memcpy(&c->meta, data, sizeof(c->meta));
		c->known = true;
	} else if (h.record == CAPTURE_END && n >= sizeof(c->end)) {
		memcpy(&c->end, data, sizeof(c->end));
		c->ended = true;
		copy_ready(cs, c);
	} else if (h.record == CAPTURE_BIND && n >= sizeof(c->bound_map)) {
		memcpy(&c->bound_map, data, sizeof(c->bound_map));
		copy_ready(cs, c);
	} else {
		part_put(cs, c, &h, data, n);
	}
}

void capture_copies_expire(struct capture_copies *cs, uint64_t time)
{
	struct capture_copy *c, *next;

	for (c = cs->open; c; c = next) {
		next = c->next;
		if (c->time < time)
			copy_ready(cs, c);
	}
}

struct capture_copy *capture_copies_take(struct capture_copies *cs, uint32_t batch)
{
	struct capture_copy **at = &cs->ready, *c;

	while (*at && (*at)->batch > batch)
		at = &(*at)->next;
	c = *at;
	if (!c)
		return NULL;
	*at = c->next;
	if (!c->next)
		cs->ready_end = at;
	cs->held -= c->held;
	return c;
}

static bool has_batch(const struct capture_copy *c, uint32_t batch)
{
	while (c && c->batch > batch)
		c = c->next;
	return c != NULL;
}

bool capture_copies_has(const struct capture_copies *cs, uint32_t batch)
{
	return has_batch(cs->open, batch) || has_batch(cs->ready, batch);
}

bool capture_copies_unread(const struct capture_copies *cs, uint32_t batch, uint64_t time)
{
	return cs->until <= time || has_batch(cs->open, batch);
}

static uint32_t nr_funcs(const struct capture_copy *c)
{
	return c->meta.funcs ? c->meta.funcs : 1;
}

static uint64_t jited_len(const struct capture_copy *c)
{
	const struct capture_func *f = (const void *)c->part[CAPTURE_FUNC].p;
	uint64_t sum = 0;

	for (size_t i = 0; i < c->part[CAPTURE_FUNC].n / sizeof(*f); i++)
		sum += f[i].jited_len;
	return sum;
}

/* enum captured_missing */
static unsigned bytes_missing(const struct capture_copy *c)
{
	const struct capture_meta *m = &c->meta;
	const struct {
		unsigned part;
		uint64_t size;
	} want[] = {
		{ CAPTURE_XLATED, 8ull * m->len },
		{ CAPTURE_FUNC_INFO, 8ull * m->nr_func_info },
		{ CAPTURE_LINE_INFO, 16ull * m->nr_line_info },
		{ CAPTURE_JITED_LINE_INFO, m->jited_lines ? 8ull * m->nr_line_info : 0 },
		{ CAPTURE_FUNC, (uint64_t)nr_funcs(c) * sizeof(struct capture_func) },
		{ CAPTURE_JITED, jited_len(c) },
		{ CAPTURE_MAP, (uint64_t)m->nr_maps * sizeof(struct capture_map) },
	};
	unsigned ret = !c->known || !c->ended || c->torn || c->end.lost ? CAPTURED_LOST : 0;

	for (unsigned i = 0; i < ARRAY_SIZE(want); i++)
		if (c->part[want[i].part].n != want[i].size)
			ret |= CAPTURED_LOST;
	if (m->btf_sent && c->part[CAPTURE_BTF].n != m->btf_size)
		ret |= CAPTURED_BTF;
	return ret | (c->end.changed ? CAPTURED_CHANGED : 0) | (m->offloaded ? CAPTURED_DEVICE : 0);
}

static void info_make(const struct capture_copy *c, struct abi_prog_info *ret)
{
	const struct capture_meta *m = &c->meta;

	*ret = (struct abi_prog_info){
		.type = m->type,
		.id = c->id,
		.jited_prog_len = (uint32_t)jited_len(c),
		.xlated_prog_len = 8 * m->len,
		.load_time = m->load_time,
		.created_by_uid = m->uid,
		.nr_map_ids = m->nr_maps,
		.flags = m->gpl_compatible ? ABI_PROG_GPL : 0,
		.nr_jited_ksyms = nr_funcs(c),
		.nr_jited_func_lens = nr_funcs(c),
		.btf_id = m->btf_id,
		.func_info_rec_size = 8,
		.nr_func_info = m->nr_func_info,
		.nr_line_info = m->nr_line_info,
		.nr_jited_line_info = m->jited_lines ? m->nr_line_info : 0,
		.line_info_rec_size = 16,
		.jited_line_info_rec_size = 8,
		.nr_prog_tags = nr_funcs(c),
		.verified_insns = m->verified_insns,
		.attach_btf_obj_id = m->attach_btf_obj_id,
		.attach_btf_id = m->attach_btf_id,
	};
	memcpy(ret->tag, m->tag, sizeof(ret->tag));
	memcpy(ret->name, m->name, sizeof(ret->name));
}

static void funcs_make(struct capture_copy *c)
{
	const struct capture_func *f = (const void *)c->part[CAPTURE_FUNC].p;

	for (size_t i = 0; i < c->part[CAPTURE_FUNC].n / sizeof(*f); i++) {
		str_add(&c->made[CAPTURED_JITED_KSYMS], &f[i].addr, sizeof(f[i].addr));
		str_add(&c->made[CAPTURED_JITED_FUNC_LENS], &f[i].jited_len, sizeof(f[i].jited_len));
		str_add(&c->made[CAPTURED_PROG_TAGS], f[i].tag, sizeof(f[i].tag));
	}
}

static void maps_make(struct capture_copy *c)
{
	const struct capture_map *m = (const void *)c->part[CAPTURE_MAP].p;

	for (size_t i = 0; i < c->part[CAPTURE_MAP].n / sizeof(*m); i++) {
		struct abi_map_info info = {
			.type = m[i].type,
			.id = m[i].id,
			.key_size = m[i].key_size,
			.value_size = m[i].value_size,
			.max_entries = m[i].max_entries,
			.map_flags = m[i].flags,
			.btf_id = m[i].btf_id,
			.btf_key_type_id = m[i].btf_key_type_id,
			.btf_value_type_id = m[i].btf_value_type_id,
		};

		memcpy(info.name, m[i].name, sizeof(info.name));
		str_add(&c->made[CAPTURED_MAP_IDS], &m[i].id, sizeof(m[i].id));
		str_add(&c->maps, &info, sizeof(info));
	}
}

static struct captured_bytes bytes_of(const struct str *s)
{
	return (struct captured_bytes){ s->n ? s->p : "", s->n };
}

void capture_copy_convert(struct capture_copy *c, bool swap, uint32_t info_len, struct captured *ret)
{
	static const unsigned char as_they_are[][2] = {
		{ CAPTURED_XLATED, CAPTURE_XLATED },
		{ CAPTURED_JITED, CAPTURE_JITED },
		{ CAPTURED_FUNC_INFO, CAPTURE_FUNC_INFO },
		{ CAPTURED_LINE_INFO, CAPTURE_LINE_INFO },
		{ CAPTURED_JITED_LINE_INFO, CAPTURE_JITED_LINE_INFO },
	};

	*ret = (struct captured){
		.id = c->id,
		.time = c->time,
		.pid = c->meta.pid,
		.tid = c->meta.tid,
		.uid = c->meta.loader_uid,
		.bound_map = c->bound_map,
		.by_loader = c->known && c->meta.way != CAPTURE_CLOSED,
		.info_len = info_len,
		.memlock = (uint64_t)c->meta.pages * (uint64_t)sysconf(_SC_PAGESIZE),
	};
	if (c->bound_map)
		return;
	if (c->meta.way >= CAPTURE_SOCKET && c->meta.way <= CAPTURE_SECCOMP)
		ret->classic = (enum captured_classic)(CAPTURED_SOCKET + c->meta.way - CAPTURE_SOCKET);
	ret->missing = bytes_missing(c);
	memcpy(ret->comm, c->meta.comm, sizeof(ret->comm));
	if (c->known)
		info_make(c, &ret->info);
	if (c->part[CAPTURE_XLATED].n)
		capture_insns((void *)c->part[CAPTURE_XLATED].p, c->part[CAPTURE_XLATED].n / sizeof(struct bpf_insn),
			      (const void *)c->part[CAPTURE_MAP].p, c->part[CAPTURE_MAP].n / sizeof(struct capture_map),
			      swap);
	funcs_make(c);
	maps_make(c);
	for (unsigned i = 0; i < CAPTURED_ARRAYS; i++)
		ret->array[i] = bytes_of(&c->made[i]);
	for (unsigned i = 0; i < ARRAY_SIZE(as_they_are); i++)
		ret->array[as_they_are[i][0]] = bytes_of(&c->part[as_they_are[i][1]]);
	ret->maps = (const void *)c->maps.p;
	ret->nmaps = c->maps.n / sizeof(*ret->maps);
	ret->btf = bytes_of(&c->part[CAPTURE_BTF]);
	if (ret->missing & CAPTURED_BTF)
		ret->btf.n = 0;
}
