/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/file/swap.h"

#include "base/swap.h"
#include "host/task_fds.h"
#include "kernel/abi.h"
#include "kernel/query.h"
#include "source/elems.h"
#include "source/info.h"
#include "source/pages.h"
#include "source/questions.h"
#include "source/samples.h"
#include "source/source.h"

#define SOCKET "QH2s2H32s" /* struct socket_raw; a port in network order has the same bytes on every machine */

/* "4.8.0+..." has the size of the elements of each buffer. */
void swap_buf(struct source *s, struct arena *a, const struct asked *q, unsigned char *p, size_t n)
{
	struct info_buf bufs[INFO_BUFS];
	uint32_t len;
	size_t nbufs;

	if (info_spec_parse(q->text, bufs, &nbufs))
		return;
	for (size_t i = 0; i < nbufs && n >= sizeof(len); i++) {
		swap_record("I", p, n);
		memcpy(&len, p, sizeof(len));
		p += sizeof(len);
		n -= sizeof(len);
		len = len < n ? len : (uint32_t)n;
		if (bufs[i].elem == 4 || bufs[i].elem == 8)
			swap_records(bufs[i].elem == 4 ? "I" : "Q", p, len);
		p += len;
		n -= len;
	}
}

void swap_elems(struct source *s, struct arena *a, const struct asked *q, unsigned char *p, size_t n)
{
	struct elems_head h;
	uint64_t stride;

	swap_record("3I2H", p, n);
	if (n < sizeof(h))
		return;
	memcpy(&h, p, sizeof(h));
	p += sizeof(h);
	n -= sizeof(h);
	if (h.next_len > n)
		return;
	p += h.next_len;
	n -= h.next_len;
	stride = sizeof(int32_t) + (uint64_t)h.key_size + h.value_size;
	for (; n >= stride; p += stride, n -= (size_t)stride)
		swap_record("I", p, n);
}

/* Heads, each followed by memory: a key or a value, with the size in the map's info. */
static void swap_before_memory(struct source *s, struct arena *a, const struct asked *q, const char *record, bool keys,
			       unsigned char *p, size_t n)
{
	struct abi_map_info info = { 0 };
	uint64_t stride;
	struct blob b;

	if (s->ops->get(s, &(const struct asked){ question_of(Q_INFO, OBJECT_MAP), q->id }, a, &b))
		return;
	memcpy(&info, b.p, b.n < sizeof(info) ? b.n : sizeof(info));
	while (n) {
		stride = swap_record(record, p, n) + (uint64_t)(keys ? info.key_size : info.value_size);
		stride = stride < n ? stride : n;
		p += stride;
		n -= (size_t)stride;
	}
}

void swap_storage(struct source *s, struct arena *a, const struct asked *q, unsigned char *p, size_t n)
{
	swap_before_memory(s, a, q, "II16sQ" SOCKET, false, p, n);
}

void swap_sockets(struct source *s, struct arena *a, const struct asked *q, unsigned char *p, size_t n)
{
	swap_before_memory(s, a, q, SOCKET "I2H8s", true, p, n);
}

void swap_pages(struct source *s, struct arena *a, const struct asked *q, unsigned char *p, size_t n)
{
	struct pages_head h;

	swap_record("Q4I", p, n);
	if (n < sizeof(h))
		return;
	memcpy(&h, p, sizeof(h));
	n -= sizeof(h);
	swap_records("I", p + sizeof(h), (uint64_t)h.count * 4 < n ? h.count * 4 : n);
}

void swap_queries(struct source *s, struct arena *a, const struct asked *q, unsigned char *p, size_t n)
{
	struct prog_query_head h;
	uint64_t size;

	while (n) {
		swap_record("4IQ", p, n);
		if (n < sizeof(h))
			return;
		memcpy(&h, p, sizeof(h));
		p += sizeof(h);
		n -= sizeof(h);
		size = (uint64_t)h.count * sizeof(uint32_t) * (unsigned)__builtin_popcount(h.has);
		size = size < n ? size : n;
		swap_records("I", p, size);
		p += size;
		n -= size;
	}
}

void swap_task_fds(struct source *s, struct arena *a, const struct asked *q, unsigned char *p, size_t n)
{
	struct task_fd_raw raw;
	uint64_t size;

	while (n) {
		swap_record("8I2Q16s", p, n);
		if (n < sizeof(raw))
			return;
		memcpy(&raw, p, sizeof(raw));
		size = (sizeof(raw) + (uint64_t)raw.name_len + 7) & ~7ull;
		size = size < n ? size : n;
		p += size;
		n -= size;
	}
}

void swap_samples(struct source *s, struct arena *a, const struct asked *q, unsigned char *p, size_t n)
{
	struct sample_raw raw;
	size_t size;

	while (n) {
		swap_record("2Q3IH2B", p, n);
		if (n < sizeof(raw))
			return;
		memcpy(&raw, p, sizeof(raw));
		p += sizeof(raw);
		n -= sizeof(raw);
		size = raw.ncallers * sizeof(uint64_t);
		size = size < n ? size : n;
		swap_records("Q", p, size);
		p += size;
		n -= size;
	}
}

void swap_answer(struct source *s, struct arena *a, const struct asked *q, unsigned char *p, size_t n)
{
	const struct question_row *row = &questions[q->q];

	if (row->swap)
		row->swap(s, a, q, p, n);
	else if (row->record)
		swap_records(row->record, p, n);
}
