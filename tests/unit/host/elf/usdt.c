/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "base/bytes.h"
#include "host/elf/usdt.h"

/*
 * A program that loads its first 0x1000 bytes at 0x400000: sections .note.stapsdt at 0x200, with the notes, and
 * .stapsdt.base, at an address 0x100 above what the notes say.
 */
enum { NOTES = 0x200, HEADERS = 0x800, SIZE = 0x1000, BASE = 0x400f00 };
#define NAMES "\0.note.stapsdt\0.stapsdt.base\0.shstrtab"
struct image {
	unsigned char bytes[SIZE];
	bool big, wide;
	size_t notes; /* bytes */
};

static void put(struct image *m, size_t at, size_t size, uint64_t v)
{
	store_uint(m->bytes + at, size, v, m->big);
}

#define PUT(m, at, T32, T64, member, v) \
	((m)->wide ? put(m, (at) + offsetof(T64, member), sizeof(((T64 *)0)->member), v) : \
		     put(m, (at) + offsetof(T32, member), sizeof(((T32 *)0)->member), v))

static void section(struct image *m, unsigned i, uint32_t name, uint32_t type, uint64_t addr, uint64_t off, uint64_t n)
{
	size_t at = HEADERS + i * (m->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));

	PUT(m, at, Elf32_Shdr, Elf64_Shdr, sh_name, name);
	PUT(m, at, Elf32_Shdr, Elf64_Shdr, sh_type, type);
	PUT(m, at, Elf32_Shdr, Elf64_Shdr, sh_addr, addr);
	PUT(m, at, Elf32_Shdr, Elf64_Shdr, sh_offset, off);
	PUT(m, at, Elf32_Shdr, Elf64_Shdr, sh_size, n);
}

static void image_init(struct image *m, bool big, bool wide)
{
	size_t phoff = wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);

	*m = (struct image){ .big = big, .wide = wide };
	memcpy(m->bytes, ELFMAG, SELFMAG);
	m->bytes[EI_CLASS] = wide ? ELFCLASS64 : ELFCLASS32;
	m->bytes[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
	m->bytes[EI_VERSION] = EV_CURRENT;
	PUT(m, 0, Elf32_Ehdr, Elf64_Ehdr, e_type, ET_EXEC);
	PUT(m, 0, Elf32_Ehdr, Elf64_Ehdr, e_machine, EM_S390);
	PUT(m, 0, Elf32_Ehdr, Elf64_Ehdr, e_version, EV_CURRENT);
	PUT(m, 0, Elf32_Ehdr, Elf64_Ehdr, e_phoff, phoff);
	PUT(m, 0, Elf32_Ehdr, Elf64_Ehdr, e_shoff, HEADERS);
	PUT(m, 0, Elf32_Ehdr, Elf64_Ehdr, e_ehsize, phoff);
	PUT(m, 0, Elf32_Ehdr, Elf64_Ehdr, e_phentsize, wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
	PUT(m, 0, Elf32_Ehdr, Elf64_Ehdr, e_phnum, 1);
	PUT(m, 0, Elf32_Ehdr, Elf64_Ehdr, e_shentsize, wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	PUT(m, 0, Elf32_Ehdr, Elf64_Ehdr, e_shnum, 4);
	PUT(m, 0, Elf32_Ehdr, Elf64_Ehdr, e_shstrndx, 3);
	PUT(m, phoff, Elf32_Phdr, Elf64_Phdr, p_type, PT_LOAD);
	PUT(m, phoff, Elf32_Phdr, Elf64_Phdr, p_vaddr, 0x400000);
	PUT(m, phoff, Elf32_Phdr, Elf64_Phdr, p_filesz, SIZE);
	PUT(m, phoff, Elf32_Phdr, Elf64_Phdr, p_memsz, SIZE);
	memcpy(m->bytes + 0x700, NAMES, sizeof(NAMES));
	section(m, 2, 15, SHT_PROGBITS, BASE, 0xf00, 1);
	section(m, 3, 29, SHT_STRTAB, 0, 0x700, sizeof(NAMES));
}

/* @text: provider, name and arguments, each with its NUL. */
static void note(struct image *m, uint64_t address, uint64_t semaphore, const char *text, size_t n)
{
	const size_t width = m->wide ? 8 : 4, at = NOTES + m->notes;

	put(m, at, 4, 8);
	put(m, at + 4, 4, 3 * width + n);
	put(m, at + 8, 4, 3);
	memcpy(m->bytes + at + 12, "stapsdt", 8);
	put(m, at + 20, width, address);
	put(m, at + 20 + width, width, BASE - 0x100);
	put(m, at + 20 + 2 * width, width, semaphore);
	memcpy(m->bytes + at + 20 + 3 * width, text, n);
	m->notes += (20 + 3 * width + n + 3) & ~(size_t)3;
	section(m, 1, 1, SHT_NOTE, 0, NOTES, m->notes);
}
#define NOTE(m, address, semaphore, text) note(m, address, semaphore, text, sizeof(text))

static int image_read(const struct image *m, size_t size, struct usdt_file *ret, struct arena *a)
{
	CLEAN_FD fd = memfd_create("usdt", MFD_CLOEXEC);

	assert_int_equal(write(fd, m->bytes, size), (ssize_t)size);
	return usdt_read(ret, fd, a);
}

static void test_classes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		ARENA a = arena_new();
		struct image m;
		struct usdt_file f;

		image_init(&m, i & 1, i & 2);
		NOTE(&m, 0x400010, 0x400020, "app\0begin\0-4@%r2 8@16(%r11)");
		NOTE(&m, 0x400014, 0, "app\0end\0");
		NOTE(&m, 0x500000, 0, "app\0elsewhere\0");
		assert_int_equal(image_read(&m, SIZE, &f, a), 0);
		assert_int_equal(f.machine, EM_S390);
		assert_int_equal(f.big, i & 1);
		assert_int_equal(f.pointer, i & 2 ? 8 : 4);
		assert_int_equal(f.n, 2);
		assert_int_equal(f.outside, 1);
		assert_string_equal(f.probes[0].provider, "app");
		assert_string_equal(f.probes[0].name, "begin");
		assert_string_equal(f.probes[0].args, "-4@%r2 8@16(%r11)");
		assert_int_equal(f.probes[0].address, 0x400110);
		assert_int_equal(f.probes[0].offset, 0x110);
		assert_int_equal(f.probes[0].semaphore, 0x400120);
		assert_int_equal(f.probes[0].semaphore_offset, 0x120);
		assert_string_equal(f.probes[1].args, "");
		assert_int_equal(f.probes[1].semaphore, 0);
	}
}

