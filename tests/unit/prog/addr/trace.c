/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "prog/addr/trace.h"

#define TAG "6deef7357e7b4530"
#define SYM "bpf_prog_" TAG "_sd_devices"

static void test_words(void **state)
{
	static const char *const bad[] = {
		"",
		"0x",
		"g",
		"-1",
		"12345678123456789",
		"bpf_prog_",
		"bpf_prog_6deef7357e7b453_x",
		"bpf_prog_get+0x1",
		SYM "+",
		SYM "+0x",
		SYM "+0x1g",
		SYM "+1/",
		SYM "+0x1/0x2 x",
		"[<12>",
		"+0x1",
		"main+0x1",
		"ffff ffff",
		SYM "+0x11111111111111111",
		SYM "+99999999999999999999",
		"bpf_prog_" TAG "x",
	};
	struct trace_frame f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (trace_frame_parse(bad[i], &f))
			fail_msg("'%s' is not a place", bad[i]);
	assert_true(trace_frame_parse("ffffffffc0001234", &f) && !f.symbol && f.addr == 0xffffffffc0001234 &&
		    f.how == TRACE_PC);
	assert_true(trace_frame_parse("0xC0", &f) && f.addr == 0xc0);
	assert_true(trace_frame_parse("[<ffffffffc0001234>]", &f) && f.addr == 0xffffffffc0001234);
	assert_true(trace_frame_parse(SYM "+0x1a/0x40 [bpf]", &f) && f.symbol && f.off == 0x1a && f.size == 0x40 &&
		    f.has_off);
	assert_string_equal(f.name, "sd_devices");
	assert_memory_equal(f.tag, "\x6d\xee\xf7\x35\x7e\x7b\x45\x30", 8);
	assert_true(trace_frame_parse("bpf_prog_" TAG, &f) && !*f.name && !f.has_off && !f.off && !f.size);
	assert_true(trace_frame_parse("bpf_prog_" TAG "_a.b_c_+26", &f) && f.off == 26);
	assert_string_equal(f.name, "a.b_c_");
}

static void test_text(void **state)
{
	static const char *const same[] = { SYM "+0x1a/0x40", SYM, "bpf_prog_" TAG, "bpf_prog_" TAG "+0x0",
					    "0xffffffffc0001234" };
	char buf[TRACE_TEXT_MAX];
	struct trace_frame f, g;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		assert_true(trace_frame_parse(same[i], &f));
		trace_frame_text(&f, buf, sizeof(buf));
		assert_string_equal(buf, same[i]);
		assert_true(trace_frame_parse(buf, &g) && trace_frame_same(&f, &g));
	}
}

/* "OFFSET HOW" or "ADDRESS HOW" of each frame, separated by blanks. */
static const char *frames(const char *text)
{
	static char out[1024];
	struct trace t = { 0 };
	struct trace_frame f;
	size_t n = 0;

	out[0] = '\0';
	while (*text) {
		const char *nl = strchr(text, '\n'), *end = nl ? nl + 1 : text + strlen(text);

		trace_line(&t, text, (size_t)(end - text));
		while (trace_next(&t, &text, end, &f))
			n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%s%llx%c", n ? " " : "", f.symbol ? "+" : "",
					      (unsigned long long)(f.symbol ? f.off : f.addr), "=<?"[f.how]);
	}
	return out;
}

