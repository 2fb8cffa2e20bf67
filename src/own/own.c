/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/own.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/mman.h>

#include "base/message.h"
#include "kernel/bpf.h"
#include "kernel/elem.h"
#include "kernel/hooks.h"
#include "kernel/perf/event.h"
#include "own/child.h"
#include "own/files.h"
#include "own/image.h"
#include "own/iter.h"

#define LIMIT_MS 500	 /* a load takes a few milliseconds */
#define LIMIT_AT_MS 5000 /* there is no other source, so a slow machine may take its time */
#define LOG_BYTES (4u << 20)
#define LICENSE "Dual BSD/GPL"

/* A link keeps its iterator loaded. */
struct own_kept {
	struct own_kept *next;
	const struct own_program *program;
	uint32_t constant; /* the first, 0: none */
	int link;
};

void own_release(struct own *own)
{
	while (own->kept) {
		struct own_kept *k = own->kept;

		own->kept = k->next;
		close(k->link);
		free(k);
	}
	own_files_drop(own);
	kbtf_close(&own->kernel);
	if (own->types_of)
		close(own->types);
	own->types_of = NULL;
	free(own->all);
	own->all = NULL;
	own->n = own->cap = 0;
}

void own_prune(struct own *own)
{
	size_t n = 0;

	own_files_drop(own);
	kbtf_close(&own->kernel);
	for (size_t i = 0; i < own->n; i++) {
		uint32_t next = 0;
		int err = sys_object_next_id(own->all[i].kind, own->all[i].id - 1, &next);

		if (err != -ENOENT && (err || next == own->all[i].id))
			own->all[n++] = own->all[i];
	}
	own->n = n;
}

void own_add(struct own *own, const struct own *with)
{
	for (size_t i = 0; i < with->n; i++) {
		ARRAY_MORE(own->all, own->n, own->cap);
		own->all[own->n++] = with->all[i];
	}
}

bool own_has(const struct own *own, enum object_kind kind, uint32_t id)
{
	for (size_t i = own->n; i-- > 0;)
		if (own->all[i].id == id && own->all[i].kind == kind)
			return true;
	return false;
}

static int id_note(struct own *own, enum object_kind kind, int fd, uint32_t *ret_id)
{
	uint32_t info[6] = { 0 }, len = sizeof(info), id;
	int err = sys_object_info(fd, info, &len);

	if (err)
		return err;
	/* the id comes third in struct bpf_btf_info (address, size, id), second in the others (type, id) */
	id = kind == OBJECT_BTF ? info[3] : info[1];
	ARRAY_MORE(own->all, own->n, own->cap);
	own->all[own->n++] = (struct own_object){ kind, id, 0 };
	if (own->debug)
		message("own: %s %u is ours, and left out of lists", object_kind_names[kind], id);
	if (ret_id)
		*ret_id = id;
	return 0;
}

int own_note(struct own *own, enum object_kind kind, int fd)
{
	return id_note(own, kind, fd, NULL);
}

/*
 * The number in the name has the function's type id in its lower half, and the BTF object or the program of the
 * function in its upper half. Linux 5.10 adds another number after it.
 */
bool own_trampoline(const struct own *own, const char *symbol)
{
	static const char prefix[] = "bpf_trampoline_";
	uint32_t func;

	if (!str_starts(symbol, prefix))
		return false;
	func = (uint32_t)strtoull(symbol + strlen(prefix), NULL, 10) & 0x7fffffff;
	for (size_t i = 0; func && i < own->n; i++)
		if (own->all[i].func == func)
			return true;
	return false;
}

static int map_new(const struct own_map_wish *wish)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = wish->type;
	attr.key_size = wish->key_size;
	attr.value_size = wish->value_size;
	attr.max_entries = wish->entries;
	attr.map_flags = wish->flags;
	strncpy(attr.map_name, wish->name, sizeof(attr.map_name) - 1);
	return sys_bpf_new(BPF_MAP_CREATE, &attr, sizeof(attr));
}

