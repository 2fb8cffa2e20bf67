/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/capture/capture.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "kernel/bpf.h"
#include "kernel/clock.h"
#include "kernel/cpus.h"
#include "kernel/ring.h"
#include "own/capture/copies.h"
#include "own/capture/hooks.h"

#include "own/capture/sample.bpf.inc"
static const struct own_program sample = OWN_PROGRAM(sample);

#define LIMIT_MS 20000
#define GIVEN_UP NSEC_PER_SEC	 /* ns after which an unfinished copy will not be finished */
#define CONSUME_BYTES (1u << 20) /* bytes after which their room is given back to the kernel */
#define WAKE (4u << 20)		 /* bytes in the ring, at most an eighth of it, that wake the reader */
#define BATCHES 64		 /* most batches that wait */
enum { MAP_RING, MAP_SEEN, MAP_BTFS, MAP_SCRATCH, MAPS };

struct capture {
	struct own *own;
	int map[MAPS];
	struct capture_hooks hooks;
	struct ring ring;
	struct capture_copies copies;
	struct capture_copy *last; /* the one that capture_next() returned */
	uint64_t queue_size;
	uint32_t info_len;
	uint32_t batch, batch_last;	  /* the batch being returned, and the last one begun */
	uint64_t batch_size, batch_bytes; /* of the last one: its limit, and the bytes read so far */
	uint64_t batch_at[BATCHES];	  /* ns since boot, by batch % BATCHES */
	uint32_t ring_size;
	bool stopped;
	bool swap, insns_known;
};

static int maps_open(struct capture *c, uint32_t ring_size, uint32_t cpus)
{
	const struct own_map_wish wish[MAPS] = {
		[MAP_RING] = { "bpflens.ring", BPF_MAP_TYPE_RINGBUF, 0, 0, ring_size, 0 },
		[MAP_SEEN] = { "bpflens.seen", BPF_MAP_TYPE_LRU_HASH, sizeof(uint32_t), sizeof(struct capture_seen),
			       1 << 16, 0 },
		[MAP_BTFS] = { "bpflens.btfs", BPF_MAP_TYPE_LRU_HASH, sizeof(struct capture_sent), sizeof(uint32_t),
			       1 << 13, 0 },
		[MAP_SCRATCH] = { "bpflens.scratch", BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(struct capture_piece),
				  CAPTURE_HOOKS * cpus, 0 },
	};

	for (int i = 0; i < MAPS; i++) {
		c->map[i] = own_map(c->own, &wish[i]);
		if (c->map[i] < 0)
			return c->map[i];
	}
	return ring_open(&c->ring, c->map[MAP_RING], ring_size, 0);
}

static int hooks_open(struct capture *c, uint32_t cpus, uint32_t ring_size)
{
	const struct own_map maps[] = {
		{ "ring", c->map[MAP_RING] },
		{ "seen", c->map[MAP_SEEN] },
		{ "btfs", c->map[MAP_BTFS] },
		{ "scratch", c->map[MAP_SCRATCH] },
		{ NULL, -1 },
	};

	return capture_hooks_open(&c->hooks, c->own, maps, cpus, ring_size / 8 < WAKE ? ring_size / 8 : WAKE);
}

/* Get the instructions of one of our own programs from the kernel's dump. 0 or -errno. */
static int dump(int prog, struct abi_prog_info *info, uint32_t *info_len, struct str *ret)
{
	unsigned char whole[512] = { 0 };
	uint32_t len = sizeof(whole);
	int err = sys_object_info(prog, whole, &len);

	if (err)
		return err;
	*info_len = len;
	memcpy(info, whole, sizeof(*info));
	str_reserve(ret, info->xlated_prog_len);
	ret->n = info->xlated_prog_len;
	*info = (struct abi_prog_info){ .xlated_prog_len = info->xlated_prog_len,
					.xlated_prog_insns = (uintptr_t)ret->p };
	len = sizeof(*info);
	return sys_object_info(prog, info, &len);
}

/* Without the right to see addresses, the dump has zero for the address of a helper. */
static bool same_insns(const void *copy, const void *dumped, size_t size)
{
	const struct bpf_insn *a = copy, *b = dumped;

	for (size_t i = 0; i < size / sizeof(*a); i++) {
		const bool hidden = b[i].code == (BPF_JMP | BPF_CALL) && !b[i].imm;

		if (memcmp(&a[i], &b[i], sizeof(*a)) && !(hidden && a[i].code == b[i].code))
			return false;
	}
	return true;
}

/* The copy of one of our own programs; NULL: there is none. */
static struct capture_copy *copy_of(struct capture *c, uint32_t id)
{
	struct capture_copy *copy, *found = NULL;

