/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/poke_log.h"

#include "kernel/clock.h"
#include "kernel/perf/sideband.h"
#include "own/poke.h"
#include "source/codes.h"
#include "source/file/recorder.h"

#define PAGE_SHIFT 12
#define RING (1u << 19) /* bytes for each CPU */
#define POKE_MAX 64	/* bytes: longer changes write or free whole images, which are not BPF's */
#define CODE_MAX (1u << 20)

struct logged_poke {
	struct poke poke;
	size_t at; /* its bytes, old and new */
};

/* Some kernels accept the attribute, and announce nothing: other architectures, and a few builds for x86. */
static bool announces(struct poke_log *log, struct own *own)
{
	own_poke(own);
	poke_log_listen(log);
	return log->n > 0;
}

void poke_log_init(struct poke_log *log)
{
	*log = (struct poke_log){ .arena = arena_new() };
	hash_init(&log->code, log->arena);
	hash_init(&log->poked, log->arena);
}

void poke_log_open(struct poke_log *log, struct own *own)
{
	const struct sideband_opts o = { .ring = RING, .wake = RING / 2, .text = true };

	if (sideband_open(&log->ring, &o))
		log->ring = NULL;
	else if (!announces(log, own))
		sideband_close(&log->ring);
}

void poke_log_close(struct poke_log *log)
{
	if (!log->arena)
		return;
	sideband_close(&log->ring);
	str_release(&log->bytes);
	free(log->waits);
	arena_free(log->arena);
	*log = (struct poke_log){ 0 };
}

static void piece_write(struct poke_log *log, const struct str *text)
{
	source_record_again(log->file, &(const struct asked){ Q_POKES, log->pieces++ }, text->p, text->n);
}

void poke_log_use(struct poke_log *log, struct source *file)
{
	STR text = { 0 };

	if (!log->arena)
		return;
	log->file = file;
	log->pieces = 0;
	log->lost_written = log->lost;
	hash_init(&log->poked, log->arena);
	pokes_put_head(&text, !log->ring);
	piece_write(log, &text);
}

static void poke_add(struct poke_log *log, const struct poke *p)
{
	ARRAY_MORE(log->waits, log->n, log->cap);
	log->waits[log->n++] = (struct logged_poke){ *p, log->bytes.n };
	str_add(&log->bytes, p->old, p->len);
	str_add(&log->bytes, p->now, p->len);
}

void poke_log_code(struct poke_log *log, uint64_t addr, uint64_t len, uint64_t time)
{
	bool poked = false;

	if (!log->arena || !len || len > CODE_MAX)
		return;
	for (uint64_t page = addr >> PAGE_SHIFT; page <= (addr + len - 1) >> PAGE_SHIFT; page++) {
		poked |= hash_get(&log->poked, page) != NULL;
		*hash_put(&log->code, page) = log;
	}
	log->last = time > log->last ? time : log->last;
	/* Other code may have been changed here before. */
	if (time && (poked || log->n))
		poke_add(log, &(const struct poke){ .time = time, .since = time, .addr = addr });
}

void poke_log_note(struct poke_log *log, const struct sideband_record *r)
{
	if (r->kind != SIDEBAND_TEXT)
		return;
	log->last = r->time > log->last ? r->time : log->last;
	if (r->text.old_len == r->text.new_len && r->text.new_len && r->text.new_len <= POKE_MAX)
		poke_add(log, &(const struct poke){ .time = r->time,
						    .since = r->time,
						    .addr = r->text.addr,
						    .len = r->text.new_len,
						    .old = r->text.old,
						    .now = r->text.now });
}

static void note_text(void *ctx, const struct sideband_record *r)
{
	poke_log_note(ctx, r);
}

void poke_log_listen(struct poke_log *log)
{
	if (!log->ring)
		return;
	log->listened_at = clock_ns(CLOCK_BOOTTIME);
	while (sideband_read(log->ring, note_text, log))
		;
	log->lost = sideband_count(log->ring).lost + sideband_count(log->ring).bad;
}

/* Was this byte changed by an announcement after @since? */
static bool is_announced(const struct poke_log *log, uint64_t addr, uint64_t since)
{
	for (size_t i = 0; i < log->n; i++) {
		const struct poke *p = &log->waits[i].poke;

		if (p->time > since && p->since == p->time && addr - p->addr < p->len)
			return true;
	}
	return false;
}

void poke_log_found(struct poke_log *log, uint64_t addr, uint64_t since, uint64_t time, const unsigned char *old,
		    const unsigned char *now, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = i + 1;
		if (old[i] == now[i] || is_announced(log, addr + i, since))
			continue;
		while (end < n && old[end] != now[end] && !is_announced(log, addr + end, since))
			end++;
		poke_add(log, &(const struct poke){ .time = time,
						    .since = since,
						    .addr = addr + i,
						    .len = (uint32_t)(end - i),
						    .old = old + i,
						    .now = now + i });
	}
}

static bool poke_is_kept(struct poke_log *log, const struct poke *p)
{
	const uint64_t page = p->addr >> PAGE_SHIFT;

	if (!p->len)
		return true;
	if (!hash_get(&log->code, page))
		return false;
	*hash_put(&log->poked, page) = log;
	*hash_put(&log->poked, (p->addr + p->len - 1) >> PAGE_SHIFT) = log;
	return true;
}

void poke_log_write(struct poke_log *log)
{
	STR text = { 0 };

	if (!log->file)
		return;
	/* When is not known. */
	if (log->lost != log->lost_written)
		pokes_put_lost(&text, log->written_at);
	log->lost_written = log->lost;
	log->written_at = log->listened_at;
	for (size_t i = 0; i < log->n; i++) {
		struct poke p = log->waits[i].poke;

		p.old = (const unsigned char *)log->bytes.p + log->waits[i].at;
		p.now = p.old + p.len;
		if (poke_is_kept(log, &p))
			pokes_put(&text, &p);
	}
	log->n = 0;
	str_reset(&log->bytes);
	if (text.n)
		piece_write(log, &text);
}
