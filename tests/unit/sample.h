/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/field.h"

/* A kind of record with every type, flag and form of absence. */
struct sample_row {
	uint64_t addr;
	uint64_t cookie;
	const char *func;
};
struct sample_pair {
	const char *key, *val;
};
struct sample {
	uint32_t id, type;
	char name[16];
	uint8_t tag[8];
	struct {
		uint32_t flags;
		uint64_t later __attribute__((aligned(8))); /* a kernel may not have it */
	} info;
	uint32_t info_len;
	bool gpl, jited, orphaned;
	uint8_t has_time, has_part;
	uint64_t time, addr, size, nsec, count;
	int64_t prio;
	int8_t tiny;
	double share;
	uint16_t port;
	const char *path, *json;
	const uint32_t *ids;
	uint32_t n_ids;
	const char **pins;
	uint32_t n_pins;
	struct sample_row *rows, *dev, *pids;
	uint32_t n_rows, n_dev, n_pids;
	struct sample_pair *meta;
	uint32_t n_meta;
	uint32_t part_map, btf;
	uint8_t kind;
};

static const char *const sample_words[] = { "unspec", "xdp", NULL, "tc" };
static const struct names sample_types = NAMES(sample_words);

static const struct field sample_row_fields[] = {
	FIELD(sample_row, addr, "addr", "where it is", .unit = FU_ADDR, .width = 18),
	FIELD(sample_row, cookie, "cookie", "user's number", .unit = FU_HEX, .width = 6),
	FIELD(sample_row, func, "func", "its name", .plain = "%"),
};
static const struct schema sample_row_schema = SCHEMA("row", sample_row, sample_row_fields);

static inline size_t sample_pid_text(const void *row, char *buf, size_t size)
{
	const struct sample_row *r = row;

	return (size_t)snprintf(buf, size, "%s(%llu)", r->func ? r->func : "", (unsigned long long)r->addr);
}
static const struct field sample_pid_fields[] = {
	FIELD(sample_row, addr, "pid", "process", .unit = FU_PID),
	FIELD(sample_row, func, "comm", "command"),
};
static const struct schema sample_pid_schema = SCHEMA("pid", sample_row, sample_pid_fields, .text = sample_pid_text);

static const struct field sample_pair_fields[] = {
	FIELD(sample_pair, key, "key", "key"),
	FIELD_AS(sample_pair, val, FT_JSON, "value", "value"),
};
static const struct schema sample_pair_schema = SCHEMA("pair", sample_pair, sample_pair_fields);

static const struct field sample_part_fields[] = {
	FIELD(sample, part_map, "map_id", "the map", .unit = FU_MAP, .plain = "map_id %  ", .line = 1, .col = 20),
	FIELD(sample, info.later, "part_later", "in the part", .line = 1, .col = 21),
};
static const struct schema sample_part = SCHEMA("part", sample, sample_part_fields);
static inline const struct schema *sample_more(const void *rec)
{
	return ((const struct sample *)rec)->kind ? &sample_part : NULL;
}

static const struct field sample_fields[] = {
	FIELD(sample, id, "id", "number", .plain = "%: ", .flags = FIELD_DEFAULT),
	FIELD_AS(sample, type, FT_ENUM, "type", "type", .names = &sample_types, .plain = "%", .flags = FIELD_DEFAULT,
		 .col = 1),
	FIELD_AS(sample, name, FT_STR, "name", "name", .plain = "  name %",
		 .flags = FIELD_INLINE | FIELD_NONZERO | FIELD_DEFAULT, .col = 2),
	FIELD_AS(sample, tag, FT_BYTES, "tag", "hash", .plain = "  tag %", .col = 3),
	FIELD(sample, gpl, "gpl_compatible", "GPL", .plain = "  gpl|", .col = 4),
	FIELD(sample, info.flags, "flags", "flags", .unit = FU_HEX, .plain = "  flags %", .col = 5),
	FIELD(sample, info.later, "later", "newer member", .line = 1, .col = 9),
	FIELD_AS(sample, time, FT_TIME, "loaded_at", "when", FIELD_WHEN(sample, has_time), .plain = "loaded_at %",
		 .line = 1),
	FIELD(sample, size, "bytes", "size", .unit = FU_SIZE, .plain = "bytes %B", .line = 2, .flags = FIELD_DEFAULT),
	FIELD(sample, jited, "jited", "compiled", .plain = "  jited|  not jited", .line = 2, .col = 1),
	FIELD(sample, orphaned, "orphaned", "device gone", .plain = "  orphaned|", .line = 2, .col = 2),
	FIELD(sample, nsec, "run_time_ns", "time", .unit = FU_NSEC, .line = 3),
	FIELD(sample, count, "run_cnt", "runs", .unit = FU_COUNTER, .flags = FIELD_NONZERO, .line = 3, .col = 1),
	FIELD(sample, prio, "prio", "order", .line = 3, .col = 2),
	FIELD(sample, tiny, "tiny", "small", .flags = FIELD_PLAIN_NZ, .line = 3, .col = 3),
	FIELD(sample, share, "share", "part of it", .flags = FIELD_NONZERO | FIELD_NOPLAIN),
	FIELD(sample, port, "port", "port", .line = 3, .col = 4, .need = NEED_FDINFO),
	FIELD(sample, addr, "addr", "address", .unit = FU_ADDR, .plain = "  has address", .line = 3, .col = 5),
	FIELD(sample, path, "path", "path", .line = 4),
	FIELD_AS(sample, json, FT_JSON, "extra", "anything", .line = 5),
	FIELD_LIST(sample, ids, n_ids, FT_UINT, "map_ids", "maps", .unit = FU_MAP, .flags = FIELD_NONZERO, .line = 6),
	FIELD_LIST(sample, pins, n_pins, FT_STR, "pinned", "paths", .unit = FU_PIN, .flags = FIELD_EACH | FIELD_HOLDER,
		   .line = 7, .plain = "pinned %", .need = NEED_PINS),
	FIELD_ROWS(sample, rows, n_rows, &sample_row_schema, "funcs", "places", .line = 8, .flags = FIELD_PLAIN_NZ),
	FIELD_ROWS(sample, dev, n_dev, &sample_row_schema, "dev", "device", .flags = FIELD_SINGLE | FIELD_NOPLAIN),
	FIELD_ROWS(sample, pids, n_pids, &sample_pid_schema, "pids", "holders", .flags = FIELD_NONZERO | FIELD_HOLDER,
		   .plain = "pids %", .line = 9),
	FIELD_ROWS(sample, meta, n_meta, &sample_pair_schema, "metadata", "metadata",
		   .flags = FIELD_KEYED | FIELD_NONZERO, .plain = "metadata:", .line = 10),
	FIELD(sample, btf, "btf_id", "BTF", .unit = FU_BTF, .plain = "btf_id %", .line = 11),
};
static const struct schema sample_schema =
	SCHEMA("sample", sample, sample_fields, .info_off = offsetof(struct sample, info),
	       .info_len = offsetof(struct sample, info_len), .info_size = sizeof(((struct sample *)0)->info),
	       .more = sample_more);
