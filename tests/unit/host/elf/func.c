/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "host/elf/func.h"

__attribute__((noinline)) int global_function(int v);
__attribute__((noinline)) int global_function(int v)
{
	__asm__ volatile("nop;nop;nop");
	return v + 1;
}
int weak_twin(void) __attribute__((alias("strong_twin")));
int strong_twin(void);
__attribute__((noinline)) int strong_twin(void)
{
	__asm__ volatile("nop;nop");
	return 2;
}

/* Offset of an address of this process in its own file. */
static uint64_t file_offset(uint64_t addr)
{
	CLEAN_FILE f = fopen("/proc/self/maps", "re");
	unsigned long start, end, off;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &off) == 3 && addr >= start && addr < end)
			return addr - start + off;
	return 0;
}

static void test_self(void **state)
{
	CLEAN_FD fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uint64_t at = file_offset((uint64_t)(size_t)global_function);
	__attribute__((cleanup(elf_funcs_free))) struct elf_funcs *f = NULL;
	const struct elf_func *found;
	struct elf_func func;

	(void)state;
	assert_int_equal(elf_funcs_read(&f, fd), 0);
	assert_int_equal(elf_funcs_find_named(f, "global_function", &func), 0);
	assert_int_equal(func.offset, at);
	assert_true(func.size > 3);
	for (uint64_t i = 0; i < func.size; i++) {
		found = elf_funcs_at(f, at + i);
		assert_non_null(found);
		assert_string_equal(found->name, "global_function");
	}
	/* Two names of the same address are not ambiguous. */
	assert_int_equal(elf_funcs_find_named(f, "weak_twin", &func), 0);
	assert_int_equal(func.offset, file_offset((uint64_t)(size_t)strong_twin));
	assert_int_equal(elf_funcs_find_named(f, "no_such_function", &func), -ENOENT);
	assert_null(elf_funcs_at(f, 0));
	assert_null(elf_funcs_at(f, UINT64_MAX));
}

/* A file that is being written, or is hostile. */
static void test_damaged(void **state)
{
	static unsigned char bytes[1 << 20];
	CLEAN_FD self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	CLEAN_FD fd = memfd_create("elf", MFD_CLOEXEC);
	ssize_t got = read(self, bytes, sizeof(bytes));
	long n = got > 0 && got <= (ssize_t)sizeof(bytes) ? got : 0;
	struct elf_funcs *f = NULL;

	(void)state;
	assert_true(n > 1000);
	for (ssize_t cut = 0; cut < n; cut += 1 + n / 97) {
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, bytes, (size_t)cut, 0), cut);
		elf_funcs_read(&f, fd);
		elf_funcs_free(&f);
	}
	/* Each byte of the ELF header, of the program headers and of the section headers in turn. */
	assert_int_equal(pwrite(fd, bytes, (size_t)n, 0), n);
	for (ssize_t at = 4; at < n; at += at < 400 ? 1 : at > n - 2600 ? 3 : 4099) {
		unsigned char bad = bytes[at] ^ 0xff;

		assert_int_equal(pwrite(fd, &bad, 1, at), 1);
		if (!elf_funcs_read(&f, fd))
			elf_funcs_at(f, 4096);
		elf_funcs_free(&f);
		assert_int_equal(pwrite(fd, &bytes[at], 1, at), 1);
	}
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(elf_funcs_read(&f, fd), -ENOEXEC);
	assert_null(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_self), cmocka_unit_test(test_damaged) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
