/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks, and programs that are attached to them without links. */
#include <fcntl.h>
#include "fake.h"
#include "host/caps.h"

#define POINTER(v) ((void *)(uintptr_t)(v))
#define NETNS 1 /* there is one */

bool hook_is_cgroup(uint32_t attach_type)
{
	switch (attach_type) {
	case BPF_CGROUP_INET_INGRESS ... BPF_CGROUP_SOCK_OPS:
	case BPF_CGROUP_DEVICE:
	case BPF_CGROUP_INET4_BIND ... BPF_CGROUP_UDP6_SENDMSG:
	case BPF_CGROUP_SYSCTL ... BPF_CGROUP_SETSOCKOPT:
	case BPF_CGROUP_INET4_GETPEERNAME ... BPF_CGROUP_INET6_GETSOCKNAME:
	case BPF_CGROUP_INET_SOCK_RELEASE:
		return true;
	default:
		return attach_type >= 49 && attach_type <= 53; /* unix sockets, 6.7 */
	}
}

static bool is_mprog(uint32_t attach_type)
{
	return attach_type == ABI_ATTACH_TCX_INGRESS || attach_type == ABI_ATTACH_TCX_EGRESS ||
	       attach_type == ABI_ATTACH_NETKIT_PRIMARY || attach_type == ABI_ATTACH_NETKIT_PEER;
}

static bool is_device(uint32_t ifindex)
{
	return ifindex == 1 || ifindex == 2;
}

/* Where a hook is: the number of the cgroup, device, map or namespace. */
int hook_target_of(uint32_t attach_type, uint32_t target, uint64_t *ret)
{
	const struct object *map;
	int err;

	if (hook_is_cgroup(attach_type)) {
		*ret = fake_cgroup((int)target);
		return *ret ? 0 : -EBADF;
	}
	if (is_mprog(attach_type) || attach_type == ABI_ATTACH_XDP) {
		*ret = target;
		return is_device(target) ? 0 : -ENODEV;
	}
	if (attach_type == ABI_ATTACH_FLOW_DISSECTOR || attach_type == ABI_ATTACH_SK_LOOKUP) {
		*ret = NETNS;
		return 0;
	}
	map = object_of((int)target, OBJECT_MAP, &err);
	*ret = map ? map->id : 0;
	return map ? 0 : err;
}

static int by_order(const void *a, const void *b)
{
	const double x = ((const struct hook_prog_at *)a)->order, y = ((const struct hook_prog_at *)b)->order;

	return (x > y) - (x < y);
}

uint32_t hook_list(uint32_t attach_type, uint64_t target, struct hook_prog_at ret[HOOK_PROGS])
{
	uint32_t n = 0;

	object_collect();
	for (size_t i = 0; i < ARRAY_SIZE(kernel->attached); i++) {
		const struct attached *a = &kernel->attached[i];

		if (a->used && a->attach_type == attach_type && a->target == target)
			ret[n++] = (struct hook_prog_at){ kernel->objects[a->prog].id, a->flags, 0, a->order };
	}
	for (int i = 0; i < OBJECTS; i++) {
		const struct object *o = &kernel->objects[i];

		if (o->used && o->kind == OBJECT_LINK && o->attach_type == attach_type && o->target == target &&
		    n < HOOK_PROGS)
			ret[n++] = (struct hook_prog_at){ o->info.link.prog_id, o->flags, o->id, o->order };
	}
	qsort(ret, n, sizeof(*ret), by_order);
	return n;
}

/* The program or link that another one is to run before or after; @n: there is none. */
static uint32_t relative_to(const struct hook_prog_at *at, uint32_t n, const struct abi_prog_attach *how)
{
	const bool link = how->flags & ABI_ATTACH_LINK;
	const struct object *o = NULL;
	uint32_t id = how->relative, i = 0;
	int err;

	if (!(how->flags & ABI_ATTACH_ID)) {
		o = object_of((int)how->relative, link ? OBJECT_LINK : OBJECT_PROG, &err);
		id = o ? o->id : 0;
	}
	while (i < n && (link ? at[i].link_id : at[i].id) != id)
		i++;
	return i;
}

/* kernel/bpf/mprog.c */
int hook_order(uint32_t attach_type, uint64_t target, const struct abi_prog_attach *how, double *ret)
{
	struct hook_prog_at at[HOOK_PROGS];
	const uint32_t n = hook_list(attach_type, target, at);
	uint32_t i = relative_to(at, n, how);

	if (how->revision && how->revision != kernel->revision)
		return -ESTALE;
	if (how->relative && i == n)
		return -ENOENT;
	if (!how->relative)
		i = how->flags & ABI_ATTACH_BEFORE ? 0 : n;
	else if (how->flags & ABI_ATTACH_AFTER)
		i++;
	*ret = !n ? 0 : !i ? at[0].order - 1 : i == n ? at[n - 1].order + 1 : (at[i - 1].order + at[i].order) / 2;
	return 0;
}

