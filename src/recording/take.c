/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/session.h"

#include "kernel/clock.h"
#include "source/source.h"
#include "source/file/recorder.h"

#define LATE (100 * NSEC_PER_MSEC) /* after this time, an announced program will not be copied any more */
#define LOSS_MOST \
	(900 * NSEC_PER_MSEC)		/* the rest of a second is for looks at waiting copies, and others' CPU time \
					 */
#define REST_LEAST (20 * NSEC_PER_MSEC) /* longer, if taking copies took longer: it comes first */

/* The file is full; what its end needs is taken while it is prepared, up to twice the size. */
static bool has_enough(const struct recording *r)
{
	return r->full && source_record_size(r->catalog.file) >= r->full << (r->preparing || r->next.file);
}

/*
 * Take waiting copies up to a cut, in the order of events. Writing a program takes longer than copying it, so the ring
 * is read after each. Ends early when lists are due: while many programs are loaded, there is always one more.
 */
static int events_take(struct recording *r, bool all)
{
	struct captured c;
	int err = 0;

	while (!err && clock_ns(CLOCK_BOOTTIME) < r->due && capture_next(r->capture, all, &c)) {
		audit_listen(&r->audit);
		audit_pass(&r->audit, &r->catalog, c.time);
		source_record_waiting(r->catalog.file, capture_queued(r->capture));
		if (c.classic)
			code_log_classic(&r->code, &c);
		else
			catalog_add_copy(&r->catalog, &c);
		if (has_enough(r))
			capture_cut(r->capture);
		err = session_read(r);
	}
	return err;
}

static void lost_note(void *ctx, const struct captured_lost *l)
{
	struct recording *r = ctx;

	if (!r->audit.until || l->time <= r->audit.until)
		catalog_note_lost(&r->catalog, l);
}

/*
 * Programs announced before the returned time will get no copy. If a copy had no room, that is all of them, because
 * each may be gone soon.
 */
static uint64_t copies_deadline(struct recording *r, bool all)
{
	struct capture_counts seen;
	uint64_t before = r->no_room;

	capture_counts(r->capture, &seen);
	r->no_room = seen.lost;
	if (seen.lost != before || (all && seen.lost))
		r->no_names = capture_lost(r->capture, lost_note, r);
	return all || seen.lost != before ? UINT64_MAX : clock_ns(CLOCK_BOOTTIME) - LATE;
}

int session_take_all(struct recording *r, bool all)
{
	int err = session_read(r);

	if (r->cutting || has_enough(r))
		capture_cut(r->capture);
	if (!err)
		err = events_take(r, all);
	while (!err && !r->cutting && !has_enough(r) &&
	       (all ? capture_is_cut(r->capture) : capture_at_cut(r->capture) != 0)) {
		capture_pass_cut(r->capture);
		err = events_take(r, all);
	}
	if (err || capture_is_cut(r->capture) || clock_ns(CLOCK_BOOTTIME) >= r->due)
		return err;
	audit_pass(&r->audit, &r->catalog, UINT64_MAX);
	code_log_look(&r->code, session_listen, r);
	catalog_look(&r->catalog, copies_deadline(r, all));
	return 0;
}

/*
 * The time from the begin of one writing of the lists to the next, if that takes as long: what a kill loses is less
 * than LOSS_MOST. Long lists are written less often.
 */
static uint64_t lists_apart(uint64_t took)
{
	const uint64_t wanted = SESSION_APART + 20 * took,
		       most = LOSS_MOST - (took < LOSS_MOST / 2 ? took : LOSS_MOST / 2);

	return wanted < most ? wanted : most;
}

void session_write(struct recording *r)
{
	struct source *file = r->catalog.file;
	const uint64_t n = r->catalog.n + r->code.changes;
	uint64_t now = clock_ns(CLOCK_BOOTTIME);

	/* Every second, although the lists may be early. */
	if (now - r->counted > NSEC_PER_SEC - SESSION_APART / 2) {
		counter_log_write(&r->counters);
		list_log_write(&r->lists, false);
		r->counted = now;
		now = clock_ns(CLOCK_BOOTTIME);
	}
	if (n != r->listed)
		session_lists(r, 0);
	sampler_read(r->sampler, true);
	map_call_log_read(r->calls, true);
	source_record_flush(file);
	r->listed = r->catalog.n + r->code.changes;
	r->due = now + lists_apart(clock_ns(CLOCK_BOOTTIME) - now);
}

int session_take(struct recording *r, struct err *e)
{
	int err = session_take_all(r, false);

	if (err)
		return err_sys(e, err, "cannot read what was copied");
	err = source_record_error(r->catalog.file, e);
	if (r->pokes.last > r->pokes.read)
		session_pokes(r);
	if (clock_ns(CLOCK_BOOTTIME) < r->due)
		return err;
	session_write(r);
	/* The reader that is asking may hold objects, and the end of a file does not wait for the disk. */
	if (!r->preparing && !r->next.file) {
		source_idle(r->catalog.file);
		source_record_sync(r->catalog.file);
	}
	return err;
}

void session_take_share(struct recording *r)
{
	const uint64_t begun = clock_ns(CLOCK_BOOTTIME);
	uint64_t took;

	if (r->taking || begun < r->rest || r->failed.code)
		return;
	r->taking = true;
	session_take(r, &r->failed);
	r->taking = false;
	took = clock_ns(CLOCK_BOOTTIME) - begun;
	r->rest = begun + took + (took / 4 > REST_LEAST ? took / 4 : REST_LEAST);
}