	if (capture_read(c))
		return NULL;
	while (!found && (copy = capture_copies_take(&c->copies, c->batch))) {
		if (copy->id == id)
			found = copy;
		else
			capture_copy_free(copy);
	}
	return found;
}

/*
 * Do our copies agree with the kernel's dump? Newer kernels keep instructions in another form. Comparing the copy of
 * one of our own programs with its dump shows which form.
 */
static int calibrate(struct capture *c)
{
	CLEAN_FD table =
		own_map(c->own, &(struct own_map_wish){ "bpflens.table", BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 2, 0 });
	struct capture_copy *copy = NULL;
	OWN_LOADED l = { 0 };
	struct abi_prog_info info;
	STR dumped = { 0 };
	struct captured converted = { 0 };
	int err = table < 0 ? table : 0;

	if (!err)
		err = own_load_with(c->own, &sample, NULL, (struct own_map[]){ { "table", table }, { NULL, -1 } },
				    LIMIT_MS, &l);
	if (!err)
		err = dump(l.prog, &info, &c->info_len, &dumped);
	if (err)
		return err;
	copy = copy_of(c, l.prog_id);
	if (!copy)
		return -ENOTSUP;
	capture_copy_convert(copy, false, c->info_len, &converted);
	if (converted.missing || converted.array[CAPTURED_XLATED].n != dumped.n)
		err = -ENOTSUP;
	for (int swap = 0; !err && swap < 2 && !c->insns_known; swap++) {
		if (swap)
			capture_insns((void *)copy->part[CAPTURE_XLATED].p, dumped.n / sizeof(struct bpf_insn), NULL, 0,
				      true);
		c->insns_known = same_insns(copy->part[CAPTURE_XLATED].p, dumped.p, dumped.n);
		c->swap = swap && c->insns_known;
	}
	capture_copy_free(copy);
	return err;
}

int capture_open(struct capture **ret, struct own *own, const struct capture_options *o)
{
	struct capture *c = calloc(1, sizeof(*c));
	const uint32_t ring_size = o->ring_size ? o->ring_size : CAPTURE_RING;
	CLEAN_PTR uint32_t *number = NULL;
	const int n = cpus_possible(&number);
	const uint32_t cpus = n > 0 ? number[n - 1] + 1 : 0; /* numbers, which may have holes */
	int err = !c ? -ENOMEM : n < 0 ? n : 0;

	if (err) {
		free(c);
		return err;
	}
	*c = (struct capture){ .own = own,
			       .map = { -1, -1, -1, -1 },
			       .ring_size = ring_size,
			       .queue_size = o->queue_size ? o->queue_size : CAPTURE_QUEUE,
			       .batch_size = o->batch_size };
	capture_copies_init(&c->copies);
	err = own->never ? -ECANCELED : maps_open(c, ring_size, cpus);
	if (!err)
		err = hooks_open(c, cpus, ring_size);
	if (!err)
		err = calibrate(c);
	if (err)
		capture_close(&c);
	else
		*ret = c;
	return err;
}

void capture_stop(struct capture *c)
{
	capture_hooks_detach(&c->hooks);
	c->stopped = true;
}

void capture_close(struct capture **c)
{
	if (!*c)
		return;
	capture_hooks_close(&(*c)->hooks);
	ring_close(&(*c)->ring);
	for (int i = 0; i < MAPS; i++)
		clean_fd(&(*c)->map[i]);
	capture_copies_release(&(*c)->copies);
	capture_copy_free((*c)->last);
	free(*c);
	*c = NULL;
}

const char *capture_way(const struct capture *c)
{
	return c->hooks.way;
}

bool capture_knows_insns(const struct capture *c)
{
	return c->insns_known;
}

int capture_fd(const struct capture *c)
{
	return c->map[MAP_RING];
}

/* The state exists once for each hook. */
static void batch_begin(struct capture *c)
{
	c->batch_last++;
	c->batch_bytes = 0;
	c->batch_at[c->batch_last % BATCHES] = clock_ns(CLOCK_BOOTTIME);
	for (unsigned i = 0; i < c->hooks.n; i++) {
		volatile struct capture_state *s = c->hooks.hook[i].loaded.shared;

		if (s)
			s->batch = c->batch_last;
	}
}

static uint64_t cut_time(const struct capture *c)
{
	return c->batch_at[(c->batch + 1) % BATCHES];
}

/* A full queue waits for the reader of copies, but that one may wait for the last copies before a cut. */
static bool has_room(const struct capture *c)
{
	return c->copies.held < c->queue_size ||
	       (capture_is_cut(c) && capture_copies_unread(&c->copies, c->batch, cut_time(c)));
}

