/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/session.h"

#include "kernel/clock.h"
#include "own/capture/capture.h"
#include "source/source.h"
#include "source/file/recorder.h"

#define LOOK_MS 2		   /* between two looks at waiting copies */
#define SOON (100 * NSEC_PER_MSEC) /* until the first lists of a file that has just begun */

/*
 * What came while long answers were written goes to both files, too: after the cut at which the file changes it would
 * wait until then, and be lost if we are killed. The time is limited, as there may always be one more.
 */
static int rest_take(struct recording *r, struct err *e)
{
	const uint64_t until = clock_ns(CLOCK_BOOTTIME) + SESSION_APART;
	int err;

	r->taking = true;
	do
		err = session_take(r, e);
	while (!err && capture_waits(r->capture) && source_record_size(r->catalog.file) < 2 * r->full &&
	       clock_ns(CLOCK_BOOTTIME) < until);
	r->taking = false;
	return err;
}

/* To the next file goes what is after a cut, because each batch has the types of its programs. */
static int cut_reach(struct recording *r, struct err *e)
{
	int err = 0;

	r->cutting = r->taking = true;
	while (!err && !capture_at_cut(r->capture)) {
		err = session_take(r, e);
		stop_wait(&r->stop, capture_fd(r->capture), LOOK_MS);
	}
	r->cutting = r->taking = false;
	return err;
}

int session_prepare(struct recording *r, struct err *e)
{
	struct source *file;
	int err;

	r->preparing = !r->ending;
	session_save(r, r->sampler != NULL);
	err = cut_reach(r, e);
	if (!err)
		err = source_record_next(&file, r->catalog.file, session_path(r, r->file + 1), session_note(r), e);
	if (!err) {
		source_record_between(file, session_meanwhile, r);
		catalog_prepare(&r->catalog, &r->next, file);
		/* At the end, this is also the cut at which the file changes. */
		if (!r->ending)
			capture_pass_cut(r->capture);
		r->meanwhile = 0;
		err = session_basics(r, &r->next, e);
		r->begun = source_record_size(file) - r->meanwhile;
		if (!err && !r->ending)
			err = rest_take(r, e);
	}
	r->preparing = false;
	r->cutting = true;
	if (!err && r->failed.code)
		*e = r->failed;
	return err ? err : r->failed.code;
}

void session_prepare_drop(struct recording *r)
{
	source_close(&r->next.file);
	catalog_release(&r->next);
	r->catalog.next = NULL;
	r->cutting = false;
}

/* The next file can be read from now on, and what a kill loses is after the cut. */
static int next_show(struct recording *r, uint64_t time, struct err *e)
{
	int err;

	session_write(r);
	audit_listen(&r->audit);
	audit_pass(&r->audit, &r->catalog, time);
	catalog_carry(&r->catalog, time);
	catalog_list(&r->next, 0);
	source_record_flush(r->next.file);
	err = source_record_show(r->next.file, e);
	if (!err)
		source_record_keep(r->next.file);
	return err;
}

static int last_end(struct recording *r, uint64_t time, struct err *e)
{
	int err;

	counter_log_write(&r->counters);
	list_log_write(&r->lists, false);
	sampler_leave(r->sampler);
	map_call_log_next(r->calls, NULL);
	code_log_look(&r->code, session_listen, r);
	audit_pass_known(&r->audit, &r->catalog);
	err = session_file_end(r, time, false, e);
	if (!err)
		session_count(r);
	return err;
}

/* All that is written goes to the next file. */
static void file_enter(struct recording *r)
{
	struct source *file = r->next.file;

	catalog_release(&r->catalog);
	r->catalog = r->next;
	r->next = (struct catalog){ 0 };
	code_log_next(&r->code, file);
	sampler_next(r->sampler, file);
	map_call_log_next(r->calls, file);
	counter_log_next(&r->counters);
	list_log_next(&r->lists);
	list_log_write(&r->lists, false);
	poke_log_use(&r->pokes, file);
	r->file++;
	session_prune(r);
	code_log_look(&r->code, session_listen, r);
	session_lists(r, 0);
	source_record_flush(file);
}

int session_change(struct recording *r, uint64_t time, struct err *e)
{
	const bool named = r->catalog.n + r->code.changes == r->named;
	struct source *file = r->next.file, *before = r->catalog.file;
	int err = next_show(r, time, e);

	if (!err)
		err = last_end(r, time, e);
	if (err)
		return err;
	file_enter(r);
	r->listed = r->catalog.n + r->code.changes;
	r->named = named ? r->listed : UINT64_MAX;
	session_file_limit(r);
	capture_pass_cut(r->capture);
	r->cutting = false;
	err = source_record_finish(before, e);
	session_use(r, file);
	r->due = clock_ns(CLOCK_BOOTTIME) + SOON;
	return err;
}
