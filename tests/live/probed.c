/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program with three USDT probes, for test_usdt.py. The notes are written here as <sys/sdt.h> writes them.
 *   app:begin  a signed int, a pointer in memory, a constant
 *   app:step   with a semaphore; a byte
 *   app:end    without arguments, in two places
 * For each line of its input it runs begin and step three times, and end once in each place; then it prints how often
 * step had a user.
 */
#include <stdio.h>

#define PTR ".8byte "
#if __SIZEOF_POINTER__ == 4
#undef PTR
#define PTR ".4byte "
#endif
/* @text: the arguments; the operands follow. */
#define PROBE(name, semaphore, text, ...) \
	__asm__ volatile( \
		"990: nop\n" \
		".pushsection .note.stapsdt,\"\",\"note\"\n" \
		".balign 4\n" \
		".4byte 992f-991f, 994f-993f, 3\n" \
		"991: .asciz \"stapsdt\"\n" \
		"992: .balign 4\n" \
		"993: " PTR "990b\n" PTR "_.stapsdt.base\n" PTR semaphore \
		"\n" \
		".asciz \"app\"\n.asciz \"" name "\"\n.asciz \"" text \
		"\"\n" \
		"994: .balign 4\n" \
		".popsection\n" \
		".ifndef _.stapsdt.base\n" \
		".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
		".weak _.stapsdt.base\n.hidden _.stapsdt.base\n" \
		"_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n" \
		".popsection\n.endif\n" ::__VA_ARGS__)

__attribute__((section(".probes"), used, visibility("hidden"))) volatile unsigned short app_step_semaphore;

__attribute__((noinline)) static void run(int round)
{
	for (int i = 0; i < 3; i++) {
		volatile unsigned long long where = 0x123456789abcull + (unsigned)i;
		unsigned char byte = (unsigned char)(200 + i);

		PROBE("begin", "0", "-4@%[a] 8@%[b] -4@%[c]", [a] "r"(-round - i), [b] "m"(where), [c] "i"(7));
		PROBE("step", "app_step_semaphore", "1@%[a]", [a] "q"(byte));
	}
	PROBE("end", "0", "");
	PROBE("end", "0", "");
}

int main(void)
{
	int round = 0, used = 0;

	while (getchar() != EOF) {
		used += app_step_semaphore != 0;
		run(++round);
		printf("%d\n", used);
		fflush(stdout);
	}
	return 0;
}
