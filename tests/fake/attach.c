/* SPDX-License-Identifier: BSD-2-Clause */
/* Where programs are attached: with links, or without to cgroups, devices (tcx), maps of sockets, and the namespace. */
#include <fcntl.h>
#include <linux/if_link.h>
#include "fake.h"

#define POINTER(v) ((void *)(uintptr_t)(v))
#define NETNS 1 /* there is one */
#define PROGS 64

static bool is_cgroup(uint32_t attach_type)
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
static int target_of(uint32_t attach_type, uint32_t target, uint64_t *ret)
{
	const struct object *map;
	int err;

	if (is_cgroup(attach_type)) {
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

/* Programs at one hook: @of 0 or more of attached, then of links. */
struct at {
	uint32_t id, flags, link_id;
};

static uint32_t list(uint32_t attach_type, uint64_t target, struct at ret[PROGS])
{
	uint32_t n = 0;

	object_collect();
	for (size_t i = 0; i < ARRAY_SIZE(kernel->attached); i++) {
		const struct attached *a = &kernel->attached[i];

		if (a->used && a->attach_type == attach_type && a->target == target)
			ret[n++] = (struct at){ kernel->objects[a->prog].id, a->flags, 0 };
	}
	for (int i = 0; i < OBJECTS; i++) {
		const struct object *o = &kernel->objects[i];

		if (o->used && o->kind == OBJECT_LINK && o->attach_type == attach_type && o->target == target &&
		    n < PROGS)
			ret[n++] = (struct at){ o->info.link.prog_id, o->flags, o->id };
	}
	return n;
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

static int attached_add(uint32_t attach_type, uint64_t target, const struct object *prog, uint32_t flags)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernel->attached); i++)
		if (!kernel->attached[i].used) {
			kernel->attached[i] = (struct attached){ true, (uint32_t)(prog - kernel->objects), attach_type,
								 flags, target };
			kernel->revision++;
			return 0;
		}
	return -ENOMEM;
}

/* Must a program have been loaded for that attach type? */
static int fits(const struct object *prog, uint32_t attach_type)
{
	return prog->attach_type && prog->attach_type != attach_type ? -EINVAL : 0;
}

/* __cgroup_bpf_attach(): programs of a hook have the same flags; without MULTI there is one. */
static int cgroup_attach(const struct abi_prog_attach *a, const struct object *prog, uint64_t target)
{
	const uint32_t flags = a->flags & (ABI_ATTACH_OVERRIDE | ABI_ATTACH_MULTI);
	struct attached *one = attached_find(a->attach_type, target, NULL),
			*same = attached_find(a->attach_type, target, prog);
	const struct object *old;
	struct at at[PROGS];
	int err;

	if ((a->flags & ABI_ATTACH_OVERRIDE && a->flags & ABI_ATTACH_MULTI) ||
	    (a->flags & ABI_ATTACH_REPLACE && !(a->flags & ABI_ATTACH_MULTI)))
		return -EINVAL;
	if (list(a->attach_type, target, at) && at[0].flags != flags)
		return -EPERM;
	if (flags & ABI_ATTACH_MULTI) {
		if (same)
			return -EINVAL;
		if (!(a->flags & ABI_ATTACH_REPLACE))
			return attached_add(a->attach_type, target, prog, flags);
		old = object_of((int)a->replace_fd, OBJECT_PROG, &err);
		one = old ? attached_find(a->attach_type, target, old) : NULL;
		if (!one)
			return old ? -ENOENT : err;
	}
	if (!one)
		return attached_add(a->attach_type, target, prog, flags);
	one->prog = (uint32_t)(prog - kernel->objects);
	return 0;
}

static int attach(const union bpf_attr *attr)
{
	struct abi_prog_attach a;
	const struct object *prog;
	uint64_t target;
	int err;

	memcpy(&a, attr, sizeof(a));
	prog = object_of((int)a.prog_fd, OBJECT_PROG, &err);
	if (!prog)
		return err;
	err = fits(prog, a.attach_type);
	err = err ? err : target_of(a.attach_type, a.target, &target);
	if (err)
		return err;
	if (is_cgroup(a.attach_type))
		return cgroup_attach(&a, prog, target);
	if (is_mprog(a.attach_type)) {
		if (attached_find(a.attach_type, target, prog))
			return -EEXIST;
		return attached_add(a.attach_type, target, prog, 0);
	}
	if (a.attach_type == ABI_ATTACH_FLOW_DISSECTOR && attached_find(a.attach_type, target, NULL))
		attached_find(a.attach_type, target, NULL)->used = false;
	return attached_add(a.attach_type, target, prog, 0);
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
	err = target_of(a.attach_type, a.target, &target);
	if (err)
		return err;
	if (!prog && !is_cgroup(a.attach_type))
		return -EINVAL;
	one = attached_find(a.attach_type, target, prog);
	if (!one)
		return -ENOENT;
	one->used = false;
	kernel->revision++;
	return 0;
}