int own_map(struct own *own, const struct own_map_wish *wish)
{
	CLEAN_FD fd = map_new(wish);
	int err = fd < 0 ? fd : id_note(own, OBJECT_MAP, fd, NULL);

	return err ? err : TAKE_FD(fd);
}

static int variables_map(const char *name, size_t size, uint32_t flags)
{
	return map_new(&(struct own_map_wish){ name, BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), (uint32_t)size, 1, flags });
}

/* Frozen, so that the verifier treats the values as constants. */
static int constants_map(const struct image *im)
{
	CLEAN_FD fd = variables_map("bpflens.rodata", im->rodata.size, BPF_F_RDONLY_PROG);
	const uint32_t key = 0;
	int err;

	if (fd < 0)
		return fd;
	err = elem_update(fd, &key, im->constants, BPF_ANY);
	if (!err)
		err = map_freeze(fd);
	return err ? err : TAKE_FD(fd);
}

static int shared_map(const struct image *im, struct own_loaded *l)
{
	void *p;

	l->bss = variables_map("bpflens.bss", im->bss.size, BPF_F_MMAPABLE);
	if (l->bss < 0)
		return l->bss;
	p = mmap(NULL, im->bss.size, PROT_READ | PROT_WRITE, MAP_SHARED, l->bss, 0);
	if (p == MAP_FAILED)
		return -errno;
	l->shared = p;
	l->shared_size = im->bss.size;
	return 0;
}

static int maps_make(struct own *own, const struct image *im, struct own_loaded *l)
{
	int err = 0;

	if (im->rodata.size) {
		l->rodata = constants_map(im);
		err = l->rodata < 0 ? l->rodata : id_note(own, OBJECT_MAP, l->rodata, NULL);
	}
	if (!err && im->bss.size)
		err = shared_map(im, l);
	if (!err && im->bss.size)
		err = id_note(own, OBJECT_MAP, l->bss, NULL);
	return err;
}

static int btf_load(struct own *own, const void *of, const void *p, size_t n)
{
	CLEAN_FD fd = -1;
	union bpf_attr attr;
	int err;

	if (own->types_of == of) {
		fd = fcntl(own->types, F_DUPFD_CLOEXEC, 0);
		return fd < 0 ? -errno : TAKE_FD(fd);
	}
	memset(&attr, 0, sizeof(attr));
	attr.btf = (uintptr_t)p;
	attr.btf_size = (uint32_t)n;
	fd = sys_bpf_new(BPF_BTF_LOAD, &attr, sizeof(attr));
	err = fd < 0 ? fd : id_note(own, OBJECT_BTF, fd, NULL);
	if (err)
		return err;
	if (own->types_of)
		close(own->types);
	own->types = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	own->types_of = own->types < 0 ? NULL : of;
	return TAKE_FD(fd);
}

static int section_type(const struct image *im, const struct own_target *at, union bpf_attr *attr)
{
	const struct hook *h = at ? hook_find(im->section, HOOK_BIT(HOOK_FUNC)) : NULL;

	if (h) {
		attr->prog_type = BPF_PROG_TYPE_TRACING;
		attr->expected_attach_type = (uint32_t)h->type;
		attr->attach_prog_fd = (uint32_t)at->fd;
		attr->attach_btf_id = at->func;
	} else if (im->target > 0) {
		attr->prog_type = BPF_PROG_TYPE_TRACING;
		attr->expected_attach_type = str_starts(im->section, "iter/") ? BPF_TRACE_ITER : BPF_TRACE_FENTRY;
		attr->attach_btf_id = (uint32_t)im->target;
	} else if (!strcmp(im->section, "test_run") || str_starts(im->section, "raw_tp/")) {
		attr->prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	} else if (str_starts(im->section, "kprobe/")) {
		attr->prog_type = BPF_PROG_TYPE_KPROBE;
	} else if (!strcmp(im->section, "syscall")) {
		attr->prog_type = BPF_PROG_TYPE_SYSCALL;
		attr->prog_flags = BPF_F_SLEEPABLE;
	} else {
		return -EINVAL;
	}
	return 0;
}