static void test_damaged_notes(void **state)
{
	ARENA a = arena_new();
	struct usdt_file f;
	struct image m;

	(void)state;
	image_init(&m, false, true);
	section(&m, 1, 1, SHT_NOTE, 0, NOTES, 0);
	assert_int_equal(image_read(&m, SIZE, &f, a), 0);
	assert_int_equal(f.n, 0);
	NOTE(&m, 0x400010, 0, "app\0begin\0");
	/* Of another owner, and of another type. */
	m.bytes[NOTES + 12] = 'S';
	assert_int_equal(image_read(&m, SIZE, &f, a), 0);
	assert_int_equal(f.n, 0);
	m.bytes[NOTES + 12] = 's';
	m.bytes[NOTES + 8] = 4;
	assert_int_equal(image_read(&m, SIZE, &f, a), 0);
	assert_int_equal(f.n, 0);
	m.bytes[NOTES + 8] = 3;
	for (size_t n = 1; n < m.notes - 3; n++) {
		section(&m, 1, 1, SHT_NOTE, 0, NOTES, n);
		assert_int_equal(image_read(&m, SIZE, &f, a), -EBADMSG);
	}
	section(&m, 1, 1, SHT_NOTE, 0, NOTES, m.notes);
	for (uint64_t n = 0; n < 35; n++) {
		put(&m, NOTES + 4, 4, n);
		assert_int_equal(image_read(&m, SIZE, &f, a), -EBADMSG);
	}
	put(&m, NOTES + 4, 4, UINT32_MAX);
	assert_int_equal(image_read(&m, SIZE, &f, a), -EBADMSG);
	put(&m, NOTES, 4, UINT32_MAX);
	assert_int_equal(image_read(&m, SIZE, &f, a), -EBADMSG);
	section(&m, 1, 1, SHT_NOBITS, 0, NOTES, 100);
	assert_int_equal(image_read(&m, SIZE, &f, a), -ENODATA);
	section(&m, 1, 2, SHT_NOTE, 0, NOTES, 100);
	assert_int_equal(image_read(&m, SIZE, &f, a), -ENODATA);
	assert_int_equal(image_read(&m, 3, &f, a), -ENOEXEC);
	for (size_t n = 4; n < SIZE; n += 61)
		assert_int_not_equal(image_read(&m, n, &f, a), 0);
}

static void test_arguments(void **state)
{
	static const struct {
		uint32_t size;
		bool is_signed, is_float;
		const char *where;
	} want[] = {
		{ 4, true, false, "%edi" },	 { 8, false, false, "-16(%rbp, %rax)" },
		{ 4, true, true, "%xmm0" },	 { 1, true, false, "$5" },
		{ 4, false, false, "[sp, 60]" }, { 0, false, false, "%rax" },
		{ 1000, false, false, "x" },	 { 0, false, false, "-4" },
		{ 8, false, false, "" },	 { 2, false, false, "a)b" },
	};
	const char *text = " -4@%edi 8@-16(%rbp, %rax)  -4f@%xmm0 -1@$5 4@[sp, 60] %rax 1000@x -4 8@ 2@a)b ";
	ARENA a = arena_new();
	struct usdt_arg arg;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_true(usdt_arg_next(&text, &arg, a));
		assert_string_equal(arg.where, want[i].where);
		assert_int_equal(arg.size, want[i].size);
		assert_int_equal(arg.is_signed, want[i].is_signed);
		assert_int_equal(arg.is_float, want[i].is_float);
	}
	assert_false(usdt_arg_next(&text, &arg, a));
	text = "4@(((";
	assert_true(usdt_arg_next(&text, &arg, a));
	assert_false(usdt_arg_next(&text, &arg, a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_damaged_notes),
		cmocka_unit_test(test_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