static struct attached *attached_find(uint32_t attach_type, uint64_t target, const struct object *prog)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernel->attached); i++) {
		struct attached *a = &kernel->attached[i];

		if (a->used && a->attach_type == attach_type && a->target == target &&
		    (!prog || &kernel->objects[a->prog] == prog))
			return a;
	}
	return NULL;
}

static int attached_add(uint32_t attach_type, uint64_t target, const struct object *prog, uint32_t flags, double order)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernel->attached); i++)
		if (!kernel->attached[i].used) {
			kernel->attached[i] =
				(struct attached){ true, (uint32_t)(prog - kernel->objects), attach_type, flags, target,
						   order };
			kernel->revision++;
			return 0;
		}
	return -ENOMEM;
}

/* Must a program have been loaded for that attach type? Those of type cgroup_skb only if they return more than 0 and 1.
 */
int hook_fits(const struct object *prog, uint32_t attach_type)
{
	return prog->attach_type && prog->attach_type != attach_type && prog->info.prog.type != ABI_PROG_CGROUP_SKB ?
		       -EINVAL :
		       0;
}

static double last(uint32_t attach_type, uint64_t target)
{
	struct hook_prog_at at[HOOK_PROGS];
	const uint32_t n = hook_list(attach_type, target, at);

	return n ? at[n - 1].order + 1 : 0;
}

/* __cgroup_bpf_attach(): programs of a hook have the same flags; without MULTI there is one. */
static int cgroup_attach(const struct abi_prog_attach *a, const struct object *prog, uint64_t target)
{
	const uint32_t flags = a->flags & (ABI_ATTACH_OVERRIDE | ABI_ATTACH_MULTI);
	struct attached *one = attached_find(a->attach_type, target, NULL),
			*same = attached_find(a->attach_type, target, prog);
	const struct object *old;
	struct hook_prog_at at[HOOK_PROGS];
	int err;

	if ((a->flags & ABI_ATTACH_OVERRIDE && a->flags & ABI_ATTACH_MULTI) ||
	    (a->flags & ABI_ATTACH_REPLACE && !(a->flags & ABI_ATTACH_MULTI)))
		return -EINVAL;
	if (hook_list(a->attach_type, target, at) && at[0].flags != flags)
		return -EPERM;
	if (flags & ABI_ATTACH_MULTI) {
		if (same)
			return -EINVAL;
		if (!(a->flags & ABI_ATTACH_REPLACE))
			return attached_add(a->attach_type, target, prog, flags, last(a->attach_type, target));
		old = object_of((int)a->replace_fd, OBJECT_PROG, &err);
		one = old ? attached_find(a->attach_type, target, old) : NULL;
		if (!one)
			return old ? -ENOENT : err;
	}
	if (!one)
		return attached_add(a->attach_type, target, prog, flags, last(a->attach_type, target));
	one->prog = (uint32_t)(prog - kernel->objects);
	return 0;
}

static int attach(const union bpf_attr *attr)
{
	struct abi_prog_attach a;
	const struct object *prog;
	uint64_t target;
	double order;
	int err;

	memcpy(&a, attr, sizeof(a));
	prog = object_of((int)a.prog_fd, OBJECT_PROG, &err);
	if (!prog)
		return err;
	err = hook_fits(prog, a.attach_type);
	err = err ? err : hook_target_of(a.attach_type, a.target, &target);
	if (err)
		return err;
	if (hook_is_cgroup(a.attach_type))
		return cgroup_attach(&a, prog, target);
	if (is_mprog(a.attach_type)) {
		if (attached_find(a.attach_type, target, prog))
			return -EEXIST;
		err = hook_order(a.attach_type, target, &a, &order);
		return err ? err : attached_add(a.attach_type, target, prog, 0, order);
	}
	/* A map of sockets and a namespace have one program for each attach type. */
	if (attached_find(a.attach_type, target, NULL))
		attached_find(a.attach_type, target, NULL)->used = false;
	return attached_add(a.attach_type, target, prog, 0, 0);
}