/* Load in a child, which needs all these descriptors. */
static int in_child(union bpf_attr *attr, const struct own_loaded *l, const struct own_map *maps,
		    const struct own_target *at, int limit)
{
	int keep[4 + OWN_MAPS] = { l->rodata, l->bss, l->btf, at ? at->fd : -1 };
	size_t n = 4;

	for (; maps && maps->fd >= 0 && n < ARRAY_SIZE(keep); maps++)
		keep[n++] = maps->fd;
	return child_prog_load(attr, sizeof(*attr), keep, n, limit);
}

/* As in_child(). The child writes the verifier's log to a mapping that it shares. */
static int in_child_logged(union bpf_attr *attr, const struct own_loaded *l, const struct own_map *maps,
			   const struct own_target *at, int limit)
{
	char *log = mmap(NULL, LOG_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ret;

	if (log == MAP_FAILED)
		return in_child(attr, l, maps, at, limit);
	attr->log_buf = (uintptr_t)log;
	attr->log_size = LOG_BYTES;
	attr->log_level = 1;
	ret = in_child(attr, l, maps, at, limit);
	if (ret < 0 && ret != -ETIME)
		message_lines(log);
	munmap(log, LOG_BYTES);
	return ret;
}

static int prog_load(struct own *own, const struct image *im, struct own_loaded *l, const struct own_map *maps,
		     const struct own_target *at, int limit)
{
	CLEAN_PTR struct bpf_func_info *funcs = NULL;
	CLEAN_PTR void *btf = NULL;
	union bpf_attr attr;
	size_t btf_size = 0;
	uint32_t nfuncs;
	int err;

	memset(&attr, 0, sizeof(attr));
	err = section_type(im, at, &attr);
	if (!err)
		err = image_funcs(im, &btf, &btf_size, &funcs, &nfuncs);
	if (!err && nfuncs) {
		l->btf = btf_load(own, im->file, btf, btf_size);
		err = l->btf < 0 ? l->btf : 0;
		attr.prog_btf_fd = (uint32_t)l->btf;
		attr.func_info = (uintptr_t)funcs;
		attr.func_info_cnt = nfuncs;
		attr.func_info_rec_size = sizeof(*funcs);
	}
	if (err)
		return err;
	attr.insns = (uintptr_t)im->insns;
	attr.insn_cnt = (uint32_t)im->n;
	attr.license = (uintptr_t)LICENSE;
	strncpy(attr.prog_name, im->name, sizeof(attr.prog_name) - 1);
	l->prog = (own->debug ? in_child_logged : in_child)(&attr, l, maps, at, limit);
	if (l->prog == -ETIME)
		own->error = -ETIME;
	err = l->prog < 0 ? l->prog : id_note(own, OBJECT_PROG, l->prog, &l->prog_id);
	if (!err)
		own->all[own->n - 1].func = attr.attach_btf_id;
	return err;
}

static int program_load(struct own *own, const struct own_program *p, const struct own_const *consts,
			const struct own_map *maps, const struct own_target *at, int limit, struct own_loaded *ret)
{
	IMAGE im;
	int err = image_open(&im, p->elf, p->size, &own->kernel);

	for (; !err && consts && consts->name; consts++)
		err = image_set(&im, consts->name, consts->v);
	if (!err)
		err = maps_make(own, &im, ret);
	if (!err)
		err = image_link(&im, &(struct image_fds){ ret->rodata, ret->bss, maps });
	return err ? err : prog_load(own, &im, ret, maps, at, limit);
}

static int load_any(struct own *own, const struct own_program *p, const struct own_const *consts,
		    const struct own_map *maps, const struct own_target *at, int limit, struct own_loaded *ret)
{
	int err = own->never ? -ECANCELED : own->error;

	*ret = (struct own_loaded){ .open = true, .prog = -1, .rodata = -1, .bss = -1, .btf = -1 };
	if (!err)
		err = program_load(own, p, consts, maps, at, limit, ret);
	if (err)
		own_close(ret);
	if (own->debug)
		message("own: program %s %s%s", p->name, err ? "not loaded: " : "loaded",
			!err		  ? "" :
			err == -ECANCELED ? "not allowed" :
					    strerror(-err));
	return err;
}

int own_load(struct own *own, const struct own_program *p, const struct own_const *consts, int map_fd,
	     struct own_loaded *ret)
{
	return own_load_with(own, p, consts, (struct own_map[]){ { NULL, map_fd }, { NULL, -1 } }, LIMIT_MS, ret);
}

int own_load_with(struct own *own, const struct own_program *p, const struct own_const *consts,
		  const struct own_map *maps, int limit, struct own_loaded *ret)
{
	return load_any(own, p, consts, maps, NULL, limit, ret);
}

int own_load_at(struct own *own, const struct own_program *p, const struct own_const *consts,
		const struct own_map *maps, const struct own_target *at, struct own_loaded *ret)
{
	return load_any(own, p, consts, maps, at, LIMIT_AT_MS, ret);
}

int own_attach(struct own *own, const struct own_loaded *l)
{
	CLEAN_FD link = raw_tracepoint_link(NULL, l->prog, 0);
	int err = link < 0 ? link : id_note(own, OBJECT_LINK, link, NULL);

	return err ? err : TAKE_FD(link);
}

void own_close(struct own_loaded *l)
{
	if (!l->open)
		return;
	if (l->shared)
		munmap(l->shared, l->shared_size);
	clean_fd(&l->prog);
	clean_fd(&l->rodata);
	clean_fd(&l->bss);
	clean_fd(&l->btf);
	*l = (struct own_loaded){ 0 };
}

int own_run(const struct own_loaded *l, void *ctx, uint32_t ctx_size, int *ret_value)
{
	union bpf_attr attr;
	int err;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)l->prog;
	attr.test.ctx_in = (uintptr_t)ctx;
	attr.test.ctx_size_in = ctx_size;
	err = sys_bpf(BPF_PROG_TEST_RUN, &attr, sizeof(attr));
	if (!err && ret_value)
		*ret_value = (int)attr.test.retval;
	return err;
}

