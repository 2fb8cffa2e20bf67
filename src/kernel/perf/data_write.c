/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/perf/data_write.h"

#include <linux/perf_event.h>
#include <time.h>

#define PAD(n) (-(n) & (sizeof(uint64_t) - 1))

void perf_write_raw(struct perf_writer *w, const void *p, size_t n)
{
	if (n)
		out_bytes(&w->out, p, n);
	w->at += n;
}

void perf_writer_init(struct perf_writer *w, int fd)
{
	*w = (struct perf_writer){ .fd = fd };
	out_init(&w->out, fd);
}

void perf_write_front(struct perf_writer *w, const struct perf_data *like, const void *front, size_t n)
{
	w->trailer = perf_data_head(like)->trailer;
	w->id = perf_data_head(like)->id;
	perf_write_raw(w, front, n);
	w->begin = n;
}

#define SAMPLE_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN)
void perf_write_begin(struct perf_writer *w, const struct perf_data_head *h)
{
	const bool cycles = !strcmp(h->event, "cycles");
	const struct perf_event_attr attr = {
		.type = cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
		.config = cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK,
		.size = PERF_ATTR_SIZE_VER3, /* the first that has clockid */
		.sample_type = SAMPLE_TYPE,
		.freq = 1,
		.sample_freq = h->hz,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_BOOTTIME,
	};
	const struct section ids = { sizeof(struct data_header), 0 };
	const struct data_header head = {
		.magic = PERF_DATA_MAGIC,
		.size = sizeof(head),
		.attr_size = PERF_ATTR_SIZE_VER3 + sizeof(ids),
		.attrs = { sizeof(head), PERF_ATTR_SIZE_VER3 + sizeof(ids) },
		.data = { sizeof(head) + PERF_ATTR_SIZE_VER3 + sizeof(ids), 0 },
	};

	w->trailer = SAMPLE_TYPE;
	perf_write_raw(w, &head, sizeof(head));
	perf_write_raw(w, &attr, PERF_ATTR_SIZE_VER3);
	perf_write_raw(w, &ids, sizeof(ids));
	w->begin = w->at;
}

/* What the kernel adds to its records (sample_id_all), in the order of PERF_RECORD_SAMPLE in linux/perf_event.h. */
static size_t trailer_make(const struct perf_writer *w, const struct sideband_record *r, uint64_t *ret)
{
	const uint32_t tid[2] = { r->pid, r->tid }, cpu[2] = { r->cpu };
	size_t n = 0;

	if (w->trailer & PERF_SAMPLE_TID)
		memcpy(&ret[n++], tid, sizeof(tid));
	if (w->trailer & PERF_SAMPLE_TIME)
		ret[n++] = r->time;
	if (w->trailer & PERF_SAMPLE_ID)
		ret[n++] = w->id;
	if (w->trailer & PERF_SAMPLE_STREAM_ID)
		ret[n++] = w->id;
	if (w->trailer & PERF_SAMPLE_CPU)
		memcpy(&ret[n++], cpu, sizeof(cpu));
	if (w->trailer & PERF_SAMPLE_IDENTIFIER)
		ret[n++] = w->id;
	return n * sizeof(*ret);
}

static void record_put(struct perf_writer *w, const struct sideband_record *r, uint16_t misc, const void *body,
		       size_t n, const char *name)
{
	const size_t len = name ? strnlen(name, PERF_WRITE_NAME - 1) : 0, padded = name ? len + 1 + PAD(len + 1) : 0;
	uint64_t trailer[DATA_TRAILER_WORDS];
	const size_t size = trailer_make(w, r, trailer);
	const struct perf_event_header h = { r->type, misc, (uint16_t)(sizeof(h) + n + padded + size) };

	perf_write_raw(w, &h, sizeof(h));
	perf_write_raw(w, body, n);
	perf_write_raw(w, name, len);
	perf_write_raw(w, (const char[sizeof(uint64_t)]){ 0 }, padded - len);
	perf_write_raw(w, trailer, size);
}

void perf_write_record(struct perf_writer *w, const struct sideband_record *r)
{
	struct sideband_record typed = *r;

	if (r->kind == SIDEBAND_KSYMBOL) {
		const struct ksymbol_body b = { r->ksymbol.addr, r->ksymbol.len, r->ksymbol.ksym_type,
						r->ksymbol.gone ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0 };

		typed.type = PERF_RECORD_KSYMBOL;
		record_put(w, &typed, PERF_RECORD_MISC_KERNEL, &b, sizeof(b), r->ksymbol.name);
	} else if (r->kind == SIDEBAND_PROG) {
		struct prog_body b = { .type = r->prog.event, .id = r->prog.id };

		memcpy(b.tag, r->prog.tag, sizeof(b.tag));
		typed.type = PERF_RECORD_BPF_EVENT;
		record_put(w, &typed, PERF_RECORD_MISC_KERNEL, &b, sizeof(b), NULL);
	} else if (r->kind == SIDEBAND_LOST) {
		typed.type = PERF_RECORD_LOST;
		record_put(w, &typed, 0, (const uint64_t[]){ w->id, r->lost.count }, 2 * sizeof(uint64_t), NULL);
	} else if (r->kind == SIDEBAND_COMM) {
		typed.type = PERF_RECORD_COMM;
		record_put(w, &typed, 0, &(const struct comm_body){ r->comm.pid, r->comm.tid },
			   sizeof(struct comm_body), r->comm.name);
	}
}

