/* SPDX-License-Identifier: BSD-2-Clause */
#include "../cli/lab.h"

#include <bpf/libbpf.h>
#include <unistd.h>

#include "base/base.h"
#include "host/pins.h"
#include "load/load.h"

#include "own/bpf/trie.bpf.inc"

static struct str paths; /* of all pins, each followed by a newline */

int __wrap_pins_may_pin(const char *path, bool nomount, struct err *e);
int __wrap_pins_may_pin(const char *path, bool nomount, struct err *e)
{
	(void)nomount, (void)e;
	str_fmt(&paths, "%s\n", path);
	return 0;
}

/* A bpffs has no names with dots: maps are pinned with _ for them. The directory is the user's and stays as it is. */
static void test_dots(void **state)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "x.bpf");
	char dir[] = "/tmp/bpflens.pin.XXXXXX";
	const struct load_pins pins = { .maps = dir };
	struct load load = { 0 };
	struct load_map maps[8];
	struct bpf_map *m;
	struct lab l;
	STR want = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	lab_start(&l, (struct globals){ 0 }, (const struct fake_answer[]){ { 0 } });
	load.env = &l.env;
	load.obj = bpf_object__open_mem(elf_trie, sizeof(elf_trie), &opts);
	assert_non_null(load.obj);
	load.maps = maps;
	bpf_object__for_each_map(m, load.obj) {
		assert_true(load.nmaps < ARRAY_SIZE(maps));
		maps[load.nmaps++] = (struct load_map){ .map = m, .fd = -1 };
		str_fmt(&want, "%s/", dir);
		for (const char *p = bpf_map__name(m); *p; p++)
			str_add(&want, *p == '.' ? "_" : p, 1);
		str_puts(&want, "\n");
	}
	assert_non_null(strstr(want.p, "_rodata\n"));
	assert_int_equal(load_place(&load, &pins, &l.e), 0);
	assert_string_equal(paths.p, want.p);
	str_release(&paths);
	bpf_object__close(load.obj);
	rmdir(dir);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_dots) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