static int detach(const union bpf_attr *attr)
{
	struct abi_prog_attach a;
	struct attached *one;
	const struct object *prog;
	uint64_t target;
	int err;

	memcpy(&a, attr, sizeof(a));
	prog = object_of((int)a.prog_fd, OBJECT_PROG, &err);
	err = hook_target_of(a.attach_type, a.target, &target);
	if (err)
		return err;
	if (!prog && !hook_is_cgroup(a.attach_type))
		return -EINVAL;
	one = attached_find(a.attach_type, target, prog);
	if (!one)
		return -ENOENT;
	one->used = false;
	kernel->revision++;
	return 0;
}

/* The programs of a cgroup and of those above it, as in compute_effective_progs(). */
static uint32_t effective(uint32_t attach_type, uint64_t target, struct hook_prog_at ret[HOOK_PROGS])
{
	char path[256];
	uint32_t n = hook_list(attach_type, target, ret), more;

	snprintf(path, sizeof(path), "%s", kernel->cgroup[target - 1]);
	while (strrchr(path, '/') > path + strlen("/sys/fs/cgroup") - 1) {
		CLEAN_FD fd = -1;

		*strrchr(path, '/') = '\0';
		fd = open(path, O_PATH | O_CLOEXEC);
		more = hook_list(attach_type, fake_cgroup(fd), ret + n);
		n += !n || (more && ret[n].flags & ABI_ATTACH_MULTI) ? more : 0;
	}
	return n;
}

static int query(union bpf_attr *attr)
{
	struct abi_prog_query q;
	struct hook_prog_at at[4 * HOOK_PROGS];
	uint64_t target;
	uint32_t n;
	int err;

	memcpy(&q, attr, sizeof(q));
	err = hook_target_of(q.attach_type, q.target, &target);
	if (err)
		return err;
	n = q.query_flags & ABI_QUERY_EFFECTIVE ? effective(q.attach_type, target, at) :
						  hook_list(q.attach_type, target, at);
	q.attach_flags = n && hook_is_cgroup(q.attach_type) && !(q.query_flags & ABI_QUERY_EFFECTIVE) ? at[0].flags : 0;
	for (uint32_t i = 0; i < n && i < q.count; i++) {
		if (q.prog_ids)
			((uint32_t *)POINTER(q.prog_ids))[i] = at[i].id;
		if (q.link_ids && is_mprog(q.attach_type))
			((uint32_t *)POINTER(q.link_ids))[i] = at[i].link_id;
	}
	err = q.prog_ids && q.count && q.count < n ? -ENOSPC : 0;
	q.count = n;
	q.revision = is_mprog(q.attach_type) ? kernel->revision : 0;
	memcpy(attr, &q, sizeof(q));
	return err;
}

uint32_t device_xdp(uint32_t ifindex, uint32_t *flags)
{
	struct hook_prog_at at[HOOK_PROGS];

	if (!hook_list(ABI_ATTACH_XDP, ifindex, at))
		return 0;
	*flags = at[0].link_id ? at[0].flags | FAKE_BY_LINK : at[0].flags;
	return at[0].id;
}

void device_xdp_set(uint32_t ifindex, const struct object *prog, uint32_t flags)
{
	struct attached *old = attached_find(ABI_ATTACH_XDP, ifindex, NULL);

	if (old)
		old->used = false;
	if (prog)
		attached_add(ABI_ATTACH_XDP, ifindex, prog, flags, 0);
}

/* A mount of bpffs that delegates rights is called so. */
static int token_create(const union bpf_attr *attr)
{
	int bpffs;
	char path[256];

	memcpy(&bpffs, (const char *)attr + sizeof(uint32_t), sizeof(bpffs)); /* token_create.bpffs_fd */
	if (!caps_in_user_namespace())
		return -EOPNOTSUPP;
	if (!fake_path_of(bpffs, path, sizeof(path)) || !strstr(path, "delegated"))
		return -ENOENT;
	return real_open("/dev/null", O_RDONLY | O_CLOEXEC, 0);
}

int attach_command(unsigned cmd, union bpf_attr *attr)
{
	switch (cmd) {
	case ABI_PROG_ATTACH:
		return attach(attr);
	case ABI_PROG_DETACH:
		return detach(attr);
	case ABI_PROG_QUERY:
		return query(attr);
	case BPF_ENABLE_STATS:
		return real_open("/dev/null", O_RDONLY | O_CLOEXEC, 0);
	case BPF_TASK_FD_QUERY:
		return attr->task_fd_query.pid == (uint32_t)getpid() ? -ENOTSUPP : -ENOENT; /* not a perf event */
	case ABI_TOKEN_CREATE:
		return token_create(attr);
	default:
		return -ENOSYS;
	}
}
