/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <sys/mman.h>

#include "placed.h"
#include "kernel/perf/data_write.h"
#include "prog/samples/code_at.h"
#include "prog/samples/code_events.h"
#include "prog/samples/code_holds.h"
#include "prog/samples/stacks.h"
#include "source/file/perf_time.h"

/*
 * At one address: the load of 2 begins while 1 is loaded; the end of 2 is unknown, and 3 is there at the end. At
 * another: 4 is gone before the samples begin, and 5 is there before.
 */
static const struct placed progs[] = { { 0xffffffffc0001000, 1000 },
				       { 0xffffffffc0001000, 1500 },
				       { 0xffffffffc0001000, 2500 },
				       { 0xffffffffc0002000, 100 },
				       { 0xffffffffc0002000, 300 } };
static const char lives[] =
	"recorded 50 9000\n1 1000 2000 7 0 copied - a\n2 1500 ? 7 0 copied - a\n3 2500 - 7 0 copied - a\n"
	"4 100 200 7 0 copied - a\n5 300 - 7 0 copied - a\n";

/* "+a@1000 -a@2001": code that comes and goes; capitals are programs. */
static void told_looking(struct codes_seen seen, uint64_t begin, uint64_t until, const struct code_look *look,
			 const char *codes, char *ret, size_t size)
{
	struct scripted *m = placed_new(progs, ARRAY_SIZE(progs), lives);
	CLEAN_FD fd = memfd_create("events", MFD_CLOEXEC);
	const struct perf_time same = { .seen = seen };
	struct perf_data_item item;
	struct code_index *index;
	struct stack_names names;
	struct code_events x;
	struct perf_writer w;
	struct perf_data *d;
	uint64_t place = PERF_DATA_BEGIN;
	size_t n, used = 0;
	void *p;

	if (codes)
		scripted_says(m, "sys/code", 0, codes, strlen(codes));
	assert_int_equal(code_index_new(&m->env, &index, NULL), 0);
	stack_names_init(&names, &m->env, index);
	code_events_make(&x, &names, &same, begin, look);
	perf_writer_init(&w, fd);
	perf_write_begin(&w, &(const struct perf_data_head){ .event = "cycles" });
	code_events_write(&x, &w, until / 2);
	code_events_write(&x, &w, until);
	perf_write_sections(&w, 0);
	assert_int_equal(perf_write_end(&w, NULL), 0);
	n = (size_t)lseek(fd, 0, SEEK_END);
	p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_int_equal(perf_data_open_mem(&d, p, n, "events", NULL), 0);
	*ret = 0;
	while (perf_data_next(d, &place, &item) > 0) {
		const struct sideband_record *r = &item.record;
		const bool code = r->kind == SIDEBAND_KSYMBOL, gone = code ? r->ksymbol.gone : r->prog.event == 2;

		used += (size_t)snprintf(ret + used, size - used, "%s%c%c@%llu", used ? " " : "", gone ? '-' : '+',
					 code ? r->ksymbol.name[strlen(r->ksymbol.name) - 1] :
						(int)('A' + r->prog.id - 1),
					 (unsigned long long)r->time);
	}
	perf_data_close(&d);
	munmap(p, n);
	code_events_release(&x);
	scripted_end(m);
}

static void told(struct codes_seen seen, uint64_t begin, uint64_t until, char *ret, size_t size)
{
	told_looking(seen, begin, until, &(const struct code_look){ .at = { UINT64_MAX, UINT64_MAX } }, NULL, ret,
		     size);
}

static struct codes_seen in_time(struct code_seen *seen, size_t n)
{
	static struct code_seen *by_time[8];

	for (size_t i = 0; i < n; i++)
		by_time[i] = &seen[i];
	return (struct codes_seen){ seen, n, 0, by_time };
}

static void one_after_another(void **state)
{
	struct code_seen seen[] = { { 1650, progs[1].at, .gone = true },
				    { 1700, progs[0].at, .gone = true },
				    { 1800, progs[0].at },
				    { 2600, progs[0].at, .gone = true },
				    { 2700, progs[0].at },
				    { 2800, 0xffffffffc0001004 },
				    { 3000, progs[4].at } };
	char text[512];

	(void)state;
	told((struct codes_seen){ 0 }, 400, UINT64_MAX, text, sizeof(text));
	assert_string_equal(
		text, "+e@0 +E@0 +a@1000 +A@1000 -a@2001 -A@2001 +b@2001 +B@2001 -b@2500 -B@2500 +c@2500 +C@2500");
	told((struct codes_seen){ 0 }, 400, 2000, text, sizeof(text));
	assert_string_equal(text, "+e@0 +E@0 +a@1000 +A@1000");
	/* perf saw other code go during the loads of a and c, not of e. */
	told(in_time(seen, 7), 150, UINT64_MAX, text, sizeof(text));
	assert_string_equal(
		text,
		"+d@0 +D@0 -d@201 -D@201 +e@300 +E@300 +a@1800 +A@1800 -a@2001 -A@2001 +b@2001 +B@2001 -b@2700 "
		"-B@2700 +c@2700 +C@2700");
}

