/* SPDX-License-Identifier: BSD-2-Clause */
#include "iter/attach.h"

#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/bpf.h>

#include "cli/select.h"
#include "record/field.h"
#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "own/iter.h"

/* Indexed by the kernel's numbers; 0 has no word. */
static const char *const order_words[] = { NULL, "self_only", "descendants_pre", "descendants_post", "ancestors_up" };
const struct names iter_orders = NAMES(order_words);

static bool is_iterator(const struct bpf_program *p)
{
	return bpf_program__type(p) == BPF_PROG_TYPE_TRACING && bpf_program__expected_attach_type(p) == BPF_TRACE_ITER;
}

struct choice {
	struct env *env;
	const char *path, *name;
};

/* Load only the chosen program. */
static int choose(void *ctx, struct bpf_object *obj, struct err *e)
{
	const struct choice *c = ctx;
	const char *first = NULL;
	struct bpf_program *p;
	unsigned n = 0;

	bpf_object__for_each_program(p, obj) {
		bool fits = is_iterator(p) && (!c->name || !strcmp(bpf_program__name(p), c->name));

		bpf_program__set_autoload(p, fits && !n);
		first = fits && !n++ ? bpf_program__name(p) : first;
	}
	if (!n && c->name)
		return err_set(e, -ENOENT, "%s has no iterator program '%s'", c->path, c->name);
	if (!n)
		return err_set(e, -ENOENT, "%s has no iterator program", c->path);
	if (n > 1)
		str_fit(c->env->report->note, sizeof(c->env->report->note),
			"%s has %u iterators, this is the first: %s; choose another with 'name NAME'", c->path, n,
			first);
	return 0;
}

int iter_load(struct load *ret, struct env *env, const char *path, const char *name, const char *pin, struct err *e)
{
	struct choice choice = { env, path, name };
	const struct load_request q = { .path = path, .choose = choose, .choose_ctx = &choice };
	int err = load_open(ret, env, &q, e);

	if (!err && pin)
		err = load_may_pin(ret, NULL, pin, e);
	return err ? err : load_load(ret, e);
}

int iter_attach_loaded(const struct load *l, const struct iter_opts *o, struct err *e)
{
	const struct load_prog *p = &l->progs[0];

	return iter_attach(l->env, p->fd, bpf_program__name(p->prog), o, e);
}

int iter_no_opts(const struct iter_opts *o, struct err *e)
{
	if (!o->map.by && !o->tid && !o->pid && !o->cgroup && !o->order)
		return 0;
	return err_usage(e, "what a link walks was set when it was created");
}

/* An old kernel may have ignored the arguments, so compare them with the link's info. */
static int check_taken(int link, const char *what, const struct iter_opts *o, const struct iter_walk *w, struct err *e)
{
	struct abi_link_info info = { 0 };
	uint32_t len = sizeof(info);
	char target[64] = "";
	bool taken = true;
	int err;

	info.iter.target_name = (uintptr_t)target;
	info.iter.target_name_len = sizeof(target);
	err = w->of == ITER_ALL ? 0 : sys_object_info(link, &info, &len);
	if (err)
		return err_sys(e, err, "%s: cannot read the link's info", what);
	if (w->of == ITER_MAP)
		taken = info.iter.map_id;
	else if (w->of == ITER_TASK)
		taken = o->tid ? info.iter.task.tid == o->tid : info.iter.task.pid == o->pid;
	else if (w->of == ITER_CGROUP)
		taken = info.iter.cgroup.order == w->order;
	if (taken)
		return 0;
	target[sizeof(target) - 1] = '\0';
	return err_set(e, -EOPNOTSUPP, "%s: the iterator over %s of this kernel accepts no %s", what, target,
		       w->of == ITER_MAP  ? "map" :
		       w->of == ITER_TASK ? "thread or process" :
					    "cgroup");
}

static int iter_error(const char *what, int err, const struct iter_walk *w, struct err *e)
{
	err_sys(e, err, "%s: cannot attach the iterator", what);
	if (w->of == ITER_ALL && err == -EBADF)
		err_hint(e, "it walks the elements of one map: give it with 'map MAP'");
	else if (w->of == ITER_ALL && err == -EINVAL)
		err_hint(e, "it is not an iterator, or walks cgroups: use 'cgroup PATH' or 'order ORDER'");
	else if (w->of == ITER_MAP && err == -EINVAL)
		err_hint(
			e,
			"the iterator does not walk maps of this type, or the map's keys or values are smaller than the program reads");
	else if (err == -E2BIG)
		err_hint(e, "this kernel is too old for it");
	return err;
}

int iter_attach(struct env *env, int fd, const char *what, const struct iter_opts *o, struct err *e)
{
	struct iter_walk w = { .of = ITER_ALL };
	CLEAN_FD with = -1;
	CLEAN_FD link = -1;
	int err;

	if (o->map.by) {
		with = select_open(env, &kind_map, &o->map, NULL, e);
		if (with < 0)
			return with;
		w = (struct iter_walk){ .of = ITER_MAP, .map_fd = (uint32_t)with };
	} else if (o->tid || o->pid) {
		w = (struct iter_walk){ .of = ITER_TASK, .tid = o->tid, .pid = o->pid };
	} else if (o->cgroup || o->order) {
		with = o->cgroup ? open(o->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
		if (o->cgroup && with < 0)
			return err_sys(e, -errno, "cannot open cgroup %s", o->cgroup);
		w = (struct iter_walk){ .of = ITER_CGROUP,
					.cgroup_fd = with < 0 ? 0 : (uint32_t)with,
					.order = o->order ? (uint32_t)o->order : ITER_DESCENDANTS_PRE };
	}
	link = iter_link(fd, &w);
	if (link < 0)
		return iter_error(what, link, &w, e);
	err = check_taken(link, what, o, &w, e);
	return err ? err : TAKE_FD(link);
}