void perf_write_kernel(struct perf_writer *w, uint64_t addr, uint64_t len)
{
	const struct {
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
	} mmap = { UINT32_MAX, 0, addr, len, addr };

	record_put(w, &(const struct sideband_record){ .type = PERF_RECORD_MMAP }, PERF_RECORD_MISC_KERNEL, &mmap,
		   sizeof(mmap), "[kernel.kallsyms]_text");
}

void perf_write_sample(struct perf_writer *w, const struct sample *s)
{
	const struct {
		struct perf_event_header h;
		uint64_t ip;
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, reserved;
		uint64_t nr, context, first;
	} body = {
		.h = { PERF_RECORD_SAMPLE, s->user ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL,
		       (uint16_t)(sizeof(body) + s->ncallers * sizeof(*s->callers)) },
		.ip = s->ip,
		.pid = s->pid,
		.tid = s->tid,
		.time = s->time,
		.cpu = s->cpu,
		.nr = s->ncallers + 2ull,
		.context = s->user ? (uint64_t)PERF_CONTEXT_USER : (uint64_t)PERF_CONTEXT_KERNEL,
		.first = s->ip,
	};

	perf_write_raw(w, &body, sizeof(body));
	perf_write_raw(w, s->callers, s->ncallers * sizeof(*s->callers));
}

static void section_end(struct perf_writer *w)
{
	w->section[w->open].size = w->at - w->section[w->open].offset;
	perf_write_raw(w, (const char[sizeof(uint64_t)]){ 0 }, PAD(w->at));
}

void perf_write_sections(struct perf_writer *w, uint64_t features)
{
	const struct section none = { 0, 0 };

	w->end = w->at;
	w->features = features;
	for (unsigned f = 0; f < PERF_DATA_FEATURES; f++)
		if (features >> f & 1)
			perf_write_raw(w, &none, sizeof(none));
}

void perf_write_section(struct perf_writer *w, unsigned f)
{
	section_end(w);
	w->open = f;
	w->section[f].offset = w->at;
	if (f == PERF_DATA_BPF_PROGS || f == PERF_DATA_BPF_BTF)
		perf_write_raw(w, &(const uint32_t){ 0 }, sizeof(uint32_t));
}

void perf_write_word(struct perf_writer *w, enum perf_data_feature f, const char *word)
{
	const uint32_t n = (uint32_t)strlen(word) + 1;

	perf_write_section(w, f);
	perf_write_raw(w, &n, sizeof(n));
	perf_write_raw(w, word, n);
}

void perf_write_entry(struct perf_writer *w, enum perf_data_feature f, const void *p, size_t n)
{
	w->bpf[f - PERF_DATA_BPF_PROGS]++;
	perf_write_raw(w, p, n);
}

/* After all else, which was written through the buffer. */
static void put_at(struct perf_writer *w, uint64_t offset, const void *p, size_t n)
{
	errno = 0;
	if (!w->out.error && pwrite(w->fd, p, n, (off_t)offset) != (ssize_t)n)
		w->out.error = errno ? -errno : -EIO;
}

int perf_write_end(struct perf_writer *w, struct err *e)
{
	const struct section data = { w->begin, w->end - w->begin };
	const uint64_t flags[4] = { w->features };
	uint64_t at = w->end;

	section_end(w);
	out_flush(&w->out);
	for (unsigned f = 0; f < PERF_DATA_FEATURES; f++) {
		const struct section *s = &w->section[f];

		if (!(w->features >> f & 1))
			continue;
		put_at(w, at, s, sizeof(*s));
		at += sizeof(*s);
		if (f == PERF_DATA_BPF_PROGS || f == PERF_DATA_BPF_BTF)
			put_at(w, s->offset, &w->bpf[f - PERF_DATA_BPF_PROGS], sizeof(*w->bpf));
	}
	put_at(w, offsetof(struct data_header, data), &data, sizeof(data));
	put_at(w, offsetof(struct data_header, flags), flags, sizeof(flags));
	return out_close(&w->out, e);
}
