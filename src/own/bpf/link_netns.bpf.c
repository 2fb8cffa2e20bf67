/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/link_netns.bpf.h"
#include "own/bpf/program.bpf.h"

OFFSET(bpf_link, id);
OFFSET(bpf_link, type);
OFFSET(bpf_nf_link, link) __weak;
OFFSET(bpf_nf_link, net) __weak;
OFFSET(bpf_xdp_link, link) __weak;
OFFSET(bpf_xdp_link, dev) __weak;
OFFSET(tcx_link, link) __weak;
OFFSET(tcx_link, dev) __weak;
OFFSET(netkit_link, link) __weak;
OFFSET(netkit_link, dev) __weak;
OFFSET(net_device, nd_net);
OFFSET(net, ns);
OFFSET(net, loopback_dev); /* other structs are also called net */
OFFSET(ns_common, inum);

enum { XDP = 6, NETFILTER = 10, TCX = 11, NETKIT = 13 }; /* enum bpf_link_type */

/* Read what @member of the struct that contains the link points to. */
#define BEHIND(to, link_, type, member) \
	do { \
		if (at__##type##__link >= 0 && at__##type##__##member >= 0) \
			PROBE(to, (link_)-at__##type##__link, type, member); \
	} while (0)

SEC("iter/bpf_link") int link_netns(struct iter_bpf_link *ctx)
{
	const char *link = ctx->link, *net = 0, *dev = 0;
	struct link_netns e = { 0 };

	if (!link)
		return 0;
	switch (READ((__u32){ 0 }, link, bpf_link, type)) {
	case NETFILTER:
		BEHIND(net, link, bpf_nf_link, net);
		break;
	case XDP:
		BEHIND(dev, link, bpf_xdp_link, dev);
		break;
	case TCX:
		BEHIND(dev, link, tcx_link, dev);
		break;
	case NETKIT:
		BEHIND(dev, link, netkit_link, dev);
		break;
	}
	if (dev)
		PROBE(net, dev, net_device, nd_net);
	if (!net)
		return 0;
	PROBE(e.ino, net + at__net__ns, ns_common, inum);
	e.id = READ(e.id, link, bpf_link, id);
	if (e.ino)
		bpf_seq_write(ctx->meta->seq, &e, sizeof(e));
	return 0;
}
