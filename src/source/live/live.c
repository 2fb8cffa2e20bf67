/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <limits.h>
#include <sys/syscall.h>
#include "source/live/live.h"
#include "source/live/source.h"
#include "kernel/bpf.h"
#include "host/pins.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2
#endif
#define TEXT_GIVEN (64u << 10) /* a text of this many bytes is given away, not copied */

static void object_drop(struct live_object *o)
{
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
	o->known.len = 0;
}

static int object_get(struct live *l, enum object_kind kind, uint32_t id, struct live_object **ret)
{
	struct live_object *o = &l->objects[kind];
	int fd;

	if (o->fd < 0 || o->id != id) {
		object_drop(o);
		fd = held_open(&l->held, kind, id, false);
		if (fd < 0)
			return fd == -EAGAIN ? -ENOENT : fd; /* a link that is being created */
		o->fd = fd;
		o->id = id;
	}
	*ret = o;
	return 0;
}

int live_map_info(struct live *l, struct abi_map_info *ret)
{
	struct live_object *o = l->object;
	int err = o->known.len ? 0 : info_fetch(o->fd, &o->known);

	*ret = (struct abi_map_info){ 0 };
	if (!err)
		memcpy(ret, o->known.info, o->known.len < sizeof(*ret) ? o->known.len : sizeof(*ret));
	return err;
}

/* The scratch text as an answer; a large one is given away. */
static int text_answer(struct live *l, struct arena *a, struct blob *ret)
{
	const void *p = "";

	if (l->text.n >= TEXT_GIVEN) {
		arena_defer(a, free, l->text.p);
		*ret = (struct blob){ (const unsigned char *)l->text.p, l->text.n };
		l->text = (struct str){ 0 };
		return 0;
	}
	if (l->text.n)
		p = arena_dup(a, l->text.p, l->text.n);
	*ret = (struct blob){ p, l->text.n };
	return 0;
}

int live_ids(struct live *l)
{
	enum object_kind kind = (enum object_kind)(l->asked->q - Q_IDS);
	uint32_t id = 0, last = 0, next;
	int err;

	object_drop(&l->objects[kind]);
	live_walk_drop(&l->walk);
	live_kmem_drop(l);
	while (!(err = sys_object_next_id(kind, id, &next)) && next > id) {
		if (!own_has(&l->own, kind, next)) {
			str_add(&l->text, &next, sizeof(next));
			last = next;
		}
		id = next;
	}
	if (err == -ENOENT && kind == OBJECT_PROG)
		live_cgroup_listed(&l->cgroup, (uint32_t)(l->text.n / sizeof(last)), last);
	return err == -ENOENT ? 0 : err;
}

int live_info(struct live *l)
{
	struct info_known *known = &l->object->known;
	int err = info_fetch(l->object->fd, known);
	uint32_t type;

	if (err)
		return err;
	str_add(&l->text, known->info, known->len);
	memcpy(&type, known->info, sizeof(type));
	if (l->asked->q == question_of(Q_INFO, OBJECT_PROG) && !own_has(&l->own, OBJECT_PROG, l->object->id))
		live_cgroup_saw(&l->cgroup, l->object->id, type);
	return 0;
}

/*
 * The file stays open: its name is a descriptor number, and reading it from the start describes the object that has
 * that number now. Objects that are opened one after another all get the same number.
 */
static int fdinfo_open(struct live *l, int of)
{
	char name[24];

	if (l->fdinfo >= 0 && l->fdinfo_of == of)
		return 0;
	if (l->fdinfo_dir < 0)
		l->fdinfo_dir = open("/proc/thread-self/fdinfo", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l->fdinfo_dir < 0)
		return -ENODATA;
	clean_fd(&l->fdinfo);
	*num_dec(name, (uint64_t)of) = '\0';
	l->fdinfo = openat(l->fdinfo_dir, name, O_RDONLY | O_CLOEXEC);
	l->fdinfo_of = of;
	return l->fdinfo < 0 ? -errno : 0;
}

int live_fdinfo(struct live *l)
{
	char small[4096];
	ssize_t n;
	int err = fdinfo_open(l, l->object->fd);

	if (err)
		return err;
	/* The kernel makes this text as a whole, so a short read has all of it. */
	n = pread(l->fdinfo, small, sizeof(small), 0);
	if (n < 0)
		return -errno;
	if ((size_t)n < sizeof(small)) {
		str_add(&l->text, small, (size_t)n);
		return 0;
	}
	return lseek(l->fdinfo, 0, SEEK_SET) < 0 ? -errno : str_read_fd(&l->text, l->fdinfo, 64u << 20);
}

int live_buf(struct live *l, struct arena *a, struct blob *ret)
{
	struct info_buf bufs[INFO_BUFS];
	size_t n;

	if (info_spec_parse(l->asked->text, bufs, &n))
		return -ENODATA;
	for (size_t i = 0; i < n; i++)
		if (bufs[i].ptr > INFO_MAX - sizeof(uint64_t) || bufs[i].len > INFO_MAX - sizeof(uint32_t))
			return -ENODATA;
	return info_fetch_bufs(l->object->fd, &l->object->known, bufs, n, a, ret);
}

