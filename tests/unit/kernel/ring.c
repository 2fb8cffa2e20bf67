/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <limits.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "kernel/ring.h"

/* A ring buffer in a file; pages that the kernel maps twice are written twice. */
enum { SIZE = 4096, OVERWRITE = 1 << 19 };
struct model {
	int fd;
	unsigned char *mem;
	size_t page;
};

static struct model model_make(void)
{
	struct model m = { .fd = memfd_create("ring", 0), .page = (size_t)sysconf(_SC_PAGESIZE) };

	assert_true(m.fd >= 0);
	assert_int_equal(ftruncate(m.fd, (off_t)(2 * m.page + 2 * SIZE)), 0);
	m.mem = mmap(NULL, 2 * m.page + 2 * SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, m.fd, 0);
	assert_ptr_not_equal(m.mem, MAP_FAILED);
	return m;
}

static void model_free(struct model *m)
{
	munmap(m->mem, 2 * m->page + 2 * SIZE);
	close(m->fd);
}

static void consumer(struct model *m, uint64_t pos)
{
	memcpy(m->mem, &pos, sizeof(pos));
}

static void producer(struct model *m, uint64_t pos)
{
	memcpy(m->mem + m->page, &pos, sizeof(pos));
}

static void overwritten(struct model *m, uint64_t pos)
{
	memcpy(m->mem + m->page + 16, &pos, sizeof(pos));
}

static void record(struct model *m, uint64_t pos, uint32_t head, char fill)
{
	uint32_t n = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
	unsigned char text[SIZE + 8] = { 0 };

	memcpy(text, &head, sizeof(head));
	memset(text + 8, fill, n < SIZE ? n : SIZE);
	for (uint32_t i = 0; i < 8 + n && i < sizeof(text); i++) {
		m->mem[2 * m->page + (pos + i) % SIZE] = text[i];
		m->mem[2 * m->page + SIZE + (pos + i) % SIZE] = text[i];
	}
}

static void assert_record(struct ring *r, uint64_t pos, uint32_t n, char fill)
{
	struct ring_record rec = { 0 };

	assert_int_equal(ring_next(r, &rec), RING_RECORD);
	assert_int_equal(rec.pos, pos);
	assert_int_equal(rec.n, n);
	assert_int_equal(rec.lost, 0);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(rec.data[i], fill);
}

static void assert_lost(struct ring *r, uint64_t pos, uint64_t bytes)
{
	struct ring_record rec = { 0 };

	assert_int_equal(ring_next(r, &rec), RING_LOST);
	assert_int_equal(rec.pos, pos);
	assert_int_equal(rec.lost, bytes);
}

static void assert_none(struct ring *r)
{
	struct ring_record rec;

	assert_int_equal(ring_next(r, &rec), RING_NONE);
}

static void test_records(void **state)
{
	struct model m = model_make();
	struct ring r;

	(void)state;
	assert_int_equal(ring_open(&r, m.fd, SIZE, 0), 0);
	assert_none(&r);
	record(&m, 0, 5, 'a');
	record(&m, 16, 3 | BPF_RINGBUF_DISCARD_BIT, 'b');
	record(&m, 32, 8, 'c');
	record(&m, 48, 4 | BPF_RINGBUF_BUSY_BIT, 'd');
	producer(&m, 64);
	assert_record(&r, 0, 5, 'a');
	assert_record(&r, 32, 8, 'c');
	assert_none(&r);
	record(&m, 48, 4, 'd');
	assert_record(&r, 48, 4, 'd');
	assert_none(&r);
	assert_int_equal(ring_consumer(&r), 0);
	assert_int_equal(ring_consume(&r, m.fd), 0);
	assert_int_equal(ring_consumer(&r), 64);
	assert_int_equal(ring_producer(&r), 64);
	ring_close(&r);
	model_free(&m);
}

static void test_over_the_end(void **state)
{
	struct model m = model_make();
	struct ring r;

	(void)state;
	consumer(&m, 7 * SIZE - 16);
	producer(&m, 7 * SIZE + 40);
	record(&m, 7 * SIZE - 16, 48, 'x');
	assert_int_equal(ring_open(&r, m.fd, SIZE, 0), 0);
	assert_record(&r, 7 * SIZE - 16, 48, 'x');
	assert_none(&r);
	ring_close(&r);
	model_free(&m);
}

