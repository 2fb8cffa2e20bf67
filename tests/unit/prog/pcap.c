/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <byteswap.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prog/pcap.h"

#define USEC 0xa1b2c3d4u
#define NSEC 0xa1b23c4du

/* A file of 4-byte numbers and bytes; @swap: in the other byte order. */
static void number(struct str *file, bool swap, uint32_t v)
{
	v = swap ? bswap_32(v) : v;
	str_add(file, &v, sizeof(v));
}

static void file_head(struct str *file, bool swap, uint32_t magic, uint32_t linktype)
{
	str_reset(file);
	number(file, swap, magic);
	number(file, swap, 2 | 4 << 16);
	number(file, swap, 0);
	number(file, swap, 0);
	number(file, swap, 65535);
	number(file, swap, linktype);
}

static void file_packet(struct str *file, bool swap, const char *data, uint32_t length)
{
	number(file, swap, 1700000000);
	number(file, swap, 42);
	number(file, swap, (uint32_t)strlen(data));
	number(file, swap, length);
	str_puts(file, data);
}

static int pcap_of(const struct str *file, size_t n, struct pcap *p, struct err *e)
{
	char path[] = "/tmp/bpflens-pcap-XXXXXX";
	CLEAN_FD fd = mkstemp(path);
	int err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, file->p, n), n);
	*p = (struct pcap){ 0 };
	*e = (struct err){ 0 };
	err = pcap_open(p, path, e);
	unlink(path);
	return err;
}

static void test_packets(void **state)
{
	STR file = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct pcap_packet packet;
		PCAP p;
		struct err e;

		/* The upper half of the link type has flags. */
		file_head(&file, i & 1, i & 2 ? NSEC : USEC, PCAP_RAW | 4u << 26);
		file_packet(&file, i & 1, "first", 5);
		file_packet(&file, i & 1, "", 9);
		file_packet(&file, i & 1, "cut", 1500);
		assert_int_equal(pcap_of(&file, file.n, &p, &e), 0);
		assert_int_equal(p.linktype, PCAP_RAW);
		assert_int_equal(pcap_next(&p, "f", &packet, &e), 1);
		assert_int_equal(packet.n, 5);
		assert_memory_equal(packet.data, "first", 5);
		assert_int_equal(pcap_next(&p, "f", &packet, &e), 1);
		assert_int_equal(packet.n, 0);
		assert_int_equal(packet.length, 9);
		assert_int_equal(pcap_next(&p, "f", &packet, &e), 1);
		assert_int_equal(packet.n, 3);
		assert_int_equal(packet.length, 1500);
		assert_memory_equal(packet.data, "cut", 3);
		assert_int_equal(pcap_next(&p, "f", &packet, &e), 0);
	}
}

/* What is written is a file with the same head, and the packet's time. */
static void test_written(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pcap_packet packet;
		STR file = { 0 }, out = { 0 }, want = { 0 };
		struct err e;
		PCAP p;

		file_head(&file, swap, NSEC, PCAP_ETHERNET);
		file_packet(&file, swap, "first", 5);
		assert_int_equal(pcap_of(&file, file.n, &p, &e), 0);
		assert_int_equal(pcap_next(&p, "f", &packet, &e), 1);
		pcap_begin(&p, &out);
		pcap_add(&p, &packet, "changed", 7, &out);
		file_head(&want, swap, NSEC, PCAP_ETHERNET);
		file_packet(&want, swap, "changed", 7);
		assert_int_equal(out.n, want.n);
		assert_memory_equal(out.p, want.p, want.n);
	}
}

static void test_damaged(void **state)
{
	struct pcap_packet packet;
	STR file = { 0 };
	struct err e;

	(void)state;
	file_head(&file, false, USEC, PCAP_RAW);
	file_packet(&file, false, "first", 5);
	for (size_t n = 0; n < file.n; n++) {
		PCAP p;
		int err = pcap_of(&file, n, &p, &e);

		assert_int_equal(err, n < 24 ? -EBADMSG : 0);
		if (err) {
			assert_non_null(strstr(e.msg, "is not a pcap file: it is too short"));
			continue;
		}
		assert_int_equal(pcap_next(&p, "f", &packet, &e), n == 24 ? 0 : -EBADMSG);
		assert_string_equal(e.msg, n == 24 ? "" : "f ends within a packet");
	}
	{
		PCAP p;

		file_head(&file, false, 0x0a0d0d0a, PCAP_RAW);
		assert_int_equal(pcap_of(&file, file.n, &p, &e), -EBADMSG);
		assert_non_null(strstr(e.msg, "is a pcapng file"));
		assert_non_null(strstr(e.hint, "tcpdump -r "));
	}
	{
		PCAP p;

		file_head(&file, false, USEC + 1, PCAP_RAW);
		assert_int_equal(pcap_of(&file, file.n, &p, &e), -EBADMSG);
		assert_string_equal(e.hint, "");
	}
	{
		PCAP p = { 0 };

		e = (struct err){ 0 };
		assert_int_equal(pcap_open(&p, "/tmp/bpflens-pcap-none", &e), -ENOENT);
		assert_non_null(strstr(e.msg, "cannot read /tmp/bpflens-pcap-none"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
