/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "host/elf/elf.h"

struct lab {
	struct arena *arena;
	struct str file, out;
	struct elf_object o;
	struct elf_sect *sects; /* a copy, with room for one more */
};

static int setup(void **state)
{
	static struct lab l;
	struct err e = { 0 };

	l = (struct lab){ .arena = arena_new() };
	*state = &l;
	if (str_read_file(&l.file, "tests/objects/object.bpf.o", 1 << 20) ||
	    elf_object(&l.o, l.file.p, l.file.n, l.arena, &e))
		return -1;
	l.sects = arena_array(l.arena, l.o.nsects + 1, sizeof(*l.sects));
	memcpy(l.sects, l.o.sects, l.o.nsects * sizeof(*l.sects));
	l.o.sects = l.sects;
	return 0;
}

static int teardown(void **state)
{
	struct lab *l = *state;

	arena_free(l->arena);
	str_release(&l->file);
	str_release(&l->out);
	return 0;
}

static struct elf_object again(struct lab *l)
{
	struct elf_object ret;
	struct err e = { 0 };

	if (elf_write(&l->out, &l->o, &e) || elf_object(&ret, l->out.p, l->out.n, l->arena, &e))
		fail_msg("%s", e.msg);
	return ret;
}

static void expect_sect(const struct elf_sect *got, const struct elf_sect *want)
{
	assert_string_equal(got->name, want->name);
	assert_true(got->type == want->type && got->link == want->link && got->info == want->info);
	assert_true(got->flags == want->flags && got->size == want->size && got->entsize == want->entsize);
	assert_true(got->align == want->align || (got->align <= 1 && want->align <= 1));
	if (want->p && want->size)
		assert_memory_equal(got->p, want->p, want->size);
}

/* All parts come back, with one section more. */
static void test_same(void **state)
{
	struct lab *l = *state;
	struct elf_object new;

	l->sects[l->o.nsects] = (struct elf_sect){ .name = ".data.more",
						   .type = SHT_PROGBITS,
						   .flags = SHF_ALLOC | SHF_WRITE,
						   .align = 8,
						   .size = 5,
						   .p = (const unsigned char *)"more" };
	l->o.nsects++;
	new = again(l);
	assert_true(new.machine == l->o.machine &&new.type == l->o.type &&new.flags == l->o.flags &&new.big ==
		    l->o.big);
	assert_int_equal(new.nsects, l->o.nsects);
	for (uint32_t i = 1; i < new.nsects; i++) {
		struct elf_sect want = l->sects[i];

		/* It has the new name. */
		if (i == l->o.names)
			want.size += sizeof(".data.more");
		if (i == l->o.names)
			want.p = NULL;
		expect_sect(&new.sects[i], &want);
	}
	assert_int_equal(new.nsymbols, l->o.nsymbols);
	for (uint32_t i = 0; i < new.nsymbols; i++)
		assert_string_equal(new.symbols[i].name, l->o.symbols[i].name);
}

static void refused(struct lab *l, int code, const char *why)
{
	struct err e = { 0 };

	assert_int_equal(elf_write(&l->out, &l->o, &e), code);
	assert_non_null(strstr(e.msg, why));
	assert_int_equal(l->out.n, 0);
}

static void test_refused(void **state)
{
	struct lab *l = *state;
	const struct elf_sect was = l->sects[1];

	l->sects[1].align = (uint64_t)1 << 40;
	refused(l, -EBADMSG, "alignment");
	l->sects[1].align = 3;
	refused(l, -EBADMSG, "alignment");
	l->sects[1] = was;
	l->sects[1].p = NULL;
	l->sects[1].size = 8;
	l->sects[1].type = SHT_PROGBITS;
	refused(l, -ENOTSUP, "compressed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_same, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
