/* SPDX-License-Identifier: BSD-2-Clause */
/* Links, and the perf events that some are on. */
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/if_link.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "fake.h"

#define POINTER(v) ((void *)(uintptr_t)(v))

static uint32_t link_type_of(uint32_t attach_type)
{
	if (hook_is_cgroup(attach_type))
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
	case BPF_TRACE_ITER:
		return ABI_LINK_ITER;
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

#define ATTACH_STRUCT_OPS 44 /* 6.4 */

static int ops_link(int map_fd)
{
	int err;
	const struct object *map = object_of(map_fd, OBJECT_MAP, &err);
	struct object *o;

	if (!map || map->info.map.type != ABI_MAP_STRUCT_OPS || !(map->info.map.map_flags & ABI_MAP_LINK))
		return map ? -EINVAL : err;
	err = object_new(OBJECT_LINK, &o);
	if (err)
		return err;
	o->info.link = (struct abi_link_info){ .type = ABI_LINK_STRUCT_OPS, .id = o->id, .struct_ops.map_id = map->id };
	o->info_len = sizeof(struct abi_link_info);
	o->target = 1;
	o->attach_type = ATTACH_STRUCT_OPS;
	object_hold(o, map);
	return object_fd(o, O_RDWR);
}

static int ops_link_update(struct object *o, int map_fd, const union bpf_attr *attr)
{
	int err;
	const struct object *map = object_of(map_fd, OBJECT_MAP, &err);

	if (!map || map->info.map.type != ABI_MAP_STRUCT_OPS || !(map->info.map.map_flags & ABI_MAP_LINK))
		return map ? -EINVAL : err;
	if (attr->link_update.flags & BPF_F_REPLACE &&
	    object_of((int)attr->link_update.old_prog_fd, OBJECT_MAP, &err) !=
		    object_by_id(OBJECT_MAP, o->info.link.struct_ops.map_id))
		return -EPERM;
	o->nholds = 0;
	object_hold(o, map);
	o->info.link.struct_ops.map_id = map->id;
	return 0;
}

static uint32_t xdp_mode(const struct abi_link_create *a)
{
	return a->flags ?: a->target == 1 ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE;
}

static int link_create(const union bpf_attr *attr)
{
	struct abi_link_create a;
	struct abi_prog_attach how;
	double order = 0;
	const struct object *prog, *event = NULL;
	struct object *o;
	struct hook_prog_at at[HOOK_PROGS];
	uint64_t target = 0;
	uint32_t type;
	int err;

	memcpy(&a, attr, sizeof(a));
	if (a.attach_type == ATTACH_STRUCT_OPS)
		return ops_link((int)a.prog_fd);
	prog = object_of((int)a.prog_fd, OBJECT_PROG, &err);
	type = link_type_of(a.attach_type);
	if (!prog || !type)
		return err;
	err = hook_fits(prog, a.attach_type);
	if (type == ABI_LINK_PERF_EVENT)
		event = object_of((int)a.target, OBJECT_PERF, &err);
	else if (type != ABI_LINK_NETFILTER && type != ABI_LINK_ITER && !err)
		err = hook_target_of(a.attach_type, a.target, &target);
	if (err && !event)
		return err;
	if (type == ABI_LINK_ITER && !strcmp(prog->name, "bpf_map_elem") && !attr->link_create.iter_info_len)
		return -EBADF;
	if ((type == ABI_LINK_XDP || a.attach_type == ABI_ATTACH_FLOW_DISSECTOR) &&
	    hook_list(a.attach_type, target, at))
		return type == ABI_LINK_XDP ? -EBUSY : -EEXIST;
	if (type == ABI_LINK_CGROUP && hook_list(a.attach_type, target, at) && at[0].flags != ABI_ATTACH_MULTI)
		return -EPERM;
	how = (struct abi_prog_attach){ .flags = type == ABI_LINK_CGROUP ? 0 : a.flags,
					.relative = a.relative,
					.revision = a.revision };
	err = type == ABI_LINK_TCX || type == ABI_LINK_NETKIT || type == ABI_LINK_CGROUP ?
		      hook_order(a.attach_type, target, &how, &order) :
		      0;
	err = err ? err : link_new(type, prog, &o);
	if (err)
		return err;
	o->order = order;
	o->attach_type = a.attach_type;
	o->flags = type == ABI_LINK_CGROUP ? ABI_ATTACH_MULTI : type == ABI_LINK_XDP ? xdp_mode(&a) : 0;
	o->target = target;
	if (event) {
		object_hold(o, event);
		snprintf(o->name, sizeof(o->name), "%s", event->name);
		o->info.link.perf_event = event->info.link.perf_event;
	}
	if (type == ABI_LINK_ITER)
		snprintf(o->name, sizeof(o->name), "%s", prog->name);
	if (type == ABI_LINK_NETFILTER)
		memcpy(&o->info.link.netfilter, (const char *)attr + 16, 16);
	kernel->revision++;
	return object_fd(o, O_RDWR);
}

/* Those of system calls, and of tracefs. */
static bool is_tracepoint(const char *name)
{
	CLEAN_FILE f = fopen("/sys/kernel/tracing/available_events", "re");
	char line[256];

	if (!strcmp(name, "sys_enter") || !strcmp(name, "sys_exit"))
		return true;
	while (f && fgets(line, sizeof(line), f)) {
		const char *colon = strchr(line, ':');

		line[strcspn(line, "\n")] = '\0';
		if (colon && !strcmp(colon + 1, name))
			return true;
	}
	return false;
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
	if (name && !is_tracepoint(name))
		return -ENOENT;
	err = link_new(name ? ABI_LINK_RAW_TRACEPOINT : ABI_LINK_TRACING, prog, &o);
	if (err)
		return err;
	snprintf(o->name, sizeof(o->name), "%s", name ? name : "");
	o->attach_type = prog->attach_type;
	capture_run(prog);
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
	case ABI_LINK_ITER:
		info.iter.target_name = user->iter.target_name;
		info.iter.target_name_len = user->iter.target_name_len;
		err = name_out(o->name, info.iter.target_name, &info.iter.target_name_len);
		break;
	case ABI_LINK_PERF_EVENT:
		if (info.perf_event.type == ABI_PERF_EVENT)
			break;
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
	case ABI_LINK_STRUCT_OPS:
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

	if (o && o->info.link.type == ABI_LINK_STRUCT_OPS)
		return ops_link_update(o, (int)attr->link_update.new_prog_fd, attr);

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

/* The name of the tracepoint whose number is in events/CATEGORY/NAME/id. */
static bool tracepoint_name(uint64_t id, char *ret, size_t size)
{
	static const char pattern[] = "/sys/kernel/tracing/events/*/*/id";
	char path[PATH_MAX], text[32];
	bool found = false;
	glob_t g;

	snprintf(path, sizeof(path), "%s%s", fake_root, pattern);
	if (glob(path, 0, NULL, &g))
		return false;
	for (size_t i = 0; i < g.gl_pathc && !found; i++) {
		CLEAN_FILE f = fopen(g.gl_pathv[i], "re");

		found = f && fgets(text, sizeof(text), f) && strtoull(text, NULL, 10) == id;
		if (found) {
			*strrchr(g.gl_pathv[i], '/') = '\0';
			snprintf(ret, size, "%s", strrchr(g.gl_pathv[i], '/') + 1);
		}
	}
	globfree(&g);
	return found;
}

static bool is_kernel_function(const char *name)
{
	CLEAN_FILE f = fopen("/proc/kallsyms", "re");
	char line[256], function[200];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %*s %199s", function) == 1 && !strcmp(function, name))
			return true;
	return false;
}

/* Of the types in sys/bus/event_source/devices, kprobe is 8 and uprobe 9. */
static int event_describe(const struct perf_event_attr *a, struct object *o)
{
	struct abi_link_info *info = &o->info.link;

	if (a->type == PERF_TYPE_TRACEPOINT) {
		info->perf_event.type = ABI_PERF_TRACEPOINT;
		return tracepoint_name(a->config, o->name, sizeof(o->name)) ? 0 : -ENOENT;
	}
	if (a->type != 8 && a->type != 9) {
		info->perf_event.type = ABI_PERF_EVENT;
		info->perf_event.event.type = a->type;
		info->perf_event.event.config = a->config;
		return a->type < 8 && a->type != PERF_TYPE_HW_CACHE ? 0 : -ENOENT;
	}
	info->perf_event.type = (a->type == 8 ? ABI_PERF_KPROBE : ABI_PERF_UPROBE) + (uint32_t)(a->config & 1);
	if (a->config1)
		info->perf_event.kprobe.offset = (uint32_t)a->config2; /* at the same place for uprobes */
	else
		info->perf_event.kprobe.addr = a->config2;
	snprintf(o->name, sizeof(o->name), "%s", a->config1 ? (const char *)POINTER(a->config1) : "");
	return a->type == 8 && a->config1 && !is_kernel_function(o->name) ? -ENOENT : 0;
}

int fake_perf_open(const void *attr, int pid, int cpu)
{
	const struct perf_event_attr *a = attr;
	char path[40];
	struct object *o;
	int err;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (pid > 0 && access(path, F_OK))
		return -ESRCH;
	if (cpu >= CPUS)
		return -ENODEV;
	err = object_new(OBJECT_PERF, &o);
	if (!err)
		err = event_describe(attr, o);
	if (err)
		return err;
	o->cpu = (uint32_t)cpu;
	o->flags = (a->bpf_event ? FAKE_PROGS : 0) | (a->task ? FAKE_TASKS : 0);
	return object_fd(o, O_RDWR);
}

int ioctl(int fd, unsigned long request, ...)
{
	int err;
	va_list args;
	unsigned long arg;
	struct object *event;

	va_start(args, request);
	arg = va_arg(args, unsigned long);
	va_end(args);
	event = fake_root ? object_of(fd, OBJECT_PERF, &err) : NULL;
	if (request == PERF_EVENT_IOC_SET_BPF && event && object_of((int)arg, OBJECT_PROG, &err)) {
		object_hold(event, object_of((int)arg, OBJECT_PROG, &err));
		return 0;
	}
	if (request == PERF_EVENT_IOC_ENABLE && event)
		return 0;
	return (int)real_syscall(SYS_ioctl, fd, request, arg);
}

/* An iterator writes what it walks. */
static int iter_create(const union bpf_attr *attr)
{
	int err, fd;
	const struct object *o = object_of((int)attr->iter_create.link_fd, OBJECT_LINK, &err);

	if (!o || o->info.link.type != ABI_LINK_ITER)
		return o ? -EINVAL : err;
	fd = memfd_create("iter", MFD_CLOEXEC);
	if (fd >= 0 && (dprintf(fd, "walked %s\n", o->name) < 0 || lseek(fd, 0, SEEK_SET)))
		FAKE_ABORT();
	return fd < 0 ? -errno : fd;
}

int link_command(unsigned cmd, union bpf_attr *attr)
{
	switch (cmd) {
	case ABI_LINK_CREATE:
		return link_create(attr);
	case BPF_RAW_TRACEPOINT_OPEN:
		return raw_tracepoint(attr);
	case BPF_ITER_CREATE:
		return iter_create(attr);
	case BPF_LINK_DETACH:
		return link_detach(attr);
	case BPF_LINK_UPDATE:
		return link_update(attr);
	default:
		return -ENOSYS;
	}
}
