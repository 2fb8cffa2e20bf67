/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/pcap.h"

#include <byteswap.h>

#define MAGIC_USEC 0xa1b2c3d4u
#define MAGIC_NSEC 0xa1b23c4du
#define MAGIC_NG 0x0a0d0d0au
#define HEAD 24u
#define PACKET_HEAD 16u

static uint32_t load32(const struct pcap *p, size_t at)
{
	uint32_t v;

	memcpy(&v, p->bytes.p + at, sizeof(v));
	return p->swapped ? bswap_32(v) : v;
}

static int head_read(struct pcap *p, const char *path, struct err *e)
{
	uint32_t magic;

	if (p->bytes.n < HEAD)
		return err_set(e, -EBADMSG, "%s is not a pcap file: it is too short", path);
	memcpy(&magic, p->bytes.p, sizeof(magic));
	p->swapped = magic == bswap_32(MAGIC_USEC) || magic == bswap_32(MAGIC_NSEC);
	if (magic == MAGIC_NG) {
		err_set(e, -EBADMSG, "%s is a pcapng file", path);
		return err_hint(e, "convert it: tcpdump -r %s -w FILE", path);
	}
	if (!p->swapped && magic != MAGIC_USEC && magic != MAGIC_NSEC)
		return err_set(e, -EBADMSG, "%s is not a pcap file", path);
	p->linktype = load32(p, 20) & 0xffff;
	p->at = HEAD;
	return 0;
}

int pcap_open(struct pcap *p, const char *path, struct err *e)
{
	int err = str_read_file(&p->bytes, path, PCAP_MAX);

	return err ? err_sys(e, err, "cannot read %s", path) : head_read(p, path, e);
}

int pcap_next(struct pcap *p, const char *path, struct pcap_packet *ret, struct err *e)
{
	size_t left = p->bytes.n - p->at;

	if (!left)
		return 0;
	if (left < PACKET_HEAD || left - PACKET_HEAD < load32(p, p->at + 8))
		return err_set(e, -EBADMSG, "%s ends within a packet", path);
	*ret = (struct pcap_packet){
		.head = (unsigned char *)p->bytes.p + p->at,
		.data = (unsigned char *)p->bytes.p + p->at + PACKET_HEAD,
		.n = load32(p, p->at + 8),
		.length = load32(p, p->at + 12),
	};
	p->at += PACKET_HEAD + ret->n;
	return 1;
}

void pcap_close(struct pcap *p)
{
	str_release(&p->bytes);
}

void pcap_begin(const struct pcap *p, struct str *ret)
{
	str_add(ret, p->bytes.p, HEAD);
}

void pcap_add(const struct pcap *p, const struct pcap_packet *like, const void *data, uint32_t n, struct str *ret)
{
	uint32_t size = p->swapped ? bswap_32(n) : n;

	str_add(ret, like->head, 8);
	str_add(ret, &size, sizeof(size));
	str_add(ret, &size, sizeof(size));
	str_add(ret, data, n);
}
