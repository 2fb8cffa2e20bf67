/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/answers.h"

#include "source/info.h"
#include "source/questions.h"
#include "source/file/recorder.h"

static void answer_put(struct catalog *cat, enum question q, uint32_t id, const void *p, size_t n)
{
	source_record_again(cat->file, &(const struct asked){ q, id }, p, n);
}

static int copy_answer(struct catalog *cat, enum question q, uint32_t id)
{
	ARENA_SCOPE(cat->scratch);
	struct blob b;
	int err = source_record_renew(cat->file, &(const struct asked){ q, id }, cat->scratch, &b);

	return err;
}

/* Ask about a BTF object, unless it is in the file. 0 or -errno. */
static int answers_ask_types(struct catalog *cat, uint32_t btf_id)
{
	int err;

	if (!btf_id || hash_get(&cat->btfs, btf_id))
		return 0;
	err = copy_answer(cat, Q_BTF_DATA, btf_id);
	if (!err)
		err = copy_answer(cat, question_of(Q_INFO, OBJECT_BTF), btf_id);
	if (!err)
		err = copy_answer(cat, Q_BTF_NAME, btf_id);
	if (!err)
		*hash_put(&cat->btfs, btf_id) = cat;
	return err;
}

bool answers_renew(struct catalog *cat, enum object_kind kind, uint32_t id)
{
	if (copy_answer(cat, question_of(Q_INFO, kind), id))
		return false;
	copy_answer(cat, question_of(Q_FDINFO, kind), id);
	if (kind == OBJECT_PROG)
		copy_answer(cat, Q_PROG_MAP_IDS, id);
	return true;
}

static void ask_map(struct catalog *cat, uint32_t id)
{
	if (!hash_get(&cat->maps, id) && answers_renew(cat, OBJECT_MAP, id))
		*hash_put(&cat->maps, id) = cat;
}

void answers_ask_map_types(struct catalog *cat, uint32_t id)
{
	ARENA_SCOPE(cat->scratch);
	struct abi_map_info info = { 0 };
	struct blob b;

	if (source_record_peek(cat->file, &(const struct asked){ question_of(Q_INFO, OBJECT_MAP), id }, cat->scratch,
			       &b))
		return;
	memcpy(&info, b.p, b.n < sizeof(info) ? b.n : sizeof(info));
	answers_ask_types(cat, info.btf_id);
}

void answers_ask_map(struct catalog *cat, uint32_t id)
{
	ask_map(cat, id);
	answers_ask_map_types(cat, id);
}

/* The kernel's types: a BTF object with this name; before Linux 5.11 a file. */
static void ask_kernel_types(struct catalog *cat)
{
	static const char kernel[] = "vmlinux";
	ARENA_SCOPE(cat->scratch);
	uint32_t id = 0;
	struct blob ids, name;

	if (source_record_peek(cat->file, &(const struct asked){ question_of(Q_IDS, OBJECT_BTF) }, cat->scratch, &ids))
		ids.n = 0;
	for (size_t i = 0; i < ids.n / sizeof(id); i++) {
		memcpy(&id, ids.p + i * sizeof(id), sizeof(id));
		if (!source_record_peek(cat->file, &(const struct asked){ Q_BTF_NAME, id }, cat->scratch, &name) &&
		    name.n == strlen(kernel) && !memcmp(name.p, kernel, name.n))
			break;
		id = 0;
	}
	if (!id || answers_ask_types(cat, id))
		copy_answer(cat, Q_VMLINUX, 0);
}

void answers_features(struct catalog *cat, struct arena *keep, struct blob *known)
{
	const struct asked q = { Q_FEATURES };

	if (known->p)
		source_record_again(cat->file, &q, known->p, known->n);
	else if (source_record_renew(cat->file, &q, keep, known))
		*known = (struct blob){ 0 };
}

void answers_basics(struct catalog *cat)
{
	static const enum question basic[] = { Q_UNAME, Q_CLOCK, Q_CPUS, Q_LIMITS, Q_KALLSYMS };

	for (size_t i = 0; i < ARRAY_SIZE(basic); i++)
		copy_answer(cat, basic[i], 0);
	ask_kernel_types(cat);
}

/* Save maps now: one that is gone at the end must not be missing, because a program refers to it. */
static int ask_maps(struct catalog *cat, uint32_t id)
{
	ARENA_SCOPE(cat->scratch);
	struct blob ids;
	int err = source_record_peek(cat->file, &(const struct asked){ Q_PROG_MAP_IDS, id }, cat->scratch, &ids);

	for (size_t i = 0; !err && i < ids.n / sizeof(uint32_t); i++) {
		uint32_t map;

		memcpy(&map, ids.p + i * sizeof(map), sizeof(map));
		ask_map(cat, map);
	}
	return err;
}