/* The programs of a cgroup and of those above it, as in compute_effective_progs(). */
static uint32_t effective(uint32_t attach_type, uint64_t target, struct at ret[PROGS])
{
	char path[256];
	uint32_t n = list(attach_type, target, ret), more;

	snprintf(path, sizeof(path), "%s", kernel->cgroup[target - 1]);
	while (strrchr(path, '/') > path + strlen("/sys/fs/cgroup") - 1) {
		CLEAN_FD fd = -1;

		*strrchr(path, '/') = '\0';
		fd = open(path, O_PATH | O_CLOEXEC);
		more = list(attach_type, fake_cgroup(fd), ret + n);
		n += !n || (more && ret[n].flags & ABI_ATTACH_MULTI) ? more : 0;
	}
	return n;
}

static int query(union bpf_attr *attr)
{
	struct abi_prog_query q;
	struct at at[4 * PROGS];
	uint64_t target;
	uint32_t n;
	int err;

	memcpy(&q, attr, sizeof(q));
	err = target_of(q.attach_type, q.target, &target);
	if (err)
		return err;
	n = q.query_flags & ABI_QUERY_EFFECTIVE ? effective(q.attach_type, target, at) :
						  list(q.attach_type, target, at);
	q.attach_flags = n && is_cgroup(q.attach_type) && !(q.query_flags & ABI_QUERY_EFFECTIVE) ? at[0].flags : 0;
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
	struct at at[PROGS];

	if (!list(ABI_ATTACH_XDP, ifindex, at))
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
		attached_add(ABI_ATTACH_XDP, ifindex, prog, flags);
}

static uint32_t link_type_of(uint32_t attach_type)
{
	if (is_cgroup(attach_type))
		return ABI_LINK_CGROUP;
	switch (attach_type) {
	case ABI_ATTACH_FLOW_DISSECTOR:
	case ABI_ATTACH_SK_LOOKUP:
		return ABI_LINK_NETNS;
	case ABI_ATTACH_XDP:
		return ABI_LINK_XDP;
	case ABI_ATTACH_TCX_INGRESS:
	case ABI_ATTACH_TCX_EGRESS:
		return ABI_LINK_TCX;
	case ABI_ATTACH_NETKIT_PRIMARY:
	case ABI_ATTACH_NETKIT_PEER:
		return ABI_LINK_NETKIT;
	case ABI_ATTACH_NETFILTER:
		return ABI_LINK_NETFILTER;
	case BPF_PERF_EVENT:
		return ABI_LINK_PERF_EVENT;
	default:
		return 0;
	}
}

static int link_new(uint32_t type, const struct object *prog, struct object **ret)
{
	struct object *o;
	int err = object_new(OBJECT_LINK, &o);

	if (err)
		return err;
	o->info.link = (struct abi_link_info){ .type = type, .id = o->id, .prog_id = prog->id };
	o->info_len = sizeof(struct abi_link_info); /* 6.12 */
	object_hold(o, prog);
	*ret = o;
	return 0;
}

static uint32_t xdp_mode(const struct abi_link_create *a)
{
	return a->flags ?: a->target == 1 ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE;
}

static int link_create(const union bpf_attr *attr)
{
	struct abi_link_create a;
	const struct object *prog, *event = NULL;
	struct object *o;
	struct at at[PROGS];
	uint64_t target = 0;
	uint32_t type;
	int err;

	memcpy(&a, attr, sizeof(a));
	prog = object_of((int)a.prog_fd, OBJECT_PROG, &err);
	type = link_type_of(a.attach_type);
	if (!prog || !type)
		return err;
	err = fits(prog, a.attach_type);
	if (type == ABI_LINK_PERF_EVENT)
		event = object_of((int)a.target, OBJECT_PERF, &err);
	else if (type != ABI_LINK_NETFILTER && !err)
		err = target_of(a.attach_type, a.target, &target);
	if (err && !event)
		return err;
	if ((type == ABI_LINK_XDP || a.attach_type == ABI_ATTACH_FLOW_DISSECTOR) && list(a.attach_type, target, at))
		return type == ABI_LINK_XDP ? -EBUSY : -EEXIST;
	if (type == ABI_LINK_CGROUP && list(a.attach_type, target, at) && at[0].flags != ABI_ATTACH_MULTI)
		return -EPERM;
	err = link_new(type, prog, &o);
	if (err)
		return err;
	o->attach_type = a.attach_type;
	o->flags = type == ABI_LINK_CGROUP ? ABI_ATTACH_MULTI : type == ABI_LINK_XDP ? xdp_mode(&a) : 0;
	o->target = target;
	if (event) {
		object_hold(o, event);
		snprintf(o->name, sizeof(o->name), "%s", event->name);
		o->info.link.perf_event = event->info.link.perf_event;
	}
	if (type == ABI_LINK_NETFILTER)
		memcpy(&o->info.link.netfilter, (const char *)attr + 16, 16);
	kernel->revision++;
	return object_fd(o, O_RDWR);
}

