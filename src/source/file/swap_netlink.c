/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/if_link.h>
#include <linux/pkt_cls.h>
#include <linux/rtnetlink.h>
#include <linux/tc_act/tc_bpf.h>

#include "base/bytes.h"
#include "base/swap.h"
#include "kernel/classifiers.h"
#include "kernel/netlink.h"
#include "source/questions.h"

/*
 * Messages of rtnetlink: swaps the heads of the attributes that are read, and the numbers in them. Others are
 * unchanged.
 */
/* The attributes in @whole, with their heads swapped. */
static void attrs(const struct nl_attr *whole, struct nl_attr *ret, uint16_t max)
{
	unsigned char *p = (unsigned char *)whole->p;
	uint16_t len;

	for (size_t n = whole->n, size; n >= sizeof(struct nlattr); p += size, n -= size) {
		swap_record("2H", p, n);
		memcpy(&len, p, sizeof(len));
		size = ((size_t)len + 3) & ~(size_t)3;
		if (len < sizeof(struct nlattr) || size >= n)
			break;
	}
	nl_attrs(whole->p, whole->n, ret, max);
}

static void numbers(const struct nl_attr *a)
{
	swap_records("I", (unsigned char *)a->p, a->n);
}

static void swap_device(const struct nl_attr *whole)
{
	struct nl_attr a[IFLA_XDP + 1], in[IFLA_XDP_MAX + 1];

	attrs(whole, a, IFLA_XDP + 1);
	attrs(&a[IFLA_LINKINFO], in, IFLA_INFO_DATA + 1);
	if (in[IFLA_INFO_DATA].n)
		attrs(&in[IFLA_INFO_DATA], in, 1); /* of netkit: a byte */
	attrs(&a[IFLA_XDP], in, IFLA_XDP_MAX + 1);
	for (uint16_t i = 1; i <= IFLA_XDP_MAX; i++)
		if (i != IFLA_XDP_ATTACHED)
			numbers(&in[i]);
}

static void swap_action(const struct nl_attr *whole)
{
	struct nl_attr a[TCA_ACT_MAX + 1], o[TCA_ACT_BPF_MAX + 1];
	char kind[16];

	attrs(whole, a, TCA_ACT_MAX + 1);
	if (strcmp(nl_text(&a[TCA_ACT_KIND], kind, sizeof(kind)), "bpf"))
		return;
	attrs(&a[TCA_ACT_OPTIONS], o, TCA_ACT_BPF_MAX + 1);
	numbers(&o[TCA_ACT_BPF_ID]);
	numbers(&o[TCA_ACT_BPF_PARMS]);
}

/* A list of actions; the attribute type is the position. */
static void swap_actions(const struct nl_attr *list)
{
	const unsigned char *p = list->p;
	size_t n = list->n;
	struct nl_attr one;
	uint16_t nr;

	attrs(list, &one, 1);
	while (nl_attr_next(&p, &n, &nr, &one) > 0)
		swap_action(&one);
}

static void swap_filter(const struct nl_attr *a)
{
	struct nl_attr o[TC_OPTIONS_MAX];
	char kind[16];

	attrs(&a[TCA_OPTIONS], o, TC_OPTIONS_MAX);
	nl_text(&a[TCA_KIND], kind, sizeof(kind));
	if (tc_filter_actions(kind))
		swap_actions(&o[tc_filter_actions(kind)]);
	if (strcmp(kind, "bpf"))
		return;
	numbers(&o[TCA_BPF_CLASSID]);
	numbers(&o[TCA_BPF_FLAGS]);
	numbers(&o[TCA_BPF_FLAGS_GEN]);
	numbers(&o[TCA_BPF_ID]);
}

/* Priority and protocol form a number; the protocol, its lower half, is in network order. */
static void swap_protocol(unsigned char *p)
{
	const size_t low = BIG_HERE ? sizeof(uint16_t) : 0;

	swap_record("H", p + offsetof(struct tcmsg, tcm_info) + low, sizeof(uint16_t));
}

static void swap_message(uint16_t type, unsigned char *p, size_t n)
{
	struct nl_attr whole, a[TCA_CHAIN + 1];
	const bool device = type == RTM_NEWLINK, action = type == RTM_NEWACTION || type == RTM_GETACTION;
	size_t head = swap_record(device ? "2BH3I" : action ? "4B" : "4B4I", p, n);

	if (n <= head)
		return;
	whole = (struct nl_attr){ p + head, n - head };
	if (device)
		return swap_device(&whole);
	attrs(&whole, a, TCA_CHAIN + 1);
	if (action)
		return swap_actions(&a[TCA_ACT_TAB]);
	if (type != RTM_NEWTFILTER)
		return;
	swap_protocol(p);
	numbers(&a[TCA_CHAIN]);
	swap_filter(a);
}

void swap_netlink(struct source *s, struct arena *a, const struct asked *q, unsigned char *p, size_t n)
{
	struct nlmsghdr h;

	for (size_t size; n >= sizeof(h); p += size, n -= size) {
		swap_record("I2H2I", p, n);
		memcpy(&h, p, sizeof(h));
		if (h.nlmsg_len < sizeof(h) || h.nlmsg_len > n)
			return;
		swap_message(h.nlmsg_type, p + sizeof(h), h.nlmsg_len - sizeof(h));
		size = ((size_t)h.nlmsg_len + 3) & ~(size_t)3;
		size = size < n ? size : n;
	}
}
