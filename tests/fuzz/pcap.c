/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bytes_file.h"
#include "prog/pcap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(struct pcap *written, const struct pcap_packet *want)
{
	struct pcap_packet got;
	struct err e = { 0 };

	if (pcap_next(written, "", &got, &e) != 1 || got.n != want->n || memcmp(got.data, want->data, want->n) ||
	    memcmp(got.head, want->head, 8))
		abort();
}

/* Any bytes as a file of packets; written again, it has the same packets and times. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = bytes_file(data, size), more;
	PCAP in = { 0 };
	PCAP again = { 0 };
	struct pcap_packet packet;
	struct err e = { 0 };

	if (pcap_open(&in, bytes_path(fd).text, &e)) {
		if (!*e.msg)
			abort();
		close(fd);
		return 0;
	}
	close(fd);
	pcap_begin(&in, &again.bytes);
	while ((more = pcap_next(&in, "", &packet, &e)) > 0)
		pcap_add(&in, &packet, packet.data, packet.n, &again.bytes);
	if ((more < 0) != (*e.msg != 0))
		abort();
	fd = bytes_file((const uint8_t *)again.bytes.p, again.bytes.n);
	pcap_close(&again);
	again = (struct pcap){ 0 };
	if (pcap_open(&again, bytes_path(fd).text, &e) || again.linktype != in.linktype)
		abort();
	close(fd);
	for (in.at = again.at; again.at < again.bytes.n;) {
		if (pcap_next(&in, "", &packet, &e) != 1)
			abort();
		check_same(&again, &packet);
	}
	return 0;
}
