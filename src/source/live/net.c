/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/live/net.h"
#include "source/questions.h"

#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/pkt_cls.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "kernel/names.h"
#include "host/netns.h"

/* The path of a namespace, as in the list. 0 or -errno. */
static int path_of(const struct str *list, uint64_t ino, char **ret)
{
	for (const char *p = list->p; p && *p; p = strchr(p, '\n') + 1) {
		const char *second = strchr(p, ' ');
		char *end;

		if (second && strtoull(second + 1, &end, 10) == ino && *end == ' ') {
			*ret = strndup(end + 1, strcspn(end + 1, "\n"));
			return *ret ? 0 : -ENOMEM;
		}
	}
	return -ENOENT;
}

int live_net_list(struct live_net *n, struct str *ret)
{
	int err;

	if (!n->list) {
		n->list = calloc(1, sizeof(*n->list));
		if (!n->list)
			return -ENOMEM;
	}
	str_reset(n->list);
	err = netns_collect(n->programs, n->list);
	if (!err)
		str_add(ret, n->list->p, n->list->n);
	return err;
}

static void drop(struct live_net *n)
{
	nl_close(&n->nl);
	if (n->ns != n->own)
		clean_fd(&n->ns);
	n->ns = -1;
}

void live_net_idle(struct live_net *n)
{
	drop(n);
}

#define LOOKS 3 /* at most so many lists for one namespace */

/* Through its path in the list; another one if who had that has gone, because others may still hold the namespace. */
static int open_listed(struct live_net *n, uint64_t ino)
{
	STR unused = { 0 };
	int ret = -ENOENT;

	for (unsigned i = 0; i < LOOKS && ret == -ENOENT; i++) {
		CLEAN_PTR char *path = NULL;
		int err = n->list && !i ? 0 : live_net_list(n, &unused);

		if (!err)
			err = path_of(n->list, ino, &path);
		if (err)
			return err;
		str_unescape(path);
		ret = netns_open(path, ino);
	}
	return ret;
}

/* Prepares to ask that namespace. */
static int use(struct live_net *n, uint64_t ino)
{
	int fd;

	if (n->own < 0) {
		fd = netns_open_own(&n->own_ino);
		if (fd < 0)
			return fd;
		n->own = fd;
	}
	if (n->ns >= 0 && n->ino == ino)
		return 0;
	drop(n);
	fd = ino == n->own_ino ? n->own : open_listed(n, ino);
	if (fd < 0)
		return fd;
	n->ns = fd;
	n->ino = ino;
	return 0;
}

static int enter(const struct live_net *n)
{
	return n->ns == n->own ? 0 : netns_enter(n->ns);
}

static void leave(const struct live_net *n)
{
	if (n->ns != n->own)
		netns_leave(n->own);
}

static int dump(struct live_net *n, struct nl_req *r, struct str *ret)
{
	char text[NL_TEXT];
	int err = n->nl.fd >= 0 ? 0 : enter(n);

	if (err)
		return err;
	if (n->nl.fd < 0) {
		err = nl_open(&n->nl);
		leave(n);
	}
	return err ? err : nl_dump(&n->nl, r, ret, text);
}

static int get_links(struct live_net *n, struct str *ret)
{
	struct ifinfomsg head = { .ifi_family = AF_UNSPEC };
	uint32_t mask = RTEXT_FILTER_SKIP_STATS;
	struct nl_req r;

	nl_req_init(&r, RTM_GETLINK, NLM_F_DUMP, &head, sizeof(head));
	nl_req_put(&r, IFLA_EXT_MASK, &mask, sizeof(mask));
	return dump(n, &r, ret);
}

/* Queueing disciplines of all devices; classes of a device; filters of one parent of a device. */
static int get_tc(struct live_net *n, uint16_t type, uint32_t ifindex, uint32_t parent, struct str *ret)
{
	struct tcmsg head = { .tcm_family = AF_UNSPEC, .tcm_ifindex = (int)ifindex, .tcm_parent = parent };
	struct nl_req r;

	nl_req_init(&r, type, NLM_F_DUMP, &head, sizeof(head));
	return dump(n, &r, ret);
}

static int get_actions(struct live_net *n, struct str *ret)
{
	struct tcamsg head = { .tca_family = AF_UNSPEC };
	struct nla_bitfield32 flags = { TCA_FLAG_LARGE_DUMP_ON, TCA_FLAG_LARGE_DUMP_ON };
	struct nl_req r;
	size_t all, one;

	nl_req_init(&r, RTM_GETACTION, NLM_F_DUMP, &head, sizeof(head));
	all = nl_req_nest(&r, TCA_ACT_TAB);
	one = nl_req_nest(&r, 1);
	nl_req_put(&r, TCA_ACT_KIND, "bpf", sizeof("bpf"));
	nl_req_end(&r, one);
	nl_req_end(&r, all);
	nl_req_put(&r, TCA_ROOT_FLAGS, &flags, sizeof(flags));
	return dump(n, &r, ret);
}

static int get_query(struct live_net *n, uint32_t ifindex, const char *name, struct str *ret)
{
	int type = names_value(&names_attach_type, name), err;
	uint32_t want = 1u << QUERY_PROG_FLAGS | 1u << QUERY_LINKS | 1u << QUERY_LINK_FLAGS;

	if (type < 0)
		return -ENODATA;
	if (!ifindex) {
		err = prog_query_ask(&n->room, (uint32_t)n->ns, (uint32_t)type, 0, 0, false, ret);
	} else {
		err = enter(n);
		if (err)
			return err;
		err = prog_query_ask(&n->room, ifindex, (uint32_t)type, 0, want, false, ret);
		leave(n);
	}
	/*
	 * The kernel is older than the hook; the device has gone or has no such hook; the device is the peer of a
	 * netkit pair.
	 */
	if (err == -EINVAL || err == -ENODEV || (err == -EACCES && str_starts(name, "netkit_")))
		return 0;
	return err;
}

static int net_get(struct live_net *n, const struct asked *q, struct str *ret)
{
	if (q->index > INT32_MAX || q->sub > UINT32_MAX)
		return -ENODATA;
	switch (q->q) {
	case Q_NET_LINKS:
		return get_links(n, ret);
	case Q_NET_QDISCS:
		return get_tc(n, RTM_GETQDISC, 0, 0, ret);
	case Q_NET_ACTIONS:
		return get_actions(n, ret);
	case Q_NET_CLASSES:
		return get_tc(n, RTM_GETTCLASS, (uint32_t)q->index, 0, ret);
	case Q_NET_FILTERS:
		return get_tc(n, RTM_GETTFILTER, (uint32_t)q->index, (uint32_t)q->sub, ret);
	case Q_NET_QUERY:
		return get_query(n, (uint32_t)q->index, q->text, ret);
	default:
		return -ENODATA;
	}
}

int live_net_get(struct live_net *n, const struct asked *q, struct str *ret)
{
	int err = use(n, q->id);

	return err ? err : net_get(n, q, ret);
}

int live_net_open(struct live_net *n, uint64_t ino)
{
	int err = use(n, ino), fd = err ? -1 : fcntl(n->ns, F_DUPFD_CLOEXEC, 0);

	return err ? err : fd < 0 ? -errno : fd;
}

void live_net_release(struct live_net *n)
{
	drop(n);
	clean_fd(&n->own);
	n->own = -1;
	prog_query_release(&n->room);
	if (n->list)
		str_release(n->list);
	free(n->list);
	n->list = NULL;
}
