/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/perf/data.h"

#include <byteswap.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "kernel/perf/data_file.h"
#include "kernel/perf/names.h"

/* Records that perf itself adds. */
#define RECORD_USER 64
#define RECORD_AUXTRACE 71 /* followed by as many bytes as its first word says */
#define RECORD_COMPRESSED 81
#define RECORD_COMPRESSED2 83
#define LOST_FORMAT (1u << 4) /* PERF_FORMAT_LOST, 6.0 */
#define ATTRS_MAX 65536

struct data_event {
	struct perf_event_attr attr;
	struct section ids; /* an array of uint64_t */
};
struct event_id {
	uint64_t id;
	size_t event; /* index */
};
struct perf_data {
	const unsigned char *p;
	size_t n;
	bool mapped;
	const char *name;
	struct perf_data_head head;
	struct data_event *event;
	size_t nevents;
	bool same;	     /* records of all events have the same members; else each record has an id */
	struct event_id *id; /* the ids of all events, sorted */
	size_t nids;
	uint64_t begin, end; /* of the records, in bytes from the start of the file */
	bool front;	     /* what describes the records is before them */
	uint64_t features;   /* a bit for each that has a section after the records */
	uint64_t record[(UINT16_MAX + 1) / sizeof(uint64_t)];
};

static bool section_fits(const struct perf_data *d, const struct section *s)
{
	return s->offset <= d->n && s->size <= d->n - s->offset;
}

static int damaged(const struct perf_data *d, struct err *e)
{
	return err_set(e, -EBADMSG, "%s: the header is damaged", d->name);
}

static int magic_read(const struct perf_data *d, struct err *e)
{
	struct {
		uint64_t magic, size;
	} h;

	if (d->n < sizeof(h))
		return err_set(e, -EBADMSG, "%s is not a perf.data file", d->name);
	memcpy(&h, d->p, sizeof(h));
	if (h.magic == bswap_64(PERF_DATA_MAGIC))
		return err_set(e, -EOPNOTSUPP, "%s was written on a machine of the other byte order", d->name);
	if (h.magic != PERF_DATA_MAGIC)
		return err_set(e, -EBADMSG, "%s is not a perf.data file, or was written before Linux 3.4", d->name);
	if (h.size != sizeof(h))
		return 0;
	err_set(e, -EOPNOTSUPP, "%s was written to a pipe", d->name);
	return err_hint(e, "`perf record -o FILE` writes a file that can be read");
}

static bool is_sampled(const struct data_event *v)
{
	return v->attr.type != PERF_TYPE_SOFTWARE || v->attr.config != PERF_COUNT_SW_DUMMY;
}

static void name_event(struct perf_data_head *h, const struct perf_event_attr *attr)
{
	/* The upper half is the type of CPU on machines that have several. */
	const uint64_t config = attr->type == PERF_TYPE_HARDWARE ? (uint32_t)attr->config : attr->config;
	const char *word = attr->type == PERF_TYPE_HW_CACHE ? NULL : perf_config_word(NULL, attr->type, config);
	char name[sizeof(h->event)];

	if (attr->type == PERF_TYPE_HARDWARE && config == PERF_COUNT_HW_CPU_CYCLES)
		word = "cycles";
	if (word)
		str_fit(name, sizeof(name), "%s", word);
	else
		str_fit(name, sizeof(name), "%u:%#llx", attr->type, llu(config));
	str_fit(h->event, sizeof(h->event), "%s", *h->event && strcmp(h->event, name) ? "events" : name);
}

