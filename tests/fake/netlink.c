/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rtnetlink of a namespace with the devices lo and eth0, as far as BPF needs it (net/core/rtnetlink.c, dev.c,
 * net/sched/cls_api.c, sch_api.c): eth0 runs XDP in its driver, lo only in the stack.
 */
#include <linux/if_link.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "fake.h"

#define SOCKETS 64
#define ALIGN4(n) (((n) + 3) & ~3u)

static struct {
	int fd, peer; /* what is written to the peer can be read from the socket */
} sockets[SOCKETS];

struct reply {
	_Alignas(4) unsigned char buf[4096];
	uint32_t n, seq;
};

static void *reply_add(struct reply *r, const void *p, size_t n)
{
	void *at = r->buf + r->n;

	if (r->n + ALIGN4(n) > sizeof(r->buf))
		FAKE_ABORT();
	memcpy(at, p, n);
	memset((unsigned char *)at + n, 0, ALIGN4(n) - n);
	r->n += ALIGN4((uint32_t)n);
	return at;
}

static struct nlmsghdr *begin(struct reply *r, uint16_t type, uint16_t flags, const void *head, size_t n)
{
	struct nlmsghdr *h = reply_add(
		r, &(struct nlmsghdr){ .nlmsg_type = type, .nlmsg_flags = flags, .nlmsg_seq = r->seq }, sizeof(*h));

	reply_add(r, head, n);
	return h;
}

static void end(struct reply *r, struct nlmsghdr *h)
{
	h->nlmsg_len = (uint32_t)(r->buf + r->n - (unsigned char *)h);
}

static struct nlattr *attr_begin(struct reply *r, uint16_t type)
{
	return reply_add(r, &(struct nlattr){ sizeof(struct nlattr), type }, sizeof(struct nlattr));
}

static void attr_end(struct reply *r, struct nlattr *a)
{
	a->nla_len = (uint16_t)(r->buf + r->n - (unsigned char *)a);
}

static void put(struct reply *r, uint16_t type, const void *p, size_t n)
{
	struct nlattr *a = attr_begin(r, type);

	a->nla_len = (uint16_t)(sizeof(*a) + n);
	reply_add(r, p, n);
}

/* The attribute of that type in @n bytes; NULL: there is none. */
static const void *get(const void *p, size_t n, uint16_t type)
{
	const unsigned char *at = p;
	struct nlattr a;

	while (n >= sizeof(a)) {
		memcpy(&a, at, sizeof(a));
		if ((a.nla_type & NLA_TYPE_MASK) == type)
			return at + sizeof(a);
		if (a.nla_len < sizeof(a) || ALIGN4(a.nla_len) > n)
			break;
		at += ALIGN4(a.nla_len);
		n -= ALIGN4(a.nla_len);
	}
	return NULL;
}

static uint32_t number(const void *p, uint32_t none)
{
	uint32_t ret = none;

	if (p)
		memcpy(&ret, p, sizeof(ret));
	return ret;
}

static size_t length(const void *p)
{
	struct nlattr a;

	memcpy(&a, (const char *)p - sizeof(a), sizeof(a));
	return a.nla_len - sizeof(a);
}

static void links(struct reply *r)
{
	for (uint32_t i = 1; i <= 2; i++) {
		struct nlmsghdr *h = begin(r, RTM_NEWLINK, NLM_F_MULTI, &(struct ifinfomsg){ .ifi_index = (int)i },
					   sizeof(struct ifinfomsg));
		struct nlattr *xdp;
		uint32_t flags, id = device_xdp(i, &flags);
		uint8_t mode = !id			  ? XDP_ATTACHED_NONE :
			       flags & XDP_FLAGS_SKB_MODE ? XDP_ATTACHED_SKB :
							    XDP_ATTACHED_DRV;

		put(r, IFLA_IFNAME, i == 1 ? "lo" : "eth0", i == 1 ? 3 : 5);
		xdp = attr_begin(r, IFLA_XDP);
		put(r, IFLA_XDP_ATTACHED, &mode, sizeof(mode));
		if (id) {
			put(r, IFLA_XDP_PROG_ID, &id, sizeof(id));
			put(r, mode == XDP_ATTACHED_SKB ? IFLA_XDP_SKB_PROG_ID : IFLA_XDP_DRV_PROG_ID, &id, sizeof(id));
		}
		attr_end(r, xdp);
		end(r, h);
	}
}