int own_iter_open(struct own *own, const struct own_program *p, const struct own_const *consts, int map_fd,
		  const struct iter_walk *w)
{
	OWN_LOADED l = { 0 };
	CLEAN_FD link = -1;
	int err = own_load(own, p, consts, map_fd, &l);

	if (err)
		return err;
	link = iter_link(l.prog, w);
	err = link < 0 ? link : id_note(own, OBJECT_LINK, link, NULL);
	return err ? err : TAKE_FD(link);
}

static void link_keep(struct own *own, const struct own_program *p, uint32_t constant, int link)
{
	struct own_kept *k = array_resize(NULL, 1, sizeof(*k));

	*k = (struct own_kept){ own->kept, p, constant, link };
	own->kept = k;
}

int own_iter(struct own *own, const struct own_program *p, const struct own_const *consts, int map_fd,
	     const struct iter_walk *w, struct str *ret)
{
	const bool keep = own->keep && map_fd < 0 && !w;
	const uint32_t constant = consts ? consts->v : 0;
	const struct own_kept *k = keep ? own->kept : NULL;
	CLEAN_FD link = -1;
	int err;

	while (k && (k->program != p || k->constant != constant))
		k = k->next;
	if (k)
		return iter_run(k->link, NULL, NULL, ret);
	link = own_iter_open(own, p, consts, map_fd, w);
	err = link < 0 ? link : iter_run(link, NULL, NULL, ret);
	if (!err && keep)
		link_keep(own, p, constant, TAKE_FD(link));
	return err;
}

bool own_record(const struct str *s, size_t *at, void *ret, size_t size)
{
	if (s->n - *at < size)
		return false;
	memcpy(ret, s->p + *at, size);
	*at += size;
	return true;
}