static int event_check(struct perf_data *d, const struct data_event *v, struct err *e)
{
	const uint64_t needed = PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
	const bool by_clock = v->attr.type == PERF_TYPE_SOFTWARE && v->attr.config <= PERF_COUNT_SW_TASK_CLOCK;
	struct perf_data_head *h = &d->head;

	if (!section_fits(d, &v->ids) || v->ids.size % sizeof(uint64_t))
		return damaged(d, e);
	if (!is_sampled(v))
		return 0;
	if ((v->attr.sample_type & needed) != needed) {
		err_set(e, -EOPNOTSUPP, "%s: the samples have no address or no time", d->name);
		return err_hint(e, "`perf record -a -g` writes what is needed");
	}
	if (!*h->event) {
		h->has_clock = v->attr.use_clockid;
		h->clock = v->attr.clockid;
		h->hz = v->attr.freq && v->attr.sample_freq <= UINT32_MAX ? (uint32_t)v->attr.sample_freq :
			by_clock && v->attr.sample_period ? (uint32_t)(NSEC_PER_SEC / v->attr.sample_period) :
							    0;
	}
	name_event(h, &v->attr);
	return 0;
}

/* If the events' records differ, each record needs an id, at the same position in all of them. */
static int events_compare(struct perf_data *d, struct err *e)
{
	const struct perf_event_attr *first = &d->event[0].attr;
	bool ids = true;

	d->same = true;
	for (size_t i = 0; i < d->nevents; i++) {
		const struct perf_event_attr *a = &d->event[i].attr;

		d->same &= a->sample_type == first->sample_type && a->read_format == first->read_format &&
			   a->sample_id_all == first->sample_id_all;
		ids &= (a->sample_type & PERF_SAMPLE_IDENTIFIER) && a->sample_id_all;
	}
	return d->same || ids ?
		       0 :
		       err_set(e, -EOPNOTSUPP, "%s: the samples of several events do not name their event", d->name);
}

static int by_event_id(const void *a, const void *b)
{
	const struct event_id *x = a, *y = b;

	return NUM_CMP(x->id, y->id) ?: NUM_CMP(x->event, y->event);
}

static int ids_read(struct perf_data *d, struct err *e)
{
	uint64_t size = 0;

	for (size_t i = 0; i < d->nevents && size <= d->n; i++)
		size += d->event[i].ids.size;
	/* Each is within the file, so they overlap. */
	if (size > d->n)
		return damaged(d, e);
	if (!size)
		return 0;
	d->id = calloc((size_t)size / sizeof(uint64_t), sizeof(*d->id));
	if (!d->id)
		return err_sys(e, -ENOMEM, "%s", d->name);
	for (size_t i = 0; i < d->nevents; i++)
		for (uint64_t at = 0; at < d->event[i].ids.size; at += sizeof(uint64_t)) {
			memcpy(&d->id[d->nids].id, d->p + d->event[i].ids.offset + at, sizeof(uint64_t));
			d->id[d->nids++].event = i;
		}
	qsort(d->id, d->nids, sizeof(*d->id), by_event_id);
	return 0;
}

/* If the events' records differ, one whose id finds it. */
static void trailer_describe(struct perf_data *d)
{
	size_t i = d->nids;
	const struct data_event *v;

	while (i && d->id[i - 1].id == d->id[d->nids - 1].id)
		i--;
	v = &d->event[d->nids ? d->id[i].event : 0];
	if (v->attr.sample_id_all)
		d->head.trailer = v->attr.sample_type;
	if (d->nids)
		d->head.id = d->id[i].id;
	else if (v->ids.size)
		memcpy(&d->head.id, d->p + v->ids.offset, sizeof(d->head.id));
}

static int perf_events_read(struct perf_data *d, const struct data_header *h, struct err *e)
{
	const size_t size = (size_t)h->attr_size - sizeof(struct section);
	int err = 0;

	d->nevents = (size_t)(h->attrs.size / h->attr_size);
	if (!d->nevents || d->nevents > ATTRS_MAX)
		return damaged(d, e);
	d->event = calloc(d->nevents, sizeof(*d->event));
	if (!d->event)
		return err_sys(e, -ENOMEM, "%s", d->name);
	for (size_t i = 0; !err && i < d->nevents; i++) {
		const unsigned char *p = d->p + h->attrs.offset + i * h->attr_size;
		struct data_event *v = &d->event[i];

		memcpy(&v->attr, p, size < sizeof(v->attr) ? size : sizeof(v->attr));
		memcpy(&v->ids, p + size, sizeof(v->ids));
		err = event_check(d, v, e);
		d->front &= v->ids.offset + v->ids.size <= d->begin;
	}
	if (!err)
		err = events_compare(d, e);
	if (!err)
		err = ids_read(d, e);
	if (!err)
		trailer_describe(d);
	return err;
}

