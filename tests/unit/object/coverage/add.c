/* SPDX-License-Identifier: BSD-2-Clause */
#include "../lab.h"

#include "cli/command.h"
#include "code/insn.h"
#include "object/coverage/coverage.h"

static int add(struct lab *l, struct str *ret, struct covered *covered)
{
	err_clear(&l->e);
	return coverage_add(ret, covered, &(struct coverage_ask){ "dir/some-thing.bpf.o" }, &l->text, l->arena, &l->e);
}

static struct object counted(struct lab *l, struct covered *covered)
{
	static struct str out;
	struct object ret;

	if (BIG_HERE)
		skip_because("the object is little-endian");
	str_reset(&out);
	if (add(l, &out, covered) || object_read(&ret, "new.o", out.p, out.n, l->arena, &l->e))
		fail_msg("%s", l->e.msg);
	assert_int_equal(again(l, l->text.n), 0);
	return ret;
}

/* Is there a counter at @off: its address, 1, the addition? *ret: its number. */
static bool is_counter(const struct object *o, uint32_t section, uint64_t off, uint32_t *ret)
{
	const struct elf_sect *s = &o->elf.sects[section];
	const struct code_ref to = object_code_ref(o, section, off);
	struct insn n;

	if (to.kind != CODE_REF_SYMBOL || strcmp(o->elf.sects[to.symbol->section].name, COVERAGE_SECTION))
		return false;
	*ret = (uint32_t)(to.off / 8);
	insn_decode(&n, s->p + off + 3 * INSN_SIZE, 1, BIG_HERE);
	assert_true(n.code == 0xdb && n.imm == 0);
	return true;
}

static void test_counters(void **state)
{
	struct lab *l = *state;
	struct covered c;
	struct object o = counted(l, &c);
	uint32_t number, found = 0;

	assert_int_equal(o.nfuncs, l->o.nfuncs);
	for (uint32_t i = 0; i < o.nfuncs; i++) {
		const struct object_func *f = &o.funcs[i];

		assert_null(c.funcs[i].why);
		assert_string_equal(f->name, l->o.funcs[i].name);
		assert_int_equal(f->size, l->o.funcs[i].size + (uint64_t)c.funcs[i].added * INSN_SIZE);
		assert_int_equal(c.funcs[i].first, found);
		for (uint64_t at = 0; at < f->size; at += INSN_SIZE)
			if (is_counter(&o, f->section, f->off + at, &number))
				assert_int_equal(number, found++);
		assert_int_equal(found, c.funcs[i].first + c.funcs[i].blocks);
	}
	assert_int_equal(o.elf.sects[object_section(&o, COVERAGE_SECTION)].size, found * 8);
}

/* Everything that refers to code still refers to the same: targets of calls, records about lines, functions and CO-RE.
 */
static void test_references(void **state)
{
	static const uint32_t size[EXT_KINDS] = { INSN_SIZE, INSN_SIZE, INSN_SIZE };
	struct lab *l = *state;
	struct covered c;
	const struct object o = counted(l, &c);
	uint32_t records = 0, added = 0, number;

	for (uint32_t i = 0; i < o.nfuncs; i++) {
		const struct object_func *new = &o.funcs[i], *old = &l->o.funcs[i];

		for (enum ext_kind kind = 0; kind < EXT_KINDS; kind++) {
			const struct ext_part was = object_ext(&l->o, kind, old->section, old->off, old->size);
			const struct ext_part now = object_ext(&o, kind, new->section, new->off, new->size);

			uint32_t from, same = 0;

			records += was.n;
			for (uint32_t k = 0; k < now.n; k++) {
				const uint32_t to = ext_u32(&now, k, 0);
				const bool counter = is_counter(&o, new->section, to, &number);

				/* A block that begins within a line. */
				if (kind == EXT_LINES && counter && !ext_u32(&now, k, 2) && !ext_u32(&now, k, 3)) {
					added++;
					continue;
				}
				assert_true(same < was.n);
				from = ext_u32(&was, same, 0);
				for (unsigned w = 1; w < 4 && kind == EXT_LINES; w++)
					assert_int_equal(ext_u32(&was, same, w), ext_u32(&now, k, w));
				assert_int_equal(ext_u32(&was, same, 1), ext_u32(&now, k, 1));
				/* Lines and functions begin with a counter, or are of the same instruction. */
				if (kind == EXT_CORE || !counter)
					assert_memory_equal(l->o.elf.sects[old->section].p + from,
							    o.elf.sects[new->section].p + to, size[kind] / 4);
				same++;
			}
			assert_int_equal(same, was.n);
		}
	}
	assert_true(records > 10 && added);
}