/* =: the address itself; <: a return address; ?: maybe one. */
static const struct {
	const char *what, *text, *want;
} formats[] = {
	{ "x86, RIP", "RIP: 0010:" SYM "+0x1a/0x40\n", "+1a=" },
	{ "x86, time stamp", "[  123.456789] RIP: 0010:" SYM "+0x1a/0x40 [bpf]\n", "+1a=" },
	{ "syslog", "Nov 21 20:00:00 host kernel: [12345.6]  " SYM "+0x1a/0x40\n", "+1a<" },
	{ "x86, trace", "Call Trace:\n <TASK>\n " SYM "+0x1a/0x40\n ? " SYM "+0x1b/0x40\n do_exit+0x1/0x2\n",
	  "+1a< +1b?" },
	{ "x86, until 4.9",
	  "RIP: 0010:[<ffffffffc0001234>]  [<ffffffffc0001234>] " SYM "+0x1a/0x40\n"
	  " [<ffffffffc0001235>] ? " SYM "+0x1b/0x40\n [<ffffffffc0001236>] " SYM "+0x1c/0x40\n",
	  "ffffffffc0001234= ffffffffc0001234= +1a= ffffffffc0001235? +1b? ffffffffc0001236< +1c<" },
	{ "x86, cause", "BUG: unable to handle page fault\nIP: " SYM "+0x1a/0x40\n", "+1a=" },
	{ "x86, 32 bits", "EIP: " SYM "+0x1a/0x40\nEAX: c0001234 EBX: 00000000\n", "+1a= c0001234< 0<" },
	{ "arm64",
	  "pc : " SYM "+0x1a/0x40\nlr : " SYM "+0x2a/0x40\nsp : ffff800008003d20\nCall trace:\n"
	  " " SYM "+0x1a/0x40\n " SYM "+0x2a/0x40\n",
	  "+1a= +2a< ffff800008003d20< +1a= +2a<" },
	{ "arm", "PC is at " SYM "+0x1a/0x40\nLR is at " SYM "+0x2a/0x40\n", "+1a= +2a<" },
	{ "riscv", "epc : " SYM "+0x1a/0x40 ra : " SYM "+0x2a/0x40\n", "+1a= +2a<" },
	{ "ppc", "NIP [c008000001234567] " SYM "+0x1a/0x40\nLR [c008000001234567] " SYM "+0x1b/0x40\n",
	  "c008000001234567= +1a= c008000001234567< +1b<" },
	{ "s390", "Krnl PSW : 0704c00180000000 000003ff80012345 (" SYM "+0x1a/0x40 [bpf])\n",
	  "704c00180000000= 3ff80012345= +1a=" },
	{ "/proc/PID/stack", "[<0>] " SYM "+0x1a/0x40\n[<0>] do_exit+0x1/0x2\n", "+1a<" },
	{ "ftrace", "            cat-1    [000] .... 1.0: <stack trace>\n => " SYM "\n => " SYM "+0x1a/0x40\n",
	  "+0< +1a<" },
	{ "perf script",
	  "cat 1 [000] 1.0: 1 cycles: \n\tffffffffc0001234 " SYM "+0x1a (" SYM ")\n\tffffffffc0001240 " SYM
	  "+0x26 (" SYM ")\n"
	  "\tffffffff81000000 do_exit+0x1 ([kernel.kallsyms])\n\ncat 1 [000] 1.0: 1 cycles: \n\tffffffffc0001234 " SYM
	  "+0x1a (" SYM ")\n",
	  "ffffffffc0001234= +1a= +0= ffffffffc0001240< +26< +0< ffffffff81000000< ffffffffc0001234= +1a= +0=" },
	{ "perf script, one line", "cat 1 [000] 1.0: 1 cycles: ffffffffc0001234 " SYM "+0x1a (" SYM ")\n",
	  "ffffffffc0001234= +1a= +0=" },
	{ "bpftrace",
	  "@[\n    " SYM "+94\n    " SYM "+12\n    do_exit+3\n]: 1\n@[\n    do_exit+3\n    " SYM "+94\n]: 2\n",
	  "+5e= +c< +5e<" },
	{ "folded", "cat;do_exit;" SYM ";" SYM "_2 17\n", "+0< +0<" },
	{ "crash",
	  " #0 [ffffc90000123456] " SYM " at ffffffffc0001234\n #1 [ffffc90000123456] " SYM " at ffffffffc0001234\n"
	  "    [exception RIP: " SYM "+26]\n",
	  "ffffc90000123456= +0= ffffffffc0001234= ffffc90000123456< +0< ffffffffc0001234< +1a=" },
	{ "gdb", "#0  0xffffffffc0001234 in " SYM " ()\n#1  0xffffffffc0001234 in ?? ()\n",
	  "ffffffffc0001234= +0= ffffffffc0001234<" },
	{ "JSON",
	  "{\"MESSAGE\":\"RIP: 0010:" SYM "+0x1a/0x40\\nCall Trace:\\n\\t" SYM "+0x1b/0x40\\u0009" SYM
	  "+0x1c/0x40 [bpf]\"}\n",
	  "+1a= +1b< +1c<" },
	{ "JSON in JSON", "\"{\\\"m\\\":\\\"RIP: " SYM "+0x1a/0x40\\\\n" SYM "+0x1b/0x40\\\"}\"\n", "+1a= +1b<" },
	{ "a sentence", "It crashed in " SYM "+0x1a/0x40.\nAnd in " SYM ". Twice.\r\n", "+1a< +0<" },
	{ "no end of line", "RIP: " SYM "+0x1a", "+1a=" },
	{ "half of it", SYM "+ " SYM "+0x " SYM "+0x1a/ bpf_prog_" TAG "q bpf_prog_6deef", "+0< +0< +1a<" },
	{ "not ours",
	  "xbpf_prog_" TAG
	  "_x+0x1 bpf_prog_get_type+0x1/0x2 bpf_trampoline_6442502934+0x1/0x2 Code: 48 89 e5 <0f> 0b\n",
	  "" },
	{ "", "", "" },
};

static void test_formats(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (strcmp(frames(formats[i].text), formats[i].want))
			fail_msg("%s: want %s, got %s", formats[i].what, formats[i].want, frames(formats[i].text));
}

/* No read past the end, at any length; a name that is too long is ignored. */
static void test_cut(void **state)
{
	static const char text[] = "\tffffffffc0001234 " SYM "+0x1a/0x40 \\u0041\\n ? #12 [<ffffffffc0001234>] ?";
	char longest[2000] = "bpf_prog_" TAG "_";
	struct trace t = { 0 };
	struct trace_frame f;

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		char *copy = malloc(n + !n);
		const char *p = copy;

		memcpy(copy, text, n);
		trace_line(&t, copy, n);
		while (trace_next(&t, &p, copy + n, &f))
			assert_true(p > copy && p <= copy + n);
		assert_true(trace_part(copy, n) <= n);
		free(copy);
	}
	memset(longest + strlen(longest), 'a', TRACE_NAME_MAX - 1);
	assert_true(trace_frame_parse(longest, &f));
	longest[strlen(longest)] = 'a';
	assert_false(trace_frame_parse(longest, &f));
	assert_int_equal(trace_part("a;b c", 5), 2);
	assert_int_equal(trace_part("a b c", 5), 4);
	assert_int_equal(trace_part("abc", 3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