static int perf_header_read(struct perf_data *d, struct err *e)
{
	struct data_header h;
	int err = magic_read(d, e);

	if (err)
		return err;
	if (d->n < sizeof(h))
		return damaged(d, e);
	memcpy(&h, d->p, sizeof(h));
	/* perf writes the size of the records when it ends, and the features. */
	d->features = h.data.size ? h.flags[0] : 0;
	if (!h.data.size && h.data.offset <= d->n)
		h.data.size = d->n - h.data.offset;
	if (!section_fits(d, &h.attrs) || h.data.offset > d->n ||
	    h.attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct section) || h.attr_size > h.attrs.size)
		return damaged(d, e);
	d->begin = h.data.offset;
	d->end = h.data.size <= UINT64_MAX - d->begin ? d->begin + h.data.size : UINT64_MAX;
	d->front = h.size == sizeof(h) && !(h.attrs.size % h.attr_size) && d->begin >= sizeof(h) &&
		   h.attrs.offset + h.attrs.size <= d->begin && !h.event_types.size &&
		   !(h.flags[1] | h.flags[2] | h.flags[3]);
	return perf_events_read(d, &h, e);
}

int perf_data_open_mem(struct perf_data **ret, const void *p, size_t n, const char *name, struct err *e)
{
	struct perf_data *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return err_sys(e, -ENOMEM, "%s", name);
	d->p = p;
	d->n = n;
	d->name = name;
	err = perf_header_read(d, e);
	if (err)
		perf_data_close(&d);
	else
		*ret = d;
	return err;
}

int perf_data_open(struct perf_data **ret, const char *path, struct err *e)
{
	CLEAN_FD fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a FIFO is refused */
	struct stat st;
	void *p;
	int err;

	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, -errno, "cannot read %s", path);
	if (S_ISDIR(st.st_mode)) {
		err_set(e, -EISDIR, "%s is a directory", path);
		return err_hint(e, "`perf record` without --threads writes a file");
	}
	if (!S_ISREG(st.st_mode) || st.st_size <= 0)
		return err_set(e, -EBADMSG, "%s is not a perf.data file", path);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return err_sys(e, -errno, "cannot read %s", path);
	err = perf_data_open_mem(ret, p, (size_t)st.st_size, path, e);
	if (err)
		munmap(p, (size_t)st.st_size);
	else
		(*ret)->mapped = true;
	return err;
}

void perf_data_close(struct perf_data **d)
{
	if (!*d)
		return;
	if ((*d)->mapped)
		munmap((void *)(uintptr_t)(*d)->p, (*d)->n);
	free((*d)->id);
	free((*d)->event);
	free(*d);
	*d = NULL;
}

const struct perf_data_head *perf_data_head(const struct perf_data *d)
{
	return &d->head;
}

bool perf_data_has(const struct perf_data *d, unsigned f)
{
	return d->features >> f & 1;
}

const void *perf_data_section(const struct perf_data *d, unsigned f, size_t *ret_n)
{
	const uint64_t before = d->features & ((1ull << f) - 1);
	struct section s, at = { d->end, ((uint64_t)__builtin_popcountll(before) + 1) * sizeof(s) };

	if (!perf_data_has(d, f) || !section_fits(d, &at))
		return NULL;
	memcpy(&s, d->p + at.offset + at.size - sizeof(s), sizeof(s));
	if (!section_fits(d, &s))
		return NULL;
	*ret_n = (size_t)s.size;
	return d->p + s.offset;
}

const void *perf_data_front(const struct perf_data *d, size_t *ret_n)
{
	*ret_n = (size_t)d->begin;
	return d->front ? d->p : NULL;
}

/* NULL: not an event of this file. */
static const struct data_event *event_of(const struct perf_data *d, uint64_t id)
{
	const size_t i = ARRAY_LOWER(d->nids, k, d->id[k].id < id);

	return i < d->nids && d->id[i].id == id ? &d->event[d->id[i].event] : NULL;
}

