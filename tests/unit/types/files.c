/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "types/files.h"
#include "build.h"

static char dir[] = "/tmp/btf-file-XXXXXX";
enum { PATHS = 7 };
/* base, two modules, nonsense, the base as an object file, one without BTF, the base of a 32-bit machine */
static char paths[PATHS][64];

static void save(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	fclose(f);
}

/* struct mod has types that both modules know: they are the same. */
static void module(const struct btf_build *base, const char *own, const char *path)
{
	struct btf_build b;

	build_init_split(&b, base->next, base->strs_n);
	if (own[0] == 'b')
		build_ref(&b, BTF_KIND_CONST, NULL, 1);
	build_type(&b, "mod", BTF_KIND_STRUCT, 1, 0, 8);
	build_member(&b, "data", b.next, 0);
	build_ref(&b, BTF_KIND_PTR, NULL, 1);
	build_type(&b, own, BTF_KIND_STRUCT, 1, 0, 8);
	build_member(&b, "mod", b.next - 3, 0);
	build_type(&b, "e", BTF_KIND_ENUM, 1, 0, 4);
	build_pair(&b, own, 1);
	build_done(&b);
	save(path, b.out, b.out_n);
}

/* An object file of a 32-bit machine with the types at @b. */
static void elf32_save(const struct btf_build *b, const char *path)
{
	static struct elf32 {
		Elf32_Ehdr eh;
		Elf32_Shdr sh[3];
		char names[8];
		unsigned char bytes[sizeof(b->out)];
	} f;

	f = (struct elf32){
		.eh = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32,
				      BIG_HERE ? ELFDATA2MSB : ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_REL,
			.e_machine = EM_ARM,
			.e_version = EV_CURRENT,
			.e_ehsize = sizeof(f.eh),
			.e_shentsize = sizeof(f.sh[0]),
			.e_shnum = 3,
			.e_shstrndx = 2,
			.e_shoff = offsetof(struct elf32, sh),
		},
		.sh = {
			[1] = {
				.sh_name = 1,
				.sh_type = SHT_PROGBITS,
				.sh_offset = offsetof(struct elf32, bytes),
				.sh_size = (Elf32_Word)b->out_n,
			},
			[2] = {
				.sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct elf32, names),
				.sh_size = sizeof(f.names),
			},
		},
		.names = "\0.BTF",
	};
	memcpy(f.bytes, b->out, b->out_n);
	save(path, &f, sizeof(f));
}

static int setup(void **state)
{
	static const char *const names[] = { "base", "one", "two", "nonsense", "base.o", "none.o", "base32.o" };
	static struct build_elf elf;
	struct btf_build b;

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < PATHS; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s/%s", dir, names[i]);
	build_init(&b);
	build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	build_done(&b);
	save(paths[0], b.out, b.out_n);
	build_elf(&b, ".BTF", &elf);
	save(paths[4], &elf, sizeof(elf));
	build_elf(&b, ".text", &elf);
	save(paths[5], &elf, sizeof(elf));
	elf32_save(&b, paths[6]);
	module(&b, "a_own", paths[1]);
	module(&b, "b_own", paths[2]);
	save(paths[3], "\177ELF nonsense", 13);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < PATHS; i++)
		unlink(paths[i]);
	return rmdir(dir);
}

static void test_one(void **state)
{
	const char *const base[] = { paths[0] }, *const one[] = { paths[1] };
	struct err e = { 0 };

	(void)state;
	{
		BTF_FILES f = { 0 };

		assert_int_equal(btf_files_read(&f, base, 1, NULL, &e), 0);
		assert_int_equal(btf_count(f.types), 2);
	}
	{
		/* It needs no base, and gets none. */
		BTF_FILES f = { 0 };

		assert_int_equal(btf_files_read(&f, base, 1, paths[0], &e), 0);
		assert_int_equal(btf_start(f.types), 1);
	}
	{
		BTF_FILES f = { 0 };

		assert_int_equal(btf_files_read(&f, one, 1, paths[0], &e), 0);
		assert_int_equal(btf_start(f.types), 2);
		assert_string_equal(btf_name(f.types, 1), "int");
		assert_string_equal(btf_name(f.types, 2), "mod");
	}
}

static void test_object(void **state)
{
	const char *const base[] = { paths[4] }, *const one[] = { paths[1] };
	BTF_FILES f = { 0 }, on = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(btf_files_read(&f, base, 1, NULL, &e), 0);
	assert_string_equal(btf_name(f.types, 1), "int");
	assert_int_equal(btf_files_read(&on, one, 1, paths[4], &e), 0);
	assert_int_equal(btf_start(on.types), 2);
}

static unsigned named(const struct btf_types *t, const char *name)
{
	unsigned n = 0;

	for (uint32_t id = 1; id < btf_count(t); id++)
		n += !strcmp(btf_name(t, id), name);
	return n;
}