static const struct schema *const sample_parts[] = { &sample_part, NULL };

static inline const char *sample_word(void)
{
	static const char *const words[] = {
		"",
		"a",
		"eth0",
		"drop_syn",
		"with blank",
		"quote\"back\\",
		"caf\xc3\xa9",
		"bad\xff\xfe",
		"\x1b[2J",
		"tab\tnl\n",
		"0123456789abcdefghijklmnopqrstuvwxyz",
		"</script>",
		"\xe2\x82",
	};

	return words[(size_t)random() % ARRAY_SIZE(words)];
}

static inline uint64_t sample_number(void)
{
	return random() % 4 ? (uint64_t)random() % 5 :
			      ((uint64_t)random() << 40 ^ (uint64_t)random() << 20 ^ (uint64_t)random());
}

/* Values that the random record points to. */
struct sample_memory {
	uint32_t ids[6];
	const char *pins[3];
	struct sample_row rows[4], dev, pids[3];
	struct sample_pair meta[3];
};

static inline void sample_random_rows(struct sample_row *r, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		r[i] = (struct sample_row){ sample_number(), sample_number(), random() % 4 ? sample_word() : NULL };
}

static inline void sample_random(struct sample *s, struct sample_memory *m)
{
	static const char *const json[] = {
		"{}", "[]", "{\"a\":[1,2,{\"b\":null}],\"c\":\"x\\\"y\"}", "3", "\"s\"", NULL, "[[],{}]", "-1.5e3",
	};
	unsigned i;

	*s = (struct sample){ .id = (uint32_t)random(),
			      .type = (uint32_t)random() % 6,
			      .info_len = random() % 2 ? 16 : 4 };
	if (random() % 8)
		snprintf(s->name, sizeof(s->name), "%s", sample_word());
	else
		memset(s->name, 'x', sizeof(s->name));
	for (i = 0; i < 8; i++)
		s->tag[i] = (uint8_t)random();
	s->info.flags = (uint32_t)sample_number();
	s->info.later = sample_number();
	s->gpl = random() % 2, s->jited = random() % 2, s->orphaned = random() % 2;
	s->has_time = (uint8_t)(random() % 3);
	s->time = sample_number(), s->addr = sample_number(), s->size = sample_number(), s->nsec = sample_number();
	s->count = sample_number(), s->prio = (int64_t)sample_number() - 3, s->tiny = (int8_t)random();
	s->port = (uint16_t)sample_number();
	s->path = random() % 3 ? sample_word() : NULL;
	s->json = json[(size_t)random() % ARRAY_SIZE(json)];
	for (i = 0; i < ARRAY_SIZE(m->ids); i++)
		m->ids[i] = (uint32_t)sample_number();
	for (i = 0; i < ARRAY_SIZE(m->pins); i++)
		m->pins[i] = random() % 5 ? sample_word() : NULL;
	sample_random_rows(m->rows, 4);
	sample_random_rows(&m->dev, 1);
	sample_random_rows(m->pids, 3);
	for (i = 0; i < ARRAY_SIZE(m->meta); i++)
		m->meta[i] = (struct sample_pair){ i ? i == 1 ? "num" : "q\"" : "version", i ? "42" : "\"v1\"" };
	s->ids = m->ids, s->n_ids = (uint32_t)random() % 7;
	s->pins = m->pins, s->n_pins = (uint32_t)random() % 4;
	s->rows = m->rows, s->n_rows = (uint32_t)random() % 5;
	s->dev = &m->dev, s->n_dev = (uint32_t)random() % 2;
	s->pids = random() % 2 ? m->pids : NULL, s->n_pids = (uint32_t)random() % 4;
	s->meta = m->meta, s->n_meta = (uint32_t)random() % 4;
	s->part_map = (uint32_t)sample_number(), s->btf = (uint32_t)sample_number();
	s->kind = random() % 2;
}