int answers_info(struct catalog *cat, uint32_t id, struct abi_prog_info *ret)
{
	ARENA_SCOPE(cat->scratch);
	struct blob b;
	int err = source_record_peek(cat->file, &(const struct asked){ question_of(Q_INFO, OBJECT_PROG), id },
				     cat->scratch, &b);

	*ret = (struct abi_prog_info){ 0 };
	if (!err)
		memcpy(ret, b.p, b.n < sizeof(*ret) ? b.n : sizeof(*ret));
	return err;
}

int answers_ask(struct catalog *cat, uint32_t id)
{
	struct abi_prog_info info;
	int err = answers_info(cat, id, &info);

	for (unsigned q = 0; !err && q < QUESTIONS; q++)
		if (questions[q].about == ABOUT_PROG &&
		    (questions[q].saved == SAVED_ALWAYS || q == question_of(Q_FDINFO, OBJECT_PROG)))
			err = copy_answer(cat, (enum question)q, id);
	if (!err)
		err = answers_ask_types(cat, info.btf_id);
	return err ? err : ask_maps(cat, id);
}

static void put_map(struct catalog *cat, const struct abi_map_info *info)
{
	STR text = { 0 };

	if (hash_get(&cat->maps, info->id))
		return;
	*hash_put(&cat->maps, info->id) = cat;
	answer_put(cat, question_of(Q_INFO, OBJECT_MAP), info->id, info, sizeof(*info));
	str_fmt(&text,
		"map_type:\t%u\nkey_size:\t%u\nvalue_size:\t%u\nmax_entries:\t%u\nmap_flags:\t0x%x\nmap_id:\t%u\n",
		info->type, info->key_size, info->value_size, info->max_entries, info->map_flags, info->id);
	answer_put(cat, question_of(Q_FDINFO, OBJECT_MAP), info->id, text.p, text.n);
}

static void put_types(struct catalog *cat, uint32_t id, const struct captured_bytes *data)
{
	const struct abi_btf_info info = { .id = id, .btf_size = (uint32_t)data->n };

	answer_put(cat, Q_BTF_DATA, id, data->p, data->n);
	answer_put(cat, question_of(Q_INFO, OBJECT_BTF), id, &info, sizeof(info));
	answer_put(cat, Q_BTF_NAME, id, "", 0);
	*hash_put(&cat->btfs, id) = cat;
}

/* The info is as long as the kernel's own struct. */
static void put_info(struct catalog *cat, const struct catalog_prog *p)
{
	unsigned char whole[INFO_MAX] = { 0 };

	memcpy(whole, &p->info, sizeof(p->info));
	answer_put(cat, question_of(Q_INFO, OBJECT_PROG), p->life.id, whole,
		   p->info_len < sizeof(whole) ? p->info_len : sizeof(whole));
}

bool answers_copy(struct catalog *cat, struct catalog_prog *p, const struct captured *c)
{
	STR text = { 0 };

	p->info = c->info;
	p->info_len = c->info_len;
	str_reset(&p->map_ids);
	str_add(&p->map_ids, c->array[CAPTURED_MAP_IDS].p, c->array[CAPTURED_MAP_IDS].n);
	put_info(cat, p);
	for (unsigned i = 0; i < CAPTURED_ARRAYS; i++)
		answer_put(cat, (enum question)(Q_PROG_XLATED + i), c->id, c->array[i].p, c->array[i].n);
	str_fmt(&text, "prog_type:\t%u\nprog_jited:\t%u\nmemlock:\t%llu\nprog_id:\t%u\n", c->info.type,
		c->info.jited_prog_len != 0, llu(c->memlock), c->id);
	answer_put(cat, question_of(Q_FDINFO, OBJECT_PROG), c->id, text.p, text.n);
	for (size_t i = 0; i < c->nmaps; i++)
		put_map(cat, &c->maps[i]);
	if (c->btf.n && !hash_get(&cat->btfs, c->info.btf_id))
		put_types(cat, c->info.btf_id, &c->btf);
	return !answers_ask_types(cat, c->info.btf_id);
}

void answers_add_map(struct catalog *cat, struct catalog_prog *p, uint32_t map)
{
	if (p->info.type) {
		p->info.nr_map_ids = (uint32_t)(p->map_ids.n / sizeof(map));
		put_info(cat, p);
		answer_put(cat, Q_PROG_MAP_IDS, p->life.id, p->map_ids.p, p->map_ids.n);
	} else {
		answers_renew(cat, OBJECT_PROG, p->life.id);
	}
	ask_map(cat, map);
}