static void test_calls(void **state)
{
	struct lab *l = *state;
	struct covered c;
	const struct object o = counted(l, &c);
	const char *was[256], *now[256];
	size_t n[2] = { 0, 0 };

	for (int k = 0; k < 2; k++) {
		const struct object *of = k ? &o : &l->o;

		for (uint32_t i = 0; i < of->nfuncs; i++)
			for (uint64_t at = 0; at < of->funcs[i].size; at += INSN_SIZE) {
				const struct code_ref r =
					object_code_ref(of, of->funcs[i].section, of->funcs[i].off + at);

				if (r.kind == CODE_REF_FUNC && n[k] < ARRAY_SIZE(was))
					(k ? now : was)[n[k]++] = r.func->name;
			}
	}
	assert_true(n[0] && n[0] == n[1]);
	for (size_t i = 0; i < n[0]; i++)
		assert_string_equal(was[i], now[i]);
}

/* A refused program has no counters, and neither have the functions that it calls. */
static void test_left(void **state)
{
	struct lab *l = *state;
	const struct object_prog *progs;
	struct covered c;
	STR out = { 0 };
	uint32_t n, left = 0;

	(void)header(l);
	assert_int_equal(again(l, l->text.n), 0);
	assert_int_equal(object_progs(&l->o, &progs, &n, &l->e), 0);
	for (uint32_t i = 0; i < n; i++) {
		const struct arg_list refused = { &progs[i].name, 1 };

		if (!progs[i].nsubprograms)
			continue;
		assert_int_equal(coverage_add(&out, &c, &(struct coverage_ask){ "x.bpf.o", NULL, &refused }, &l->text,
					      l->arena, &l->e),
				 0);
		for (uint32_t k = 0; k < c.nfuncs; k++)
			left += c.funcs[k].why != NULL;
		assert_int_equal(left, 1 + progs[i].nsubprograms);
		return;
	}
	fail();
}

static void refused_by_add(struct lab *l, int code, const char *why)
{
	struct covered c;
	STR out = { 0 };

	assert_int_equal(add(l, &out, &c), code);
	if (!strstr(l->e.msg, why))
		fail_msg("'%s' should say '%s'", l->e.msg, why);
	assert_int_equal(out.n, 0);
}

static void test_refused(void **state)
{
	struct lab *l = *state;
	Elf64_Ehdr *h = header(l);
	Elf64_Shdr *s = named(l, ".symtab");
	const Elf64_Shdr was = *s;
	struct covered c;
	STR out = { 0 };

	h->e_type = ET_DYN;
	refused_by_add(l, -EINVAL, "it is linked");
	h->e_type = ET_REL;
	s->sh_info = UINT32_MAX;
	refused_by_add(l, -EBADMSG, "no valid table of symbols");
	*s = was;
	s = named(l, ".BTF");
	s->sh_type = SHT_REL;
	refused_by_add(l, -EBADMSG, "section .BTF is of an invalid type");
	s->sh_type = SHT_PROGBITS;
	s = named(l, ".BTF.ext");
	s->sh_type = SHT_RELA;
	refused_by_add(l, -ENOTSUP, "relocations with addends");
	s->sh_type = SHT_PROGBITS;
	assert_int_equal(add(l, &out, &c), 0);
	str_reset(&l->text);
	str_add(&l->text, out.p, out.n);
	refused_by_add(l, -EEXIST, "it has counters already");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_counters, setup, teardown),
		cmocka_unit_test_setup_teardown(test_references, setup, teardown),
		cmocka_unit_test_setup_teardown(test_calls, setup, teardown),
		cmocka_unit_test_setup_teardown(test_left, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
