/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "own/own.h"

#include "own/bpf/ids_task.bpf.inc"

#define NO_OPCODE 0xff

/* Standard error of a load with --debug. */
static int load_debugged(const struct own_program *p, struct str *ret)
{
	struct own own = { .debug = true };
	struct own_loaded l;
	char path[] = "/tmp/own.XXXXXX";
	CLEAN_FD file = mkstemp(path);
	CLEAN_FD before = dup(STDERR_FILENO);
	int err;

	assert_true(file >= 0 && before >= 0);
	dup2(file, STDERR_FILENO);
	err = own_load(&own, p, NULL, -1, &l);
	dup2(before, STDERR_FILENO);
	own_close(&l);
	own_release(&own);
	assert_int_equal(str_read_file(ret, path, 1 << 20), 0);
	unlink(path);
	return err;
}

/* What another has made is left out, too. */
static void test_add(void **state)
{
	struct own_object made = { OBJECT_MAP, 7, 0 };
	const struct own other = { .all = &made, .n = 1 };
	struct own own = { .never = true };

	(void)state;
	own_add(&own, &other);
	assert_true(own_has(&own, OBJECT_MAP, 7) && !own_has(&own, OBJECT_PROG, 7));
	own_release(&own);
}

static void test_log(void **state)
{
	CLEAN_PTR unsigned char *bad = malloc(sizeof(elf_ids_task));
	STR text = { 0 };
	size_t i;
	int err;

	(void)state;
	err = load_debugged(&(struct own_program)OWN_PROGRAM(ids_task), &text);
	if (err)
		skip_because("the iterator of tasks cannot be loaded");
	assert_non_null(strstr(text.p, "own: program ids_task loaded"));
	assert_null(strstr(text.p, "processed "));
	assert_non_null(bad);
	memcpy(bad, elf_ids_task, sizeof(elf_ids_task));
	for (i = 0; i + 8 <= sizeof(elf_ids_task); i += 8)
		if (!memcmp(bad + i, "\x95\0\0\0\0\0\0", 8))
			bad[i] = NO_OPCODE;
	str_reset(&text);
	err = load_debugged(&(struct own_program){ "bad", bad, sizeof(elf_ids_task) }, &text);
	assert_int_equal(err, -EINVAL);
	assert_non_null(strstr(text.p, "last insn is not an exit"));
	assert_non_null(strstr(text.p, "own: program bad not loaded: Invalid argument"));
}

/* What is open exists. */
static void test_prune(void **state)
{
	const struct own_map_wish wish = { "pruned", BPF_MAP_TYPE_ARRAY, 4, 4, 1, 0 };
	struct own own = { 0 };
	int kept = own_map(&own, &wish), gone = own_map(&own, &wish);
	uint32_t id;

	(void)state;
	if (kept < 0 || gone < 0)
		skip_because("maps cannot be created here");
	assert_int_equal(own.n, 2);
	id = own.all[0].id;
	close(gone);
	own_prune(&own);
	assert_int_equal(own.n, 1);
	assert_true(own_has(&own, OBJECT_MAP, id));
	close(kept);
	own_prune(&own);
	assert_int_equal(own.n, 0);
	own_release(&own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_prune),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
