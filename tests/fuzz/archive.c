/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "source/elems.h"
#include "source/facts.h"
#include "source/file/gzip.h"
#include "source/info.h"
#include "source/file/input.h"
#include "source/machine.h"
#include "source/file/archive.h"

/*
 * Any bytes as an archive, then the questions that decode an answer: they must end, and must not read outside the
 * bytes.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask_elems(struct machine *m, struct arena *a, uint32_t id, uint32_t key_size, uint32_t value_size)
{
	struct elems e = { 0 };
	unsigned sum = 0;

	for (int i = 0; i < 16; i++) {
		if (elems_get(m, a, id, key_size, value_size, &e))
			break;
		for (uint32_t k = 0; k < e.head.count; k++)
			sum += (unsigned)elems_err(e.elems + k * e.stride);
		if (!*e.cursor)
			break;
	}
	__asm__ volatile("" : : "r"(sum));
}

static void ask_objects(struct machine *m, struct arena *a)
{
	static const struct info_buf bufs[] = { { 16, 24, 0 }, { 32, 24, 8 } };
	unsigned char info[256];
	struct blob b, got[2];
	uint32_t len;

	for (enum object_kind k = 0; k < OBJECT_KINDS; k++) {
		if (ask(m, a, &b, question_of(Q_IDS, k)))
			continue;
		for (uint32_t id = 1; id < 4; id++) {
			uint64_t v;

			info_get(m, a, k, id, info, sizeof(info), &len);
			if (!ask(m, a, &b, question_of(Q_FDINFO, k), id))
				fdinfo_u64(b, "memlock", &v);
			if (!info_bufs_get(m, a, k, id, bufs, 2, got) && got[0].n &&
			    strlen((const char *)got[0].p) >= got[0].n)
				__builtin_trap();
		}
	}
}

static void ask_facts(struct machine *f)
{
	enum object_kind kind;
	uint64_t dev, ino;
	uint32_t id, n;

	for (int k = 0; k < OBJECT_KINDS; k++) {
		facts_any_pins(f, (enum object_kind)k);
		for (id = 0; id < 3; id++) {
			facts_pins(f, (enum object_kind)k, id, &n);
			facts_holders(f, (enum object_kind)k, id, &n);
		}
	}
	facts_find_pin(f, "/sys/fs/bpf/x", &kind, &id);
	facts_symbols(f);
	facts_ifname(f, 1);
	facts_cgroup(f, 1);
	facts_boot_ns(f);
	facts_cpus(f);
	facts_netns(f, &dev, &ino);
	facts_limit(f, "kptr_restrict");
}

/* A mutation never finds a right checksum: put one into each header that the sizes lead to. */
static void repair(uint8_t *p, size_t n)
{
	size_t off = 0;

	while (n - off >= 512) {
		uint8_t *h = p + off;
		unsigned sum = 0;
		size_t size = 0;
		char text[8];

		for (int i = 0; i < 512; i++)
			sum += i >= 148 && i < 156 ? ' ' : h[i];
		if (sum == 8 * ' ')
			break;
		snprintf(text, sizeof(text), "%06o", sum);
		memcpy(h + 148, text, sizeof(text));
		for (int i = 124; i < 136 && h[i] >= '0' && h[i] <= '7'; i++)
			size = size << 3 | (size_t)(h[i] - '0');
		if (size > n - off - 512)
			break;
		off += 512 + (size + 511) / 512 * 512;
		if (off > n)
			break;
	}
}

static void ask_archive(const uint8_t *data, size_t size)
{
	struct source *s = NULL;
	struct machine *m;
	struct err e = { 0 };
	ARENA a = arena_new();

	if (source_archive_mem(&s, data, size, &e)) {
		if (!e.code || !e.msg[0] || s)
			__builtin_trap();
		return;
	}
	m = machine_new(s);
	ask_objects(m, a);
	ask_elems(m, a, 1, 4, 4);
	ask_elems(m, a, 2, 0, 0);
	ask_elems(m, a, 3, 4, 64);
	ask_facts(m);
	machine_free(&m);
}

static void put_tail(struct gzip_writer *w, const uint8_t *text, size_t n)
{
	static const uint8_t zeros[1024];
	uint64_t start = gzip_written(w);
	uint8_t header[512] = "index";

	memcpy(header + 156, "0", 1);
	snprintf((char *)header + 124, 12, "%011zo", n);
	repair(header, sizeof(header));
	gzip_write(w, header, sizeof(header));
	gzip_write(w, text, n);
	gzip_write(w, zeros, (512 - n % 512) % 512);
	gzip_write(w, zeros, sizeof(zeros));
	gzip_put_mark(w, start);
}

/*
 * The same as gzip members of a few blocks, controlled by the last bytes, perhaps truncated; or before an index, of
 * which the text is these last bytes.
 */
static void ask_packed(const uint8_t *data, size_t size)
{
	size_t step = 512 * (1 + data[size - 1] % 8u), tail = data[size - 2] * 4u, n;
	struct gzip_writer *w = NULL;
	struct input in;
	uint8_t *p;

	if (input_temp(&in) || gzip_writer_open(&w, in.fd))
		abort();
	for (size_t off = 0; off < size; off += step) {
		gzip_write(w, data + off, size - off < step ? size - off : step);
		gzip_end(w);
	}
	if (data[size - 3] & 1)
		put_tail(w, data + size - (tail < size ? tail : size), tail < size ? tail : size);
	n = in.size = gzip_written(w);
	gzip_writer_close(&w);
	p = malloc(n);
	if (!p || input_read(&in, 0, p, n) != (ssize_t)n)
		abort();
	if (data[size - 3] & 2)
		n -= n * data[size - 4] / 256;
	ask_archive(p, n);
	free(p);
	input_close(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + !size); /* exact length, so that ASan notices a read past the end */

	if (!copy)
		return 0;
	ask_archive(data, size);
	if (size)
		memcpy(copy, data, size);
	repair(copy, size);
	ask_archive(copy, size);
	if (size >= 512)
		ask_packed(copy, size);
	free(copy);
	return 0;
}