/* The 64-bit words of a record, in order. */
struct words {
	const uint64_t *p;
	size_t n, at;
};
static uint64_t record_word(struct words *w)
{
	return w->at < w->n ? w->p[w->at++] : (w->at = w->n + 1, 0);
}

static void values_skip(struct words *w, uint64_t format)
{
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & LOST_FORMAT), n = 1;

	if (format & PERF_FORMAT_GROUP)
		n = record_word(w);
	w->at = w->at <= w->n && n <= w->n && n * each + times <= w->n - w->at ? w->at + (size_t)(n * each + times) :
										 w->n + 1;
}

/* Members in the order of PERF_RECORD_SAMPLE; what follows the call chain is not needed. */
static int sample_read(struct perf_data *d, size_t n, const struct perf_event_header *h, struct sample *ret)
{
	struct words w = { d->record, n / sizeof(uint64_t), 1 };
	const struct data_event *v = d->same ? &d->event[0] : event_of(d, w.n > 1 ? d->record[1] : 0);
	const uint64_t has = v ? v->attr.sample_type : 0;
	uint64_t pair, nr;

	*ret = (struct sample){ .user = (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL };
	w.at += !!(has & PERF_SAMPLE_IDENTIFIER);
	ret->ip = has & PERF_SAMPLE_IP ? record_word(&w) : 0;
	pair = has & PERF_SAMPLE_TID ? record_word(&w) : 0;
	memcpy(&ret->pid, &pair, sizeof(ret->pid));
	memcpy(&ret->tid, (const unsigned char *)&pair + sizeof(ret->pid), sizeof(ret->tid));
	ret->time = has & PERF_SAMPLE_TIME ? record_word(&w) : 0;
	w.at += !!(has & PERF_SAMPLE_ADDR) + !!(has & PERF_SAMPLE_ID) + !!(has & PERF_SAMPLE_STREAM_ID);
	pair = has & PERF_SAMPLE_CPU ? record_word(&w) : 0;
	memcpy(&ret->cpu, &pair, sizeof(ret->cpu));
	w.at += !!(has & PERF_SAMPLE_PERIOD);
	if (has & PERF_SAMPLE_READ)
		values_skip(&w, v->attr.read_format);
	nr = has & PERF_SAMPLE_CALLCHAIN ? record_word(&w) : 0;
	if (!v || w.at > w.n || nr > w.n - w.at)
		return -EBADMSG;
	if (!ret->user)
		sampling_callers(w.p + w.at, nr, ret);
	return 0;
}

/* Words after the bodies of the kernel's records (sample_id_all): TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER. */
static size_t trailer_words(const struct data_event *v)
{
	const uint64_t has = v->attr.sample_id_all ? v->attr.sample_type : 0;

	return (size_t) !!(has & PERF_SAMPLE_TID) + !!(has & PERF_SAMPLE_TIME) + !!(has & PERF_SAMPLE_ID) +
	       !!(has & PERF_SAMPLE_STREAM_ID) + !!(has & PERF_SAMPLE_CPU) + !!(has & PERF_SAMPLE_IDENTIFIER);
}

/* Where these words begin in the record, in bytes; SIZE_MAX: the record is too short. */
static size_t trailer_of(const struct perf_data *d, size_t n, size_t words)
{
	return sideband_trailer(d->record, n, words * sizeof(uint64_t));
}

/* Has the trailer of the first event there an id of an event? */
static bool is_trailer(const struct perf_data *d, size_t at)
{
	const uint64_t has = d->event[0].attr.sample_type;
	const size_t before = (size_t) !!(has & PERF_SAMPLE_TID) + !!(has & PERF_SAMPLE_TIME);

	return has & PERF_SAMPLE_ID && event_of(d, d->record[at / sizeof(uint64_t) + before]);
}

/*
 * With several events, the last of these words is the id, and their number depends on the event. perf's own records of
 * what existed before it began have no id; they are read as records of the first event.
 */
static const struct data_event *event_of_record(const struct perf_data *d, size_t n, size_t *ret_at)
{
	const size_t first = trailer_words(&d->event[0]);
	const struct data_event *v;

	for (size_t words = 1; !d->same && words <= DATA_TRAILER_WORDS; words++) {
		*ret_at = trailer_of(d, n, words);
		v = *ret_at == SIZE_MAX ? NULL : event_of(d, d->record[*ret_at / sizeof(uint64_t) + words - 1]);
		if (v && trailer_words(v) == words)
			return v;
	}
	*ret_at = trailer_of(d, n, first);
	if (*ret_at == SIZE_MAX)
		return NULL;
	/* A name with a NUL in it, which only a damaged file has: the trailer is not after it. */
	if (d->same && first && !is_trailer(d, *ret_at) && is_trailer(d, n - first * sizeof(uint64_t)))
		*ret_at = n - first * sizeof(uint64_t);
	return d->same || !first || !d->record[*ret_at / sizeof(uint64_t) + first - 1] ? &d->event[0] : NULL;
}

static int record_read(struct perf_data *d, size_t n, struct perf_event_header *h, struct sideband_record *ret)
{
	const struct data_event *v;
	size_t at, size;

	*ret = (struct sideband_record){ .kind = SIDEBAND_OTHER, .type = h->type };
	if (h->type >= RECORD_USER)
		return 0;
	v = n % sizeof(uint64_t) ? NULL : event_of_record(d, n, &at);
	if (!v)
		return -EBADMSG;
	size = at + trailer_words(v) * sizeof(uint64_t);
	if (size < n)
		h->size = (uint16_t)size;
	if (v->attr.sample_id_all && v->attr.sample_type & PERF_SAMPLE_TID) {
		memcpy(&ret->pid, (const unsigned char *)d->record + at, sizeof(ret->pid));
		memcpy(&ret->tid, (const unsigned char *)d->record + at + sizeof(ret->pid), sizeof(ret->tid));
	}
	if (v->attr.sample_id_all && v->attr.sample_type & PERF_SAMPLE_TIME)
		ret->time = d->record[at / sizeof(uint64_t) + !!(v->attr.sample_type & PERF_SAMPLE_TID)];
	if (h->type == PERF_RECORD_LOST_SAMPLES && at >= 2 * sizeof(uint64_t)) {
		ret->kind = SIDEBAND_LOST;
		ret->lost.count = d->record[1];
		return 0;
	}
	return sideband_body(d->record, at, ret);
}

int perf_data_next(struct perf_data *d, uint64_t *at, struct perf_data_item *ret)
{
	const uint64_t end = d->end < d->n ? d->end : d->n, place = d->begin + *at;
	struct perf_event_header h;
	uint64_t size, more;
	int err;

	if (place >= end)
		return d->end > d->n ? -EBADMSG : 0;
	if (end - place < sizeof(h))
		return -EBADMSG;
	memcpy(&h, d->p + place, sizeof(h));
	size = h.size;
	if (size < sizeof(h) || size > end - place)
		return -EBADMSG;
	if (h.type == RECORD_COMPRESSED || h.type == RECORD_COMPRESSED2)
		return -EOPNOTSUPP;
	memcpy(d->record, d->p + place, h.size);
	if (h.type == RECORD_AUXTRACE) {
		memcpy(&more, &d->record[1], sizeof(more));
		if (size < 2 * sizeof(uint64_t) || more > end - place - size)
			return -EBADMSG;
		size += more;
	}
	ret->is_sample = h.type == PERF_RECORD_SAMPLE;
	err = ret->is_sample ? sample_read(d, h.size, &h, &ret->sample) : record_read(d, h.size, &h, &ret->record);
	memcpy(d->record, &h, sizeof(h));
	ret->raw = d->record;
	ret->raw_size = h.size;
	*at += size;
	return err ? err : 1;
}

int perf_data_error(const struct perf_data *d, int err, struct err *e)
{
	if (err != -EOPNOTSUPP)
		return err_set(e, err, "%s is damaged or incomplete", d->name);
	err_set(e, err, "%s is compressed", d->name);
	return err_hint(e, "`perf record` without -z writes what can be read");
}
