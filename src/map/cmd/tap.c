/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include "map/view/listen.h"
#include "map/elem/open.h"
#include "record/field.h"
#include "source/source.h"
#include "kernel/ring.h"
#include "host/stop.h"

/*
 * Time until the next reading: as long as records are unread, more of them do not wake us, and producers may suppress
 * wakeups.
 */
enum { LOOK_MS = 10, WAKE_MS = 200 };

struct tap_opts {
	struct object_ref map;
	struct listen_opts listen;
	bool consume;
};

static const struct arg tap_args[] = {
	ONE_MAP_ARG(struct tap_opts, "a ring buffer"),
	LISTEN_ARGS(struct tap_opts, listen),
	ARG("--consume", ARG_FLAG, struct tap_opts, consume, "consume the records, if no other process does"),
};

/* A record, or a gap in place of lost records. */
struct lost_rec {
	uint64_t bytes;
};
struct tap_rec {
	uint64_t position;
	uint32_t size;
	const unsigned char *data; /* of size bytes */
	const struct lost_rec *lost;
	uint32_t nlost;	  /* 1: a gap */
	uint8_t has_data; /* enum avail */
};

static const struct field lost_fields[] = {
	FIELD(lost_rec, bytes, "bytes", "size (of the records that were overwritten before they were read)"),
};

static size_t lost_text(const void *row, char *buf, size_t size)
{
	const struct lost_rec *r = row;

	return str_snprintf(buf, size, "%" PRIu64 " bytes of records", r->bytes);
}
static const struct schema schema_lost = SCHEMA("tap_lost", lost_rec, lost_fields, .text = lost_text);

#define DATA offsetof(struct tap_rec, has_data)
static const struct field tap_fields[] = {
	FIELD(tap_rec, position, "position", "position in the ring where it begins, in bytes since the map was created",
	      .plain = "== @%", .col = 2, .flags = FIELD_ELSE),
	FIELD(tap_rec, size, "size", "size in bytes", .plain = " size: % =====", .col = 3, .when = DATA),
	FIELD_ROWS(tap_rec, lost, nlost, &schema_lost, "lost", "what was lost there (in bytes, instead of a record)",
		   .plain = "lost %", .col = 1, .flags = FIELD_NONZERO | FIELD_SINGLE),
	FIELD_LIST(tap_rec, data, size, FT_UINT, "data", "bytes of the record as numbers", .when = DATA,
		   .flags = FIELD_NOPLAIN),
};
static const struct schema schema_tap = SCHEMA("record", tap_rec, tap_fields);

static void record_print(struct listen *l, const struct ring_record *r)
{
	const struct tap_rec head = { .position = r->pos, .size = r->n, .data = r->data, .has_data = AVAIL_YES };

	listen_record(l, &schema_tap, &head, r->data, r->n);
}

static void lost_print(struct listen *l, const struct ring_record *r)
{
	const struct lost_rec lost = { r->lost };
	const struct tap_rec head = { .position = r->pos, .lost = &lost, .nlost = 1 };

	listen_record(l, &schema_tap, &head, NULL, 0);
}

static void records_print(struct listen *l, struct ring *r)
{
	struct ring_record rec;
	enum ring_next next;

	while (!listen_done(l) && (next = ring_next(r, &rec)) != RING_NONE)
		(next == RING_LOST ? lost_print : record_print)(l, &rec);
}

static int tap_loop(struct listen *l, struct ring *r, const struct open_map *m, bool consume, struct err *e)
{
	STOP stop = { .fd = -1 };
	int err = stop_begin(&stop);

	if (err)
		return err_sys(e, err, "map %u: cannot wait for records", m->info.id);
	stop.output = STDOUT_FILENO;
	env_waits(l->env, "waiting for records in map %u", m->info.id);
	for (;;) {
		bool idle;

		records_print(l, r);
		err = consume ? ring_consume(r, m->fd) : 0;
		if (err)
			return err_sys(e, err, "map %u: cannot consume records", m->info.id);
		idle = ring_consumer(r) == ring_producer(r);
		if (listen_flush(l) || stop_wait(&stop, idle ? m->fd : -1, idle ? WAKE_MS : LOOK_MS))
			return 0;
	}
}

static int tap_run(struct env *env, const void *opts, struct err *e)
{
	const struct tap_opts *o = opts;
	OPEN_MAP(m);
	RING ring = { 0 };
	struct listen l;
	int err;

	if (env->opts->from) {
		err_set(e, -EOPNOTSUPP, "records are followed on the running kernel, not in an archive");
		return err_hint(e, "`map show` shows the number of unread bytes");
	}
	err = map_open(env, &o->map, VERB_TAP, &m, e);
	if (err)
		return err;
	if (o->consume && m.info.type == ABI_MAP_USER_RINGBUF)
		return err_usage(e, "only a BPF program can consume records of map %u, a user ring buffer", m.info.id);
	err = ring_open(&ring, m.fd, m.info.max_entries, m.info.map_flags);
	if (err)
		return err_sys(e, err, "map %u: cannot map the ring buffer", m.info.id);
	err = listen_begin(&l, env, m.info.id, m.info.btf_id, &o->listen, e);
	if (err)
		return err;
	source_idle(env->machine->src);
	err = tap_loop(&l, &ring, &m, o->consume, e);
	listen_end(&l);
	return err;
}

const struct command map_tap = {
	.name = "tap",
	.summary = "print the records of a ring buffer as they arrive",
	.help = "Starts with the records that are not consumed yet, and continues until SIGINT, SIGHUP or SIGTERM. It does not consume records, so "
		"the buffer's consumer misses none. If records are overwritten before they are read, it reports how many bytes were lost. A buffer "
		"without a consumer becomes full, and programs can add no more records; --consume then consumes what was printed.",
	.schema = &schema_tap,
	ARGS(tap_args, struct tap_opts),
	.flags = CMD_READ | CMD_TEXT | CMD_OURS | CMD_STREAM,
	.run = tap_run,
};