static void test_several(void **state)
{
	const char *const both[] = { paths[1], paths[2] };
	const struct btf_type *own;
	BTF_FILES f = { 0 };
	struct err e = { 0 };

	(void)state;
	if (btf_files_read(&f, both, 2, paths[0], &e))
		fail_msg("%s", e.msg);
	assert_int_equal(btf_start(f.types), 2);
	assert_int_equal(named(f.types, "mod"), 1);
	assert_int_equal(named(f.types, "a_own"), 1);
	assert_int_equal(named(f.types, "b_own"), 1);
	own = btf_type(f.types, btf_find(f.types, "b_own", BTF_KIND_STRUCT));
	assert_int_equal(btf_members_of(own)->type, btf_find(f.types, "mod", BTF_KIND_STRUCT));
	own = btf_type(f.types, btf_find(f.types, "mod", BTF_KIND_STRUCT));
	own = btf_type(f.types, btf_members_of(own)->type);
	assert_int_equal(btf_kind_of(own), BTF_KIND_PTR);
	assert_int_equal(own->type, 1);
	assert_int_equal(named(f.types, "e"), 2);
}

static void refuse(const char *a, const char *b, const char *base, int code)
{
	const char *const list[] = { a, b };
	BTF_FILES f = { 0 }, quiet = { 0 };
	struct err e = { 0 };

	assert_int_equal(btf_files_read(&f, list, b ? 2 : 1, base, &e), code);
	assert_int_equal(e.code, code);
	assert_int_equal(btf_files_read(&quiet, list, b ? 2 : 1, base, NULL), code);
	assert_null(f.types);
}

static void test_refuse(void **state)
{
	(void)state;
	refuse("/nonexistent", NULL, NULL, -ENOENT);
	refuse(paths[3], NULL, NULL, -EBADMSG);
	refuse(paths[1], NULL, NULL, -EBADMSG);
	refuse(paths[1], paths[2], NULL, -EINVAL);
	refuse(paths[1], paths[0], paths[0], -EINVAL);
	refuse(paths[1], paths[2], paths[1], -EBADMSG);
	refuse(paths[1], NULL, "/nonexistent", -ENOENT);
	refuse(paths[5], NULL, NULL, -ENOENT);
	refuse(paths[1], NULL, paths[5], -ENOENT);
}

static void base(const char *bytes, size_t n, int want)
{
	char path[] = "/tmp/bpflens-btf-XXXXXX";
	CLEAN_FD fd = mkstemp(path);
	struct err e = { 0 };
	BTF_FILES f = { 0 };

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	assert_int_equal(btf_base_read(&f, path, &e), want);
	if (want)
		assert_int_equal(strncmp(e.msg, path, strlen(path)), 0);
	assert_true(want ? !f.base : !!f.base);
	assert_null(f.types);
	unlink(path);
}

static void test_base(void **state)
{
	/* Magic, version, flags, header's length; no types, one byte of strings. */
	static const char empty[] = {
		"\x9f\xeb\1\0"
		"\x18\0\0\0"
		"\0\0\0\0"
		"\0\0\0\0"
		"\0\0\0\0"
		"\1\0\0\0"
	};

	(void)state;
	base(empty, sizeof(empty), 0);
	base(empty, sizeof(empty) - 1, -EBADMSG);
	base("", 0, -EBADMSG);
	base("text", 4, -EBADMSG);
	base("\x7f"
	     "ELF and no more",
	     16, -EBADMSG);
}

static void test_base_places(void **state)
{
	BTF_FILES f = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(btf_base_read(&f, "/nonexistent", &e), -ENOENT);
	assert_string_equal(e.msg, "cannot read /nonexistent: No such file or directory");
	assert_int_equal(err_exit_status(&e), EXIT_NOT_FOUND);
	assert_int_equal(btf_base_read(&f, "/", NULL), -EISDIR);
	assert_int_equal(btf_base_read(&f, "/dev/null", NULL), -EBADMSG);
	/* An object file without BTF: this program. */
	assert_int_equal(btf_base_read(&f, "/proc/self/exe", NULL), -ENOENT);
	/* It is split BTF itself. */
	assert_int_equal(btf_base_read(&f, paths[1], NULL), -EBADMSG);
	assert_null(f.base);
}

/* The class of an object file is the size of its pointers, even without a type that shows it. */
static void test_pointers(void **state)
{
	const char *const files[] = { paths[0], paths[4], paths[6] };
	const uint32_t bytes[] = { 8, 8, 4 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		BTF_FILES f = { 0 };

		assert_int_equal(btf_files_read(&f, &files[i], 1, NULL, NULL), 0);
		assert_int_equal(btf_pointer_size(f.types), bytes[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),	 cmocka_unit_test(test_object), cmocka_unit_test(test_several),
		cmocka_unit_test(test_refuse),	 cmocka_unit_test(test_base),	cmocka_unit_test(test_base_places),
		cmocka_unit_test(test_pointers),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