/* What perf saw of these programs is when it was, by its clock, even if the recording has another time. */
static void as_perf_saw(void **state)
{
	struct code_seen seen[] = { { 1800, progs[0].at, .prog = 1 },
				    { 2100, progs[0].at, .prog = 1, .gone = true },
				    { 2200, progs[1].at, .prog = 2 },
				    { 2690, progs[2].at, .prog = 3 },
				    { 2700, progs[1].at, .prog = 2, .gone = true } };
	char text[512];

	(void)state;
	told(in_time(seen, 4), 400, UINT64_MAX, text, sizeof(text));
	assert_string_equal(
		text, "+e@0 +E@0 +a@1000 +A@1000 -a@2100 -A@2100 +b@2200 +B@2200 -b@2500 -B@2500 +c@2500 +C@2500");
	/* The clocks of two CPUs differ: the last of 2 are not those of 3. */
	told(in_time(seen, 5), 400, UINT64_MAX, text, sizeof(text));
	assert_string_equal(
		text, "+e@0 +E@0 +a@1000 +A@1000 -a@2100 -A@2100 +b@2200 +B@2200 -b@2690 -B@2690 +c@2690 +C@2690");
}

/* The recording has the load of 2 only, perf the unload only: it is before 3, whose end is known. */
static void between(void **state)
{
	struct code_seen seen[] = { { 2400, progs[1].at, .prog = 2, .gone = true },
				    { 2600, progs[2].at, .prog = 3 },
				    { 2800, progs[2].at, .prog = 3, .gone = true } };
	const struct code_place *place;
	struct code_index *index;
	struct scripted *m;
	char text[512];

	(void)state;
	told(in_time(seen, 3), 400, UINT64_MAX, text, sizeof(text));
	assert_string_equal(text,
			    "+e@0 +E@0 +a@1000 +A@1000 -a@2001 -A@2001 +b@2001 +B@2001 -b@2400 -B@2400 "
			    "+c@2500 +C@2500 -c@2800 -C@2800");
	m = placed_new(progs, ARRAY_SIZE(progs), lives);
	/* A record of 4 was lost: by its thread the code is 4's, which has another place, or 9's, which is not
	 * recorded. */
	assert_int_equal(code_index_new(&m->env, &index, NULL), 0);
	place = code_seen_place(index, &(const struct code_seen){ .addr = progs[2].at, .prog = 4 }, 2700);
	assert_non_null(place);
	assert_int_equal(place->prog, 3);
	assert_null(code_seen_place(index, &(const struct code_seen){ .addr = progs[2].at, .prog = 9 }, 2700));
	scripted_end(m);
}

/*
 * When perf looks at the kernel's own code, the places of code that is not there yet are held, and a trampoline goes.
 * perf alone saw a program that is there, one that comes later, and a trampoline, which cannot be announced again.
 */
static void held(void **state)
{
	struct code_seen seen[] = { { 0, 0xffffffffc0003000, .what = SEEN_FUNC, .len = 64 },
				    { 0, 0xffffffffc0003f00, .what = SEEN_CODE, .len = 4096 },
				    { 5000, 0xffffffffc0004000, .what = SEEN_FUNC, .len = 64 } };
	static const char codes[] = "0xffffffffc0009000 96 500 1600 - 7 - a bpf_trampoline_t\n";
	char text[768];

	(void)state;
	told_looking((struct codes_seen){ 0 }, 400, UINT64_MAX, &(const struct code_look){ .at = { 1200, 1200 } },
		     codes, text, sizeof(text));
	assert_string_equal(text,
			    "+e@0 +E@0 +t@500 +a@1000 +A@1000 -t@1200 +n@1200 -n@1201 +t@1201 -t@1601 -a@2001 "
			    "-A@2001 +b@2001 +B@2001 -b@2500 -B@2500 +c@2500 +C@2500");
	told_looking(in_time(seen, 3), 400, 1700, &(const struct code_look){ .at = { 600, 450 } }, codes, text,
		     sizeof(text));
	assert_string_equal(text,
			    "+e@0 +E@0 +n@450 +n@450 +n@450 -n@451 -n@451 -n@451 +t@500 -t@600 +n@600 +n@600 "
			    "+n@600 -n@601 -n@601 -n@601 +t@601 +a@1000 +A@1000 -t@1601");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(one_after_another), cmocka_unit_test(as_perf_saw),
					    cmocka_unit_test(between), cmocka_unit_test(held) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
