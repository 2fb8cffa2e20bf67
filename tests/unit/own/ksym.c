/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <linux/bpf.h>
#include <bpf/bpf.h>
#include <stdio.h>
#include <string.h>
#include "base/base.h"
#include "own/ksym.h"
#include "host/elf/symbols.h"

static struct ksym ksym;
static struct own own;

static int setup(void **state)
{
	int err = ksym_open(&ksym, &own);

	if (err)
		print_message("no such program here: %s\n", strerror(-err));
	*state = err ? NULL : &ksym;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ksym_close(&ksym);
	assert_false(ksym.loaded.open);
	own_release(&own);
	return 0;
}

/* Every 20th function has the same name and offset in both, even if several share an address. */
static void as_kallsyms(void **state)
{
	char text[KSYM_TEXT_MAX], want[KSYM_TEXT_MAX];
	const struct symbol *sym;
	ARENA a = arena_new();
	STR all = { 0 };
	struct symbols *s;
	unsigned n = 0;

	if (!*state || str_read_file(&all, "/proc/kallsyms", 512u << 20))
		skip_because("/proc/kallsyms cannot be read, or programs cannot be loaded");
	s = symbols_parse(all.p, all.n, a);
	assert_int_equal(symbols_find_named(s, "__bpf_call_base")->addr, ksym.call_base);
	for (char *line = strtok(all.p, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned long long addr;
		char type;

		/* BPF programs come and go meanwhile. */
		if (strstr(line, "[bpf]") || sscanf(line, "%llx %c", &addr, &type) != 2 || !strchr("tT", type) ||
		    n++ % 20)
			continue;
		sym = symbols_find(s, addr);
		for (unsigned off = 0; off < 2; off++) {
			if (ksym_at(&ksym, addr + off, text) || symbols_find(s, addr + off) != sym)
				continue;
			snprintf(want, sizeof(want), "%s+0x%x/0x", sym->name, off);
			text[strlen(want)] = '\0';
			assert_string_equal(text, want);
		}
	}
	assert_true(n > 1000);
}

static void of_programs(void **state)
{
	const struct bpf_insn insns[] = { { .code = 0xb7 }, { .code = 0x95 } };
	struct bpf_prog_info info = { 0 };
	char text[KSYM_TEXT_MAX];
	uint32_t len = sizeof(info);
	uint64_t addr = 0;
	CLEAN_FD fd = -1;

	if (!*state)
		skip_because("programs cannot be loaded here");
	fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "lens_sym", "GPL", insns, 2, NULL);
	assert_true(fd >= 0);
	info.nr_jited_ksyms = 1;
	info.jited_ksyms = (uintptr_t)&addr;
	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &len), 0);
	if (!addr)
		skip_because("programs are not JITed, or their addresses are hidden");
	assert_int_equal(ksym_at(&ksym, addr, text), 0);
	assert_memory_equal(text, "bpf_prog_", 9);
	assert_non_null(strstr(text, "_lens_sym+0x0/0x"));
}

static void nowhere(void **state)
{
	char text[KSYM_TEXT_MAX] = "as it was";

	if (!*state)
		skip_because("programs cannot be loaded here");
	assert_int_equal(ksym_at(&ksym, 0, text), -ENOENT);
	assert_int_equal(ksym_at(&ksym, 4096, text), -ENOENT);
	assert_int_equal(ksym_at(&ksym, UINT64_MAX, text), -ENOENT);
	assert_string_equal(text, "as it was");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_kallsyms),
		cmocka_unit_test(of_programs),
		cmocka_unit_test(nowhere),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
