/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Packets in a file that tcpdump -w wrote (pcap-savefile(5)): either byte order, micro- or nanoseconds, Ethernet or raw
 * IP. The whole file is read into memory, at most PCAP_MAX bytes.
 */
#define PCAP_MAX (256u << 20)
enum { PCAP_ETHERNET = 1, PCAP_RAW = 101 };
struct pcap {
	struct str bytes;
	size_t at; /* offset of the next packet */
	uint32_t linktype;
	bool swapped;
};
struct pcap_packet {
	const unsigned char *head; /* its header of 16 bytes as in the file */
	const unsigned char *data;
	uint32_t n;	 /* bytes in the file */
	uint32_t length; /* bytes on the wire */
};
#define PCAP __attribute__((cleanup(pcap_close))) struct pcap
int pcap_open(struct pcap *p, const char *path, struct err *e);
/*
 * Returns 1 and sets *ret, which lives as long as @p; 0: the end; -EBADMSG with a message: the file ends within a
 * packet.
 */
int pcap_next(struct pcap *p, const char *path, struct pcap_packet *ret, struct err *e);
void pcap_close(struct pcap *p);

/*
 * Write the same format: the file header, and a packet with other bytes and the time of @like, in the byte order of @p.
 */
void pcap_begin(const struct pcap *p, struct str *ret);
void pcap_add(const struct pcap *p, const struct pcap_packet *like, const void *data, uint32_t n, struct str *ret);