int capture_read(struct capture *c)
{
	const uint64_t now = clock_ns(CLOCK_BOOTTIME), end = c->ring.pos + c->ring_size;
	uint64_t consumed = c->ring.pos;
	enum ring_next state = RING_RECORD;
	struct ring_record r;
	int err = 0;

	/* At most one ring: while programs are loaded there is always one more. */
	while (!err && c->ring.pos < end && has_room(c) && (state = ring_next(&c->ring, &r)) == RING_RECORD) {
		capture_copies_put(&c->copies, r.data, r.n);
		c->batch_bytes += r.n;
		if (c->batch_size && !c->stopped && c->batch_bytes >= c->batch_size &&
		    c->batch_last - c->batch < BATCHES - 1)
			batch_begin(c);
		if (c->ring.pos - consumed < CONSUME_BYTES)
			continue;
		err = ring_consume(&c->ring, c->map[MAP_RING]);
		consumed = c->ring.pos;
	}
	if (!err && c->ring.pos != consumed)
		err = ring_consume(&c->ring, c->map[MAP_RING]);
	if (state == RING_NONE && ring_producer(&c->ring) == c->ring.pos && now > c->copies.until + CAPTURE_SETTLED)
		c->copies.until = now - CAPTURE_SETTLED;
	/* The rest of a copy may still be in the ring, unread. */
	if (c->copies.until > GIVEN_UP)
		capture_copies_expire(&c->copies, c->copies.until - GIVEN_UP);
	return err;
}

/* Loaded by this process, by one of its libraries, or by a child for it? */
static bool is_ours(const struct capture *c, const struct capture_copy *copy)
{
	if (copy->known && copy->meta.pid == (uint32_t)getpid())
		return true;
	return own_has(c->own, OBJECT_PROG, copy->id);
}

bool capture_next(struct capture *c, bool all, struct captured *ret)
{
	if (all)
		capture_copies_expire(&c->copies, UINT64_MAX);
	do {
		capture_copy_free(c->last);
		c->last = capture_copies_take(&c->copies, c->batch);
	} while (c->last && is_ours(c, c->last));
	if (c->last)
		capture_copy_convert(c->last, c->swap, c->info_len, ret);
	return c->last != NULL;
}

void capture_cut(struct capture *c)
{
	if (c->batch_last == c->batch && !c->stopped)
		batch_begin(c);
}

bool capture_is_cut(const struct capture *c)
{
	return c->batch_last != c->batch;
}

uint64_t capture_at_cut(const struct capture *c)
{
	const uint64_t time = cut_time(c);

	return capture_is_cut(c) && !capture_copies_unread(&c->copies, c->batch, time) &&
			       !capture_copies_has(&c->copies, c->batch) ?
		       time :
		       0;
}

void capture_pass_cut(struct capture *c)
{
	c->batch++;
}

bool capture_waits(const struct capture *c)
{
	return c->copies.ready != NULL;
}

uint64_t capture_queued(const struct capture *c)
{
	return c->copies.held;
}

void capture_counts(const struct capture *c, struct capture_counts *ret)
{
	*ret = (struct capture_counts){ 0 };
	for (unsigned i = 0; i < c->hooks.n; i++) {
		const volatile struct capture_state *s = c->hooks.hook[i].loaded.shared;

		ret->lost += s ? s->lost : 0;
		/* Each hook that sees system calls counts all of them. */
		if (s && s->classic > ret->classic)
			ret->classic = s->classic;
	}
}

static void lost_pass(uint32_t id, const struct capture_seen *s, capture_lost_note *note, void *ctx)
{
	struct captured_lost l = { .id = id, .pid = s->pid, .time = s->time };

	if (!s->lost || s->pid == (uint32_t)getpid())
		return;
	memcpy(l.tag, s->tag, sizeof(l.tag));
	note(ctx, &l);
}

int capture_lost(const struct capture *c, capture_lost_note *note, void *ctx)
{
	enum { SOME = 1024 };
	CLEAN_PTR uint32_t *id = calloc(SOME, sizeof(*id));
	CLEAN_PTR struct capture_seen *seen = calloc(SOME, sizeof(*seen));
	uint32_t at = 0;
	int err = id && seen ? 0 : -ENOMEM;

	for (bool first = true; !err; first = false) {
		uint32_t n = SOME;

		err = bpf_map_lookup_batch(c->map[MAP_SEEN], first ? NULL : &at, &at, id, seen, &n, NULL);
		for (uint32_t i = 0; (!err || err == -ENOENT) && i < n; i++)
			lost_pass(id[i], &seen[i], note, ctx);
	}
	return err == -ENOENT ? 0 : err;
}
