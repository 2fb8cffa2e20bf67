/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/samples.h"

#include "kernel/clock.h"
#include "source/facts_state.h"
#include "source/machine.h"

_Static_assert(sizeof(struct sample_raw) == 32, "files have it");

void samples_head_begin(struct samples_head *ret, const struct sampling *s, uint32_t hz)
{
	*ret = (struct samples_head){ .hz = hz, .from = clock_ns(CLOCK_BOOTTIME) };
	str_fit(ret->event, sizeof(ret->event), "%s", sampling_event(s));
}

void samples_head_end(struct samples_head *h, const struct sampling *s)
{
	const struct sampling_count count = sampling_count(s);

	h->to = clock_ns(CLOCK_BOOTTIME);
	h->lost = count.lost + count.bad;
}

void samples_head_put(struct str *ret, const struct samples_head *h)
{
	str_fmt(ret, "%s %u %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", h->event, h->hz, h->from, h->to, h->lost);
}

/* A number of the line; -EBADMSG: not a number, or greater than @max. */
static int sample_number(char **line, uint64_t max, uint64_t *ret)
{
	const char *word = facts_cut(line, ' ');

	return !word || num_parse_u64(word, ret) || *ret > max ? -EBADMSG : 0;
}

int samples_head_parse(const struct blob *b, struct samples_head *ret)
{
	char text[160], *line = text, *event;
	uint64_t hz;

	*ret = (struct samples_head){ 0 };
	if (!b->n || b->n >= sizeof(text) || !blob_is_lines(b))
		return -EBADMSG;
	memcpy(text, b->p, b->n);
	text[b->n - 1] = '\0';
	event = facts_cut(&line, ' ');
	if (!event || strlen(event) >= sizeof(ret->event) || sample_number(&line, UINT32_MAX, &hz) ||
	    sample_number(&line, UINT64_MAX, &ret->from) || sample_number(&line, UINT64_MAX, &ret->to) ||
	    sample_number(&line, UINT64_MAX, &ret->lost))
		return -EBADMSG;
	memcpy(ret->event, event, strlen(event));
	ret->hz = (uint32_t)hz;
	return 0;
}

void samples_put(struct str *ret, const struct sample *s)
{
	const uint16_t n = s->ncallers < SAMPLES_CALLERS_MAX ? s->ncallers : SAMPLES_CALLERS_MAX;
	const struct sample_raw raw = {
		.time = s->time,
		.ip = s->ip,
		.pid = s->pid,
		.tid = s->tid,
		.cpu = s->cpu,
		.ncallers = n,
		.user = s->user,
	};

	str_add(ret, &raw, sizeof(raw));
	if (n)
		str_add(ret, s->callers, n * sizeof(*s->callers));
}

int samples_parse(const struct blob *b, samples_handler *handle, void *ctx)
{
	uint64_t callers[SAMPLES_CALLERS_MAX];
	struct sample_raw raw;

	for (size_t at = 0; at < b->n; at += sizeof(raw) + raw.ncallers * sizeof(*callers)) {
		if (b->n - at < sizeof(raw))
			return -EBADMSG;
		memcpy(&raw, b->p + at, sizeof(raw));
		if (raw.ncallers > SAMPLES_CALLERS_MAX || (b->n - at - sizeof(raw)) / sizeof(*callers) < raw.ncallers)
			return -EBADMSG;
		memcpy(callers, b->p + at + sizeof(raw), raw.ncallers * sizeof(*callers));
		handle(ctx, &(const struct sample){
				    .time = raw.time,
				    .ip = raw.ip,
				    .pid = raw.pid,
				    .tid = raw.tid,
				    .cpu = raw.cpu,
				    .user = raw.user,
				    .ncallers = raw.ncallers,
				    .callers = callers,
			    });
	}
	return 0;
}

void samples_task_put(struct str *ret, uint32_t tid, uint32_t pid, const char *comm)
{
	str_fmt(ret, "%u %u ", tid, pid);
	str_escape(ret, comm);
	str_puts(ret, "\n");
}

static int by_tid(const void *a, const void *b)
{
	const struct samples_task *x = a, *y = b;

	return NUM_CMP(x->tid, y->tid);
}

int samples_tasks_parse(struct samples_tasks *ret, const struct blob *b, struct arena *a)
{
	char *text = blob_text(a, b), *line;
	const size_t lines = str_lines(text);

	*ret = (struct samples_tasks){ 0 };
	if (!blob_is_lines(b))
		return -EBADMSG;
	ret->task = arena_array(a, lines, sizeof(*ret->task));
	while (ret->n < lines && (line = facts_cut(&text, '\n'))) {
		uint64_t tid, pid;

		if (sample_number(&line, UINT32_MAX, &tid) || sample_number(&line, UINT32_MAX, &pid) || !line)
			return -EBADMSG;
		str_unescape(line);
		ret->task[ret->n++] = (struct samples_task){ (uint32_t)tid, (uint32_t)pid, line };
	}
	if (ret->n)
		qsort(ret->task, ret->n, sizeof(*ret->task), by_tid);
	return 0;
}

const char *samples_comm(const struct samples_tasks *t, uint32_t tid)
{
	const struct samples_task key = { .tid = tid },
				  *found = t->n ? bsearch(&key, t->task, t->n, sizeof(key), by_tid) : NULL;

	return found ? found->comm : NULL;
}

int samples_read_head(struct machine *m, struct arena *scratch, struct samples_head *ret)
{
	struct blob b;
	int err = machine_is_saved(m) ? ask_silently(m, scratch, &b, Q_SAMPLING) : -ENODATA;

	if (!err)
		err = samples_head_parse(&b, ret);
	if (err && err != -ENODATA)
		note_refused(m, err, Q_SAMPLING);
	return err;
}

int samples_head_error(int err, struct err *e)
{
	if (err != -ENODATA)
		return err_set(e, err, "the file's description of its samples is damaged");
	err_set(e, err, "there are no samples in this file");
	return err_hint(e, "`record -F %u` writes them", SAMPLING_HZ);
}

bool samples_lost_error(uint64_t lost, struct err *ret)
{
	if (lost)
		err_set(ret, -ENOBUFS, "%llu sample%s lost", llu(lost), lost == 1 ? " was" : "s were");
	return lost;
}

static int piece_read(struct machine *m, struct arena *scratch, uint64_t piece, samples_handler *handle, void *ctx)
{
	ARENA_SCOPE(scratch);
	struct blob b;
	int err = ask_silently(m, scratch, &b, Q_SAMPLES, piece);

	return err ? err : samples_parse(&b, handle, ctx);
}

int samples_read(struct machine *m, struct arena *scratch, samples_handler *handle, void *ctx)
{
	uint64_t piece = 0;
	int err;

	while (!(err = piece_read(m, scratch, piece, handle, ctx)))
		piece++;
	if (err == -ENODATA)
		return 0;
	note_refused(m, err, Q_SAMPLES, piece);
	return err;
}

int samples_read_tasks(struct machine *m, struct arena *a, struct samples_tasks *ret)
{
	struct blob b;
	int err = ask_silently(m, a, &b, Q_SAMPLED_TASKS);

	*ret = (struct samples_tasks){ 0 };
	if (err == -ENODATA)
		return 0;
	if (!err)
		err = samples_tasks_parse(ret, &b, a);
	if (err)
		note_refused(m, err, Q_SAMPLED_TASKS);
	return err;
}