int live_pin(struct live *l)
{
	enum object_kind kind;
	uint32_t id;
	CLEAN_FD fd = pins_open(l->asked->text, false, &kind, &id);

	if (fd < 0)
		return fd;
	held_put(&l->held, kind, id, fd, l->asked->text);
	str_fmt(&l->text, "%s %u\n", object_kind_names[kind], id);
	return 0;
}

int live_net(struct live *l)
{
	return live_net_get(&l->net, l->asked, &l->text);
}

static int live_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct live *l = (struct live *)s;
	const struct question_row *w = &questions[q->q];
	struct live_object *o = NULL;
	int err = 0;

	if (!w->text && !w->live)
		return -ENODATA;
	/* The threads hold no descriptors. */
	if (l->early && early_take(l->early, q, a, ret, &err) && err != -EPERM)
		return err;
	err = 0;
	if (w->about >= ABOUT_PROG && w->about <= ABOUT_BTF)
		err = q->id > UINT32_MAX ?
			      -ENOENT :
			      object_get(l, (enum object_kind)(w->about - ABOUT_PROG), (uint32_t)q->id, &o);
	if (err == -ENOENT && q->q == question_of(Q_INFO, OBJECT_PROG))
		live_cgroup_saw(&l->cgroup, (uint32_t)q->id, 0);
	if (err)
		return err;
	l->asked = q;
	l->object = o;
	if (w->live)
		return w->live(l, a, ret);
	str_reset(&l->text);
	err = w->text(l);
	return err ? err : text_answer(l, a, ret);
}

/* Called in a thread with its own descriptor table: what it opens gets the same number each time. */
static struct source *live_second(void)
{
	struct source *ret = NULL;

	if (syscall(SYS_close_range, 3, UINT_MAX, CLOSE_RANGE_UNSHARE))
		return NULL;
	return source_live(&ret, false, true, NULL) ? NULL : ret;
}

static void live_expect(struct source *s, const struct expected *x)
{
	struct live *l = (struct live *)s;

	early_end(&l->early);
	l->early = early_start(x, s, live_second);
}

static void live_hold(struct source *s, enum object_kind kind, uint32_t id, int fd, const char *path)
{
	held_put(&((struct live *)s)->held, kind, id, fd, path);
}

static int live_open(struct source *s, enum object_kind kind, uint32_t id, bool write)
{
	return held_open(&((struct live *)s)->held, kind, id, write);
}

static void live_let_go(struct live *l)
{
	early_end(&l->early);
	live_walk_drop(&l->walk);
	live_kmem_drop(l);
	for (int i = 0; i < OBJECT_KINDS; i++)
		object_drop(&l->objects[i]);
	held_idle(&l->held);
	live_cgroup_idle(&l->cgroup);
	live_net_idle(&l->net);
}

static void live_idle(struct source *s)
{
	struct live *l = (struct live *)s;

	live_let_go(l);
	own_prune(&l->own);
}

static void live_close(struct source *s)
{
	struct live *l = (struct live *)s;

	live_let_go(l);
	held_release(&l->held);
	ksym_close(&l->ksym);
	own_release(&l->own);
	clean_fd(&l->fdinfo);
	clean_fd(&l->fdinfo_dir);
	str_release(&l->text);
	live_walk_release(&l->walk);
	live_net_release(&l->net);
	elf_funcs_free(&l->file.funcs);
	free(l);
}

static const struct source_ops live_ops = {
	.name = "live",
	.get = live_get,
	.idle = live_idle,
	.expect = live_expect,
	.hold = live_hold,
	.open = live_open,
	.close = live_close,
};

struct own *source_live_own(struct source *s)
{
	return s->ops == &live_ops ? &((struct live *)s)->own : NULL;
}

int source_live_netns(struct source *s, uint64_t ino)
{
	return s->ops == &live_ops ? live_net_open(&((struct live *)s)->net, ino) : -ENODATA;
}

void source_live_saw(struct source *s, uint32_t id, uint32_t type)
{
	if (s->ops == &live_ops)
		live_cgroup_saw(&((struct live *)s)->cgroup, id, type);
}

int source_live(struct source **ret, bool debug, bool no_load, struct err *e)
{
	struct live *l = calloc(1, sizeof(*l));

	if (!l)
		return err_sys(e, -ENOMEM, "cannot start");
	l->source.ops = &live_ops;
	l->own = (struct own){ .never = no_load, .debug = debug };
	l->walk.own = &l->own;
	l->fdinfo_dir = l->fdinfo = -1;
	l->cgroup.mount = -1;
	l->net = (struct live_net)LIVE_NET_NONE;
	l->net.programs = &l->own;
	for (int i = 0; i < OBJECT_KINDS; i++)
		l->objects[i].fd = -1;
	str_reserve(&l->text, 1024); /* what a change reports is read after it, without more memory */
	*ret = &l->source;
	return 0;
}
