/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "base/bytes.h"
#include "base/swap.h"
#include "host/elf/elf.h"

#define DATA_HERE (BIG_HERE ? ELFDATA2MSB : ELFDATA2LSB)

/* A file with the sections "", ".BTF" of four bytes, ".strs" and ".none". */
struct file {
	Elf64_Ehdr eh;
	Elf64_Shdr sh[4];
	char names[32], bytes[4];
};

static void make(struct file *f)
{
	static const char names[] = "\0.BTF\0.strs\0.none";

	*f = (struct file){
		.eh = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, DATA_HERE, EV_CURRENT },
			.e_type = ET_REL,
			.e_machine = EM_BPF,
			.e_version = EV_CURRENT,
			.e_ehsize = sizeof(f->eh),
			.e_shentsize = sizeof(f->sh[0]),
			.e_shnum = 4,
			.e_shstrndx = 2,
			.e_shoff = offsetof(struct file, sh),
		},
		.sh = {
			[1] = {
				.sh_name = 1,
				.sh_type = SHT_PROGBITS,
				.sh_offset = offsetof(struct file, bytes),
				.sh_size = 4,
			},
			[2] = {
				.sh_name = 6,
				.sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct file, names),
				.sh_size = 32,
			},
			[3] = {
				.sh_name = 12,
				.sh_type = SHT_NOBITS,
				.sh_size = 100,
			},
		},
		.bytes = { 'a', 'b', 'c', 'd' },
	};
	memcpy(f->names, names, sizeof(names));
}

static void test_found(void **state)
{
	const void *p = NULL;
	struct file f;
	size_t n = 0;

	(void)state;
	make(&f);
	assert_true(elf_is(&f, sizeof(f)));
	assert_int_equal(elf_section(&f, sizeof(f), ".BTF", &p, &n), 0);
	assert_int_equal(n, 4);
	assert_ptr_equal(p, f.bytes);
	assert_int_equal(elf_section(&f, sizeof(f), ".text", &p, &n), -ENOENT);
	assert_int_equal(elf_section(&f, sizeof(f), ".none", &p, &n), -EBADMSG);
	assert_int_equal(n, 4);
}

static void test_damaged(void **state)
{
	const void *p = NULL;
	struct file f;
	size_t n;

	(void)state;
	assert_false(elf_is("\177EL", 3));
	assert_false(elf_is("abcdef", 6));
	make(&f);
	f.sh[1].sh_offset = sizeof(f) - 2;
	assert_int_equal(elf_section(&f, sizeof(f), ".BTF", &p, &n), -EBADMSG);
	f.sh[1].sh_offset = UINT64_MAX - 1;
	assert_int_equal(elf_section(&f, sizeof(f), ".BTF", &p, &n), -EBADMSG);
	make(&f);
	f.sh[1].sh_flags = SHF_COMPRESSED;
	assert_int_equal(elf_section(&f, sizeof(f), ".BTF", &p, &n), -EBADMSG);
	make(&f);
	f.eh.e_shoff = sizeof(f) * 2;
	assert_true(elf_section(&f, sizeof(f), ".BTF", &p, &n) < 0);
	make(&f);
	f.sh[1].sh_name = 100000;
	assert_int_equal(elf_section(&f, sizeof(f), ".BTF", &p, &n), -ENOENT);
	/* Truncated anywhere: an answer, and never one outside of the file. */
	make(&f);
	for (size_t cut = 0; cut < offsetof(struct file, bytes) + 4; cut++)
		assert_true(elf_section(&f, cut, ".BTF", &p, &n) < 0);
	assert_null(p);
}

static void refused(const struct file *f, int code, const char *why)
{
	ARENA a = arena_new();
	struct elf_object o;
	struct err e = { 0 };

	assert_int_equal(elf_object(&o, f, sizeof(*f), a, &e), code);
	assert_non_null(strstr(e.msg, why));
}

static void test_object(void **state)
{
	ARENA a = arena_new();
	struct elf_object o;
	struct file f;

	(void)state;
	make(&f);
	assert_int_equal(elf_object(&o, &f, sizeof(f), a, NULL), 0);
	assert_int_equal(o.machine, EM_BPF);
	assert_int_equal(o.nsects, 4);
	assert_string_equal(o.sects[1].name, ".BTF");
	assert_ptr_equal(o.sects[1].p, f.bytes);
	assert_int_equal(o.sects[3].size, 100);
	assert_null(o.sects[3].p);
	assert_int_equal(o.nsymbols, 0);
	assert_int_equal(elf_nrelocs(&o.sects[1]), 0);
	assert_int_equal(elf_bpf_extent(&f, sizeof(f)), offsetof(struct file, bytes) + 4);
	assert_int_equal(elf_bpf_extent(&f, offsetof(struct file, bytes) + 3), 0);
	f.sh[1].sh_offset = offsetof(struct file, names);
	f.sh[1].sh_size = sizeof(f) - offsetof(struct file, names);
	f.sh[2].sh_size = sizeof(f) - offsetof(struct file, names);
	f.sh[0].sh_size = UINT64_MAX;
	f.sh[3].sh_type = SHT_PROGBITS;
	f.sh[3].sh_size = sizeof(f);
	refused(&f, -EBADMSG, "its sections overlap");
	make(&f);
	f.names[sizeof(f.names) - 1] = 'x';
	refused(&f, -EBADMSG, "has no name");
	make(&f);
	f.eh.e_shentsize = 63;
	refused(&f, -EBADMSG, "section headers");
	make(&f);
	/* A symbol table without strings. */
	f.sh[1].sh_type = SHT_SYMTAB;
	f.sh[1].sh_link = 4;
	refused(&f, -EBADMSG, "symbol table is damaged");
	make(&f);
	f.eh.e_machine = EM_X86_64;
	assert_int_equal(elf_bpf_extent(&f, sizeof(f)), 0);
}

/* The same of a machine of the other byte order. */
static void test_other_order(void **state)
{
	ARENA a = arena_new();
	struct elf_object o;
	struct file f;

	make(&f);
	assert_int_equal(elf_object(&o, &f, sizeof(f), a, NULL), 0);
	assert_int_equal(o.big, BIG_HERE);
	swap_record("16s2HI3QI6H", (unsigned char *)&f.eh, sizeof(f.eh));
	swap_records("2I4Q2I2Q", (unsigned char *)f.sh, sizeof(f.sh));
	f.eh.e_ident[EI_DATA] = BIG_HERE ? ELFDATA2LSB : ELFDATA2MSB;
	assert_int_equal(elf_object(&o, &f, sizeof(f), a, NULL), 0);
	assert_int_equal(o.big, !BIG_HERE);
	assert_int_equal(o.machine, EM_BPF);
	assert_int_equal(o.nsects, 4);
	assert_ptr_equal(o.sects[1].p, f.bytes);
	assert_int_equal(o.sects[3].size, 100);
	assert_int_equal(elf_bpf_extent(&f, sizeof(f)), offsetof(struct file, bytes) + 4);
	f.eh.e_ident[EI_DATA] = ELFDATANONE;
	refused(&f, -ENOTSUP, "unknown byte order");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_object),
		cmocka_unit_test(test_other_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