static int raw_tracepoint(const union bpf_attr *attr)
{
	int err;
	const struct object *prog = object_of((int)attr->raw_tracepoint.prog_fd, OBJECT_PROG, &err);
	const char *name = POINTER(attr->raw_tracepoint.name);
	struct object *o;

	if (!prog)
		return err;
	if (!name != (prog->info.prog.type == ABI_PROG_TRACING || prog->info.prog.type == ABI_PROG_LSM))
		return -EINVAL;
	err = link_new(name ? ABI_LINK_RAW_TRACEPOINT : ABI_LINK_TRACING, prog, &o);
	if (err)
		return err;
	snprintf(o->name, sizeof(o->name), "%s", name ? name : "");
	o->attach_type = prog->attach_type;
	o->target = 1;
	return object_fd(o, O_RDWR);
}

/* -ENOSPC: the name is cut, as in bpf_copy_to_user(). */
static int name_out(const char *name, uint64_t to, uint32_t *len)
{
	uint32_t room = *len;

	if (!to != !room)
		return -EINVAL;
	*len = (uint32_t)strlen(name) + 1;
	if (!to)
		return 0;
	snprintf(POINTER(to), room, "%s", name);
	return room < *len ? -ENOSPC : 0;
}

int link_info(const struct object *o, struct abi_link_info *user)
{
	struct abi_link_info info = o->info.link;
	int err = 0;

	switch (info.type) {
	case ABI_LINK_CGROUP:
		info.cgroup.cgroup_id = o->target;
		info.cgroup.attach_type = o->attach_type;
		break;
	case ABI_LINK_NETNS:
		info.netns.netns_ino = o->target ? 4026531840u /* the size of proc/50/ns/net */ : 0;
		info.netns.attach_type = o->attach_type;
		break;
	case ABI_LINK_XDP:
		info.xdp.ifindex = (uint32_t)o->target;
		break;
	case ABI_LINK_TCX:
	case ABI_LINK_NETKIT:
		info.tcx.ifindex = (uint32_t)o->target;
		info.tcx.attach_type = o->attach_type;
		break;
	case ABI_LINK_TRACING:
		info.tracing.attach_type = o->attach_type;
		break;
	case ABI_LINK_RAW_TRACEPOINT:
		info.raw_tracepoint.tp_name = user->raw_tracepoint.tp_name;
		info.raw_tracepoint.tp_name_len = user->raw_tracepoint.tp_name_len;
		err = name_out(o->name, info.raw_tracepoint.tp_name, &info.raw_tracepoint.tp_name_len);
		break;
	case ABI_LINK_PERF_EVENT:
		info.perf_event.kprobe.func_name = user->perf_event.kprobe.func_name;
		info.perf_event.kprobe.name_len = user->perf_event.kprobe.name_len;
		err = name_out(o->name, info.perf_event.kprobe.func_name, &info.perf_event.kprobe.name_len);
		break;
	default:
		break;
	}
	*user = info;
	return err;
}

static bool can_change(const struct object *link)
{
	switch (link->info.link.type) {
	case ABI_LINK_CGROUP:
	case ABI_LINK_NETNS:
	case ABI_LINK_XDP:
	case ABI_LINK_TCX:
	case ABI_LINK_NETKIT:
		return true;
	default:
		return false;
	}
}

static int link_detach(const union bpf_attr *attr)
{
	int err;
	struct object *o = object_of((int)attr->link_detach.link_fd, OBJECT_LINK, &err);

	if (!o)
		return err;
	if (!can_change(o))
		return -EOPNOTSUPP;
	o->target = 0;
	kernel->revision++;
	return 0;
}

static int link_update(const union bpf_attr *attr)
{
	int err, unused;
	struct object *o = object_of((int)attr->link_update.link_fd, OBJECT_LINK, &err);
	struct object *prog = object_of((int)attr->link_update.new_prog_fd, OBJECT_PROG, &unused);
	const struct object *old;

	if (!o || !can_change(o))
		return o ? -EINVAL : err;
	if (!prog)
		return unused;
	old = object_by_id(OBJECT_PROG, o->info.link.prog_id);
	if (attr->link_update.flags & BPF_F_REPLACE &&
	    object_of((int)attr->link_update.old_prog_fd, OBJECT_PROG, &err) != old)
		return -EPERM;
	if (!o->target)
		return -ENOLINK;
	if (old->info.prog.type != prog->info.prog.type)
		return -EINVAL;
	o->nholds = 0;
	object_hold(o, prog);
	o->info.link.prog_id = prog->id;
	return 0;
}

int fake_perf_open(void *attr)
{
	return -ENOENT;
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
	case ABI_LINK_CREATE:
		return link_create(attr);
	case BPF_RAW_TRACEPOINT_OPEN:
		return raw_tracepoint(attr);
	case BPF_LINK_DETACH:
		return link_detach(attr);
	case BPF_LINK_UPDATE:
		return link_update(attr);
	case BPF_ENABLE_STATS:
		return real_open("/dev/null", O_RDONLY | O_CLOEXEC, 0);
	case BPF_TASK_FD_QUERY:
		return attr->task_fd_query.pid == (uint32_t)getpid() ? -ENOTSUPP : -ENOENT; /* not a perf event */
	case ABI_TOKEN_CREATE:
		return -EOPNOTSUPP; /* not in a user namespace */
	default:
		return -ENOSYS;
	}
}