/* dev_xdp_attach() */
static int set_xdp(uint32_t ifindex, const void *p, const char **text)
{
	const size_t n = length(p);
	const int fd = (int)number(get(p, n, IFLA_XDP_FD), UINT32_MAX);
	const uint32_t flags = number(get(p, n, IFLA_XDP_FLAGS), 0);
	const void *expected = get(p, n, IFLA_XDP_EXPECTED_FD);
	uint32_t modes = flags & XDP_FLAGS_MODES ?: ifindex == 1 ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE, now;
	const uint32_t id = device_xdp(ifindex, &now);
	const struct object *prog = NULL, *old;
	int err = 0;

	if (id && now & FAKE_BY_LINK)
		return *text = "Can't replace active BPF XDP link", -EBUSY;
	if (fd >= 0 && !(prog = object_of(fd, OBJECT_PROG, &err)))
		return err;
	if (flags & XDP_FLAGS_REPLACE) {
		old = object_of((int)number(expected, 0), OBJECT_PROG, &err);
		if (!old || old->id != id)
			return *text = "Active program does not match expected", -EEXIST;
	}
	if (fd >= 0 && id && !(now & modes))
		return *text = "Native and generic XDP can't be active at the same time", -EEXIST;
	if (flags & XDP_FLAGS_UPDATE_IF_NOEXIST && id)
		return *text = "XDP program already attached", -EBUSY;
	if (modes & XDP_FLAGS_HW_MODE || (modes & XDP_FLAGS_DRV_MODE && ifindex == 1))
		return *text = "Underlying driver does not support XDP in native mode", -EOPNOTSUPP;
	if (!id || fd >= 0 || now & modes)
		device_xdp_set(ifindex, prog, modes);
	return 0;
}

static void qdisc(struct reply *r, uint32_t ifindex, uint32_t handle, uint32_t parent, const char *kind)
{
	struct tcmsg t = { .tcm_ifindex = (int)ifindex, .tcm_handle = handle, .tcm_parent = parent };
	struct nlmsghdr *h = begin(r, RTM_NEWQDISC, NLM_F_MULTI, &t, sizeof(t));

	put(r, TCA_KIND, kind, strlen(kind) + 1);
	end(r, h);
}

static void qdiscs(struct reply *r)
{
	for (uint32_t i = 1; i <= 2; i++) {
		qdisc(r, i, 0, TC_H_ROOT, "noqueue");
		if (kernel->clsact[i])
			qdisc(r, i, TC_H_MAKE(TC_H_CLSACT, 0), TC_H_CLSACT, "clsact");
	}
}

static void filters(struct reply *r, const struct tcmsg *of)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernel->filter); i++) {
		const struct filter *f = &kernel->filter[i];
		struct tcmsg t = { .tcm_ifindex = (int)f->ifindex,
				   .tcm_handle = f->handle,
				   .tcm_parent = f->parent,
				   .tcm_info = f->info };
		const struct object *prog = &kernel->objects[f->prog];
		struct nlmsghdr *h;
		struct nlattr *o;

		if (!f->used || f->ifindex != (uint32_t)of->tcm_ifindex || f->parent != of->tcm_parent)
			continue;
		h = begin(r, RTM_NEWTFILTER, NLM_F_MULTI, &t, sizeof(t));
		put(r, TCA_KIND, "bpf", 4);
		o = attr_begin(r, TCA_OPTIONS);
		put(r, TCA_BPF_NAME, f->name, strlen(f->name) + 1);
		put(r, TCA_BPF_FLAGS, &f->flags, sizeof(f->flags));
		put(r, TCA_BPF_TAG, prog->info.prog.tag, 8);
		put(r, TCA_BPF_ID, &prog->id, sizeof(prog->id));
		attr_end(r, o);
		end(r, h);
	}
}

static struct filter *filter_find(const struct tcmsg *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernel->filter); i++) {
		struct filter *f = &kernel->filter[i];

		if (f->used && f->ifindex == (uint32_t)t->tcm_ifindex && f->parent == t->tcm_parent &&
		    f->handle == t->tcm_handle && f->info >> 16 == t->tcm_info >> 16)
			return f;
	}
	return NULL;
}

/* tc_new_tfilter(): without a priority, the next one below those that the kernel chose. */
static int filter_new(struct tcmsg t, const void *p, size_t n, const char **text)
{
	const void *o = get(p, n, TCA_OPTIONS);
	const struct object *prog;
	uint32_t prio = 0xc000;
	struct filter *f = NULL;
	int err;

	if (!kernel->clsact[t.tcm_ifindex])
		return *text = "Parent Qdisc doesn't exists", -EINVAL;
	prog = object_of((int)number(get(o, length(o), TCA_BPF_FD), UINT32_MAX), OBJECT_PROG, &err);
	if (!prog)
		return err;
	t.tcm_handle = t.tcm_handle ?: 1;
	for (size_t i = 0; i < ARRAY_SIZE(kernel->filter); i++) {
		if (!kernel->filter[i].used)
			f = f ?: &kernel->filter[i];
		else if (kernel->filter[i].info >> 16 <= prio && kernel->filter[i].ifindex == (uint32_t)t.tcm_ifindex &&
			 kernel->filter[i].parent == t.tcm_parent)
			prio = (kernel->filter[i].info >> 16) - 1;
	}
	if (!(t.tcm_info >> 16))
		t.tcm_info |= prio << 16;
	else if (filter_find(&t))
		return *text = "Filter already exists", -EEXIST;
	*f = (struct filter){ true,
			      (uint32_t)t.tcm_ifindex,
			      t.tcm_parent,
			      t.tcm_handle,
			      t.tcm_info,
			      number(get(o, length(o), TCA_BPF_FLAGS), 0),
			      (uint32_t)(prog - kernel->objects),
			      "" };
	snprintf(f->name, sizeof(f->name), "%s", (const char *)get(o, length(o), TCA_BPF_NAME));
	return 0;
}

