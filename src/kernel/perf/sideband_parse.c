/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/perf/sideband.h"

#include <linux/bpf.h>
#include <linux/perf_event.h>

#include "kernel/perf/data_file.h"
#include "kernel/perf/ring.h"

_Static_assert(SIDEBAND_TAG == BPF_TAG_SIZE, "the tag of a program");

/* PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU after every record (sample_id_all). */
struct trailer {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, pad;
};
struct __attribute__((packed)) text_body {
	uint64_t addr;
	uint16_t old_len, new_len; /* and the bytes, old and new */
};
struct task_body {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

/* The string at the end of the body; NULL: it is not terminated within the body. */
static const char *text(const unsigned char *p, size_t n, size_t at)
{
	return n > at && memchr(p + at, 0, n - at) ? (const char *)p + at : NULL;
}

static int ksymbol(const unsigned char *p, size_t n, struct sideband_record *r)
{
	struct ksymbol_body b;

	r->ksymbol.name = text(p, n, sizeof(b));
	if (!r->ksymbol.name)
		return -EBADMSG;
	memcpy(&b, p, sizeof(b));
	r->kind = SIDEBAND_KSYMBOL;
	r->ksymbol.addr = b.addr;
	r->ksymbol.len = b.len;
	r->ksymbol.ksym_type = b.type;
	r->ksymbol.gone = b.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	return 0;
}

static int prog(const unsigned char *p, size_t n, struct sideband_record *r)
{
	struct prog_body b;

	if (n < sizeof(b))
		return -EBADMSG;
	memcpy(&b, p, sizeof(b));
	r->kind = SIDEBAND_PROG;
	r->prog.event = b.type;
	r->prog.id = b.id;
	memcpy(r->prog.tag, b.tag, sizeof(b.tag));
	return 0;
}

static int comm(const unsigned char *p, size_t n, struct sideband_record *r)
{
	struct comm_body b;

	r->comm.name = text(p, n, sizeof(b));
	if (!r->comm.name)
		return -EBADMSG;
	memcpy(&b, p, sizeof(b));
	r->comm.pid = b.pid;
	r->comm.tid = b.tid;
	r->kind = SIDEBAND_COMM;
	return 0;
}

static int task(const unsigned char *p, size_t n, enum sideband_kind kind, struct sideband_record *r)
{
	struct task_body b;

	if (n < sizeof(b))
		return -EBADMSG;
	memcpy(&b, p, sizeof(b));
	r->kind = kind;
	r->task.pid = b.pid;
	r->task.tid = b.tid;
	r->task.parent_pid = b.ppid;
	r->task.parent_tid = b.ptid;
	return 0;
}

static int text_poke(const unsigned char *p, size_t n, struct sideband_record *r)
{
	const size_t head = sizeof(struct text_body);
	struct text_body b;

	if (n < head)
		return -EBADMSG;
	memcpy(&b, p, head);
	if (n - head < (size_t)b.old_len + b.new_len)
		return -EBADMSG;
	r->kind = SIDEBAND_TEXT;
	r->text.addr = b.addr;
	r->text.old_len = b.old_len;
	r->text.new_len = b.new_len;
	r->text.old = p + head;
	r->text.now = p + head + b.old_len;
	return 0;
}

static size_t whole_words(size_t n)
{
	return (n + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
}

size_t sideband_trailer(const void *p, size_t n, size_t size)
{
	const size_t head = sizeof(struct perf_event_header), name = head + sizeof(struct ksymbol_body),
		     prog_end = head + sizeof(struct prog_body);
	struct perf_event_header h;
	struct text_body text;
	size_t at = n >= size ? n - size : SIZE_MAX;

	memcpy(&h, p, sizeof(h));
	if (h.type == PERF_RECORD_BPF_EVENT) {
		at = prog_end;
	} else if (h.type == PERF_RECORD_TEXT_POKE && n >= head + sizeof(text)) {
		memcpy(&text, (const unsigned char *)p + head, sizeof(text));
		at = whole_words(head + sizeof(text) + text.old_len + text.new_len);
	} else if (h.type == PERF_RECORD_KSYMBOL && n > name) {
		/* The kernel pads the name to whole words. */
		at = whole_words(name + strnlen((const char *)p + name, n - name) + 1);
	}
	return at >= head && at <= n && size <= n - at ? at : SIZE_MAX;
}

int sideband_body(const void *p, size_t n, struct sideband_record *ret)
{
	const unsigned char *body = (const unsigned char *)p + sizeof(struct perf_event_header);
	const size_t size = n - sizeof(struct perf_event_header);

	switch (ret->type) {
	case PERF_RECORD_KSYMBOL:
		return ksymbol(body, size, ret);
	case PERF_RECORD_BPF_EVENT:
		return prog(body, size, ret);
	case PERF_RECORD_COMM:
		return comm(body, size, ret);
	case PERF_RECORD_FORK:
		return task(body, size, SIDEBAND_FORK, ret);
	case PERF_RECORD_EXIT:
		return task(body, size, SIDEBAND_EXIT, ret);
	case PERF_RECORD_TEXT_POKE:
		return text_poke(body, size, ret);
	case PERF_RECORD_LOST:
		ret->kind = SIDEBAND_LOST;
		return perf_ring_lost(p, n, &ret->lost.count);
	default:
		return 0;
	}
}

int sideband_parse(const void *p, size_t n, struct sideband_record *ret)
{
	struct perf_event_header h;
	struct trailer t;
	size_t at;

	if (n < sizeof(h))
		return -EBADMSG;
	at = sideband_trailer(p, n, sizeof(t));
	if (at == SIZE_MAX)
		return -EBADMSG;
	memcpy(&h, p, sizeof(h));
	memcpy(&t, (const unsigned char *)p + at, sizeof(t));
	*ret = (struct sideband_record){
		.kind = SIDEBAND_OTHER, .type = h.type, .time = t.time, .cpu = t.cpu, .pid = t.pid, .tid = t.tid
	};
	return sideband_body(p, at, ret);
}
