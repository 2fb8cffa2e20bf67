/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net_attach.h"

#include <linux/if_link.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "kernel/abi.h"
#include "kernel/bpf.h"

int xdp_set(struct nl *s, uint32_t ifindex, int prog_fd, uint32_t flags, int expected_fd, char text[NL_TEXT])
{
	struct ifinfomsg head = { .ifi_family = AF_UNSPEC, .ifi_index = (int)ifindex };
	struct nl_req r;
	size_t nest;

	nl_req_init(&r, RTM_SETLINK, NLM_F_ACK, &head, sizeof(head));
	nest = nl_req_nest(&r, IFLA_XDP);
	nl_req_put(&r, IFLA_XDP_FD, &prog_fd, sizeof(prog_fd));
	nl_req_put(&r, IFLA_XDP_FLAGS, &flags, sizeof(flags));
	if (expected_fd >= 0)
		nl_req_put(&r, IFLA_XDP_EXPECTED_FD, &expected_fd, sizeof(expected_fd));
	nl_req_end(&r, nest);
	return nl_ask(s, &r, text);
}

static void filter_head(struct nl_req *r, uint16_t type, uint16_t flags, const struct tc_filter *f, const char *kind)
{
	struct tcmsg head = {
		.tcm_family = AF_UNSPEC,
		.tcm_ifindex = (int)f->ifindex,
		.tcm_handle = f->handle,
		.tcm_parent = f->parent,
		.tcm_info = f->info,
	};

	nl_req_init(r, type, NLM_F_ACK | flags, &head, sizeof(head));
	nl_req_put(r, TCA_KIND, kind, strlen(kind) + 1);
	if (f->chain)
		nl_req_put(r, TCA_CHAIN, &f->chain, sizeof(f->chain));
}

int tc_filter_set(struct nl *s, const struct tc_filter *f, uint16_t flags, int prog_fd, const char *name,
		  char text[NL_TEXT])
{
	uint32_t direct = TCA_BPF_FLAG_ACT_DIRECT;
	struct nl_req r;
	size_t nest;

	filter_head(&r, RTM_NEWTFILTER, flags, f, "bpf");
	nest = nl_req_nest(&r, TCA_OPTIONS);
	nl_req_put(&r, TCA_BPF_FD, &prog_fd, sizeof(prog_fd));
	nl_req_put(&r, TCA_BPF_NAME, name, strlen(name) + 1);
	nl_req_put(&r, TCA_BPF_FLAGS, &direct, sizeof(direct));
	nl_req_end(&r, nest);
	return nl_ask(s, &r, text);
}

int tc_filter_del(struct nl *s, const struct tc_filter *f, const char *kind, char text[NL_TEXT])
{
	struct nl_req r;

	filter_head(&r, RTM_DELTFILTER, 0, f, kind);
	return nl_ask(s, &r, text);
}

int tc_clsact_add(struct nl *s, uint32_t ifindex, char text[NL_TEXT])
{
	struct tc_filter f = { .ifindex = ifindex, .handle = TC_H_MAKE(TC_H_CLSACT, 0), .parent = TC_H_CLSACT };
	struct nl_req r;
	int err;

	filter_head(&r, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, &f, "clsact");
	err = nl_ask(s, &r, text);
	return err == -EEXIST ? 0 : err ? err : 1;
}

int netfilter_link(int prog_fd, uint32_t pf, uint32_t hook, int32_t prio, uint32_t flags)
{
	struct {
		uint32_t prog_fd, target, attach_type, flags, pf, hook;
		int32_t prio;
		uint32_t nf_flags;
	} attr = {
		.prog_fd = (uint32_t)prog_fd,
		.attach_type = ABI_ATTACH_NETFILTER,
		.pf = pf,
		.hook = hook,
		.prio = prio,
		.nf_flags = flags,
	};

	return sys_bpf(ABI_LINK_CREATE, (union bpf_attr *)&attr, sizeof(attr));
}