static int change(uint16_t type, const void *head, const void *p, size_t n, const char **text)
{
	const struct ifinfomsg *link = head;
	const struct tcmsg *t = head;
	struct filter *f;

	if (type == RTM_SETLINK)
		return set_xdp((uint32_t)link->ifi_index, get(p, n, IFLA_XDP), text);
	if (t->tcm_ifindex < 1 || t->tcm_ifindex > 2)
		return *text = "Cannot find device", -ENODEV;
	if (type == RTM_NEWQDISC) {
		if (kernel->clsact[t->tcm_ifindex])
			return *text = "Exclusivity flag on, cannot modify", -EEXIST;
		kernel->clsact[t->tcm_ifindex] = true;
		return 0;
	}
	if (type == RTM_NEWTFILTER)
		return filter_new(*t, p, n, text);
	f = filter_find(t);
	if (!f)
		return *text = "Specified filter handle not found", -ENOENT;
	f->used = false;
	return 0;
}

static void acknowledge(struct reply *r, const struct nlmsghdr *ask, int err, const char *text)
{
	struct nlmsgerr e = { err, *ask };
	struct nlmsghdr *h = begin(r, NLMSG_ERROR, NLM_F_CAPPED | (text ? NLM_F_ACK_TLVS : 0), &e, sizeof(e));

	if (text)
		put(r, NLMSGERR_ATTR_MSG, text, strlen(text) + 1);
	end(r, h);
}

static void answer(int peer, const struct nlmsghdr *ask)
{
	const unsigned char *head = (const unsigned char *)ask + sizeof(*ask);
	const size_t size = ask->nlmsg_type <= RTM_SETLINK ? sizeof(struct ifinfomsg) : sizeof(struct tcmsg);
	struct reply r = { .seq = ask->nlmsg_seq };
	const char *text = NULL;
	int err = 0;

	object_collect();
	switch (ask->nlmsg_type) {
	case RTM_GETLINK:
		links(&r);
		break;
	case RTM_GETQDISC:
		qdiscs(&r);
		break;
	case RTM_GETTFILTER:
		filters(&r, (const void *)head);
		break;
	case RTM_GETTCLASS:
	case RTM_GETACTION:
		break;
	default:
		err = change(ask->nlmsg_type, head, head + size, ask->nlmsg_len - sizeof(*ask) - size, &text);
		acknowledge(&r, ask, err, text);
	}
	if (ask->nlmsg_flags & NLM_F_DUMP)
		end(&r, begin(&r, NLMSG_DONE, NLM_F_MULTI, &err, sizeof(err)));
	if (write(peer, r.buf, r.n) != (ssize_t)r.n)
		FAKE_ABORT();
}

int socket(int domain, int type, int protocol)
{
	int pair[2];

	if (domain != AF_NETLINK)
		return (int)real_syscall(SYS_socket, domain, type, protocol);
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) || pair[0] >= SOCKETS)
		return -1;
	for (int i = 0; i < SOCKETS; i++)
		if (!sockets[i].peer || sockets[i].fd == pair[0]) {
			sockets[i].fd = pair[0];
			sockets[i].peer = pair[1];
			break;
		}
	return pair[0];
}

ssize_t sendto(int fd, const void *p, size_t n, int flags, const struct sockaddr *to, socklen_t len)
{
	for (int i = 0; i < SOCKETS; i++)
		if (sockets[i].peer && sockets[i].fd == fd) {
			answer(sockets[i].peer, p);
			return (ssize_t)n;
		}
	return real_syscall(SYS_sendto, fd, p, n, flags, to, len);
}

ssize_t recvfrom(int fd, void *p, size_t n, int flags, struct sockaddr *from, socklen_t *len)
{
	ssize_t ret = recv(fd, p, n, flags);

	if (from && len && *len >= sizeof(struct sockaddr_nl)) {
		memcpy(from, &(struct sockaddr_nl){ .nl_family = AF_NETLINK }, sizeof(struct sockaddr_nl));
		*len = sizeof(struct sockaddr_nl);
	}
	return ret;
}

unsigned if_nametoindex(const char *name)
{
	return !strcmp(name, "lo") ? 1 : !strcmp(name, "eth0") ? 2 : (errno = ENODEV, 0);
}

struct if_nameindex *if_nameindex(void)
{
	static struct if_nameindex all[] = { { 1, "lo" }, { 2, "eth0" }, { 0, NULL } };

	return all;
}

void if_freenameindex(struct if_nameindex *all)
{
}