/* Only what is read of a large ring is mapped; a record may be in several chunks, and go over the end. */
static void test_chunks(void **state)
{
	enum { LARGE = 128 << 20, CHUNK = LARGE / RING_CHUNKS, N = 5 << 20 };
	const uint64_t at[] = { CHUNK - 8, 3ull * LARGE - CHUNK + 16 };
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *p = malloc(8 + N);
	struct model m = { .fd = memfd_create("ring", 0), .page = page };
	struct ring_record rec;
	struct ring r;

	(void)state;
	assert_int_equal(ftruncate(m.fd, (off_t)(2 * page + LARGE)), 0);
	m.mem = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, m.fd, 0);
	memcpy(p, &(uint32_t[2]){ N }, 8);
	for (size_t i = 0; i < N; i++)
		p[8 + i] = (unsigned char)(i * 2654435761u >> 24);
	for (size_t k = 0; k < ARRAY_SIZE(at); k++) {
		const size_t from = at[k] % LARGE, first = from + 8 + N < LARGE ? 8 + N : LARGE - from;

		assert_int_equal(pwrite(m.fd, p, first, (off_t)(2 * page + from)), first);
		assert_int_equal(pwrite(m.fd, p + first, 8 + N - first, (off_t)(2 * page)), 8 + N - first);
		consumer(&m, at[k]);
		producer(&m, at[k] + 8 + N);
		assert_int_equal(ring_open(&r, m.fd, LARGE, 0), 0);
		assert_int_equal(ring_next(&r, &rec), RING_RECORD);
		assert_int_equal(rec.n, N);
		assert_memory_equal(rec.data, p + 8, N);
		assert_none(&r);
		for (size_t i = 0; i < RING_CHUNKS; i++)
			assert_int_equal(r.chunk[i] != NULL, k ? i <= 1 || i == RING_CHUNKS - 1 : i <= 3);
		ring_close(&r);
	}
	free(p);
	munmap(m.mem, 2 * page);
	close(m.fd);
}

/* Producers and consumer are fast: missed records are counted, and reading continues with the existing ones. */
static void test_lost(void **state)
{
	struct model m = model_make();
	struct ring r;

	(void)state;
	assert_int_equal(ring_open(&r, m.fd, SIZE, 0), 0);
	consumer(&m, 10 * SIZE);
	record(&m, 10 * SIZE, 4, 'n');
	producer(&m, 10 * SIZE + 16);
	assert_lost(&r, 0, 10 * SIZE);
	assert_record(&r, 10 * SIZE, 4, 'n');
	assert_none(&r);
	/* A header may be written after the last record before it is published: a full buffer is too full. */
	producer(&m, 11 * SIZE + 16);
	consumer(&m, 11 * SIZE + 16);
	assert_lost(&r, 10 * SIZE + 16, SIZE);
	assert_none(&r);
	ring_close(&r);
	model_free(&m);
}

static void test_overwrite(void **state)
{
	struct model m = model_make();
	struct ring r;

	(void)state;
	producer(&m, 5 * SIZE);
	overwritten(&m, 4 * SIZE + 32);
	record(&m, 4 * SIZE + 32, SIZE - 40, 'o');
	assert_int_equal(ring_open(&r, m.fd, SIZE, OVERWRITE), 0);
	assert_record(&r, 4 * SIZE + 32, SIZE - 40, 'o');
	assert_none(&r);
	ring_close(&r);
	model_free(&m);
}

/* User space can write the consumer's position, and in user ring buffers everything else. These are not trusted. */
static void test_hostile(void **state)
{
	static const uint64_t bad[] = { 3, 17, SIZE + 8, ULONG_MAX - 7, ULONG_MAX / 2 + 1 };
	struct model m = model_make();
	struct ring r;
	size_t i;

	(void)state;
	assert_int_equal(ring_open(&r, m.fd, 0, 0), -22);
	assert_int_equal(ring_open(&r, m.fd, SIZE - 1, 0), -22);
	producer(&m, SIZE);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		consumer(&m, bad[i]);
		assert_int_equal(ring_open(&r, m.fd, SIZE, 0), 0);
		assert_int_equal(r.pos, SIZE);
		assert_none(&r);
		ring_close(&r);
	}
	/* A record that is longer than the produced data, and than the buffer. */
	consumer(&m, SIZE - 64);
	record(&m, SIZE - 64, 0x3fffffff, 'h');
	assert_int_equal(ring_open(&r, m.fd, SIZE, 0), 0);
	assert_lost(&r, SIZE - 64, 64);
	assert_none(&r);
	/* A producer that goes back. */
	producer(&m, 8);
	assert_lost(&r, SIZE, 0);
	assert_none(&r);
	ring_close(&r);
	model_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records), cmocka_unit_test(test_over_the_end), cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_lost),	cmocka_unit_test(test_overwrite),    cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
