/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../test.h"
#include "../keys.h"
#include "../source/file/recorder.h"

#include "kernel/abi.h"
#include "own/own.h"
#include "recording/catalog.h"
#include "source/file/archive.h"
#include "source/file/recorder.h"

/* A machine whose objects come and go, a recorder of it, and the catalog. An object that is there has all answers. */
#define THERE_MAX 8
struct there {
	uint32_t id[THERE_MAX];
	size_t n;
};
struct recorded {
	struct source source; /* the machine; first */
	struct there progs, maps, btfs;
	struct abi_prog_info info; /* of all programs, apart from the id */
	uint32_t prog_maps[2];
	uint64_t addr;	    /* of the code of all programs, plus the id */
	uint32_t vmlinux;   /* the BTF object with the kernel's types; 0: none */
	unsigned btf_reads; /* questions for types */
	unsigned tries;	    /* of the kernel's features, which are the number of the try */
	bool refuses_lists;
	struct own own;
	struct catalog cat;
	struct source *file;
	struct arena *arena;
	struct dir dir;
};

static inline void there_set(struct there *t, size_t n, const uint32_t *ids)
{
	assert_true(n <= THERE_MAX);
	t->n = n;
	memcpy(t->id, ids, n * sizeof(*ids));
}
#define THERE(t, ...) there_set(t, sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), (uint32_t[]){ __VA_ARGS__ })

static inline bool there_has(const struct there *t, uint64_t id)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->id[i] == id)
			return true;
	return false;
}

static inline int recorded_prog(struct recorded *r, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct abi_prog_info info = r->info;
	const uint64_t addr = r->addr + q->id;

	if (q->q == question_of(Q_INFO, OBJECT_PROG)) {
		info.id = (uint32_t)q->id;
		*ret = (struct blob){ arena_dup(a, &info, sizeof(info)), sizeof(info) };
	} else if (q->q == Q_PROG_MAP_IDS) {
		*ret = (struct blob){ (const void *)r->prog_maps, r->info.nr_map_ids * sizeof(uint32_t) };
	} else if (q->q == Q_PROG_JITED_KSYMS && r->addr) {
		*ret = (struct blob){ arena_dup(a, &addr, sizeof(addr)), sizeof(addr) };
	}
	return there_has(&r->progs, q->id) ? 0 : -ENOENT;
}

static inline int recorded_list(struct recorded *r, const struct there *t, struct blob *ret)
{
	*ret = (struct blob){ (const void *)t->id, t->n * sizeof(*t->id) };
	return r->refuses_lists ? -EPERM : 0;
}

static inline int recorded_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct recorded *r = (struct recorded *)s;

	*ret = (struct blob){ (const void *)"", 0 };
	if (q->q == question_of(Q_IDS, OBJECT_PROG))
		return recorded_list(r, &r->progs, ret);
	if (q->q == question_of(Q_IDS, OBJECT_MAP))
		return recorded_list(r, &r->maps, ret);
	if (q->q == question_of(Q_IDS, OBJECT_BTF))
		return recorded_list(r, &r->btfs, ret);
	switch (questions[q->q].about) {
	case ABOUT_PROG:
		return recorded_prog(r, q, a, ret);
	case ABOUT_MAP:
		return there_has(&r->maps, q->id) ? 0 : -ENOENT;
	case ABOUT_BTF:
		r->btf_reads += q->q == Q_BTF_DATA;
		if (q->q == Q_BTF_NAME && q->id == r->vmlinux)
			*ret = (struct blob){ (const void *)"vmlinux", 7 };
		return there_has(&r->btfs, q->id) ? 0 : -ENOENT;
	default:
		if (q->q == Q_FEATURES)
			*ret = (struct blob){ arena_dup(a, &r->tries, sizeof(r->tries)), sizeof(r->tries) };
		r->tries += q->q == Q_FEATURES;
		return 0;
	}
}

static inline void recorded_close(struct source *s)
{
	(void)s;
}

/* The recording begins at 1000 ns. */
static inline void recorded_begin(struct recorded *r)
{
	static const struct source_ops ops = { .name = "there", .get = recorded_get, .close = recorded_close };
	struct err e = { 0 };

	*r = (struct recorded){ .source = { .ops = &ops }, .info = { .type = 1 }, .arena = arena_new() };
	dir_make(&r->dir);
	assert_int_equal(source_record(&r->file, &r->source, r->dir.file, NULL, &e), 0);
	catalog_init(&r->cat, r->file, &r->own);
	r->cat.from = 1000;
}

static inline void recorded_end(struct recorded *r)
{
	catalog_release(&r->cat);
	source_close(&r->file);
	arena_free(r->arena);
	dir_drop(&r->dir);
}

static inline const struct catalog_prog *recorded_find(const struct recorded *r, uint32_t id)
{
	return hash_get(&r->cat.by_id, id);
}

/* What the finished file has; @fn is called with it. */
static inline void recorded_finish(struct recorded *r, void (*fn)(struct recorded *r, struct source *archive))
{
	struct source *archive = NULL;
	struct err e = { 0 };

	assert_int_equal(source_record_finish(r->file, &e), 0);
	assert_int_equal(source_archive(&archive, r->dir.file, &e), 0);
	fn(r, archive);
	source_close(&archive);
}

/* An answer in the file, as bytes. */
static inline void recorded_has(struct recorded *r, struct source *archive, const char *key, const void *p, size_t n)
{
	struct blob b;

	if (source_get(archive, r->arena, &b, "%s", key))
		fail_msg("%s is not in the file", key);
	assert_int_equal(b.n, n);
	if (n)
		assert_memory_equal(b.p, p, n);
}
