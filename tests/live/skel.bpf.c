/* SPDX-License-Identifier: BSD-2-Clause */
/* Difficult cases for headers of `gen skeleton`: offsets of variables, types without names, sections with names of
 * their own. */
#include "types.bpf.h"

typedef unsigned char byte;
struct point {
	int x, y;
}; /* the test's program also has it */
enum colour { RED, GREEN = 5 };
struct tight {
	char c;
	long l;
} __attribute__((packed));

/* .data: each after a char */
char c1 = 1;
long after_char = 2;
char c2 = 3;
unsigned __int128 wide = 4;
char c3 = 5;
int lined __attribute__((aligned(64))) = 6;
byte few[3] = { 7, 8, 9 };
struct point points[2] = { { 1, 2 }, { 3, 4 } };
struct tight tight = { 1, 2 };
struct {
	int low : 3, high : 7;
	union {
		long number;
		char text[8];
	};
	const char *const pointer;
	struct {
		short s;
	} inner[2];
} unnamed = { .number = 10 };
enum { FIRST, SECOND } which = SECOND;
int table[2][3] = { { 1 } };
int *volatile pointer = &lined;

/* .bss */
long hits;
_Bool seen;
static long hidden;
int (*callback)(struct point *p, const char *name);

const volatile int step = 1;
const volatile enum colour colour = GREEN;
const volatile char word[] SEC(".rodata.text") = "hello?\?/";
struct point named SEC(".data.own-1") = { 5, 6 };
extern int LINUX_KERNEL_VERSION __kconfig;
extern _Bool CONFIG_BPF __kconfig __weak;

struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct point);
} flows SEC(".maps");

SEC("raw_tp/sys_enter") int lens_skel(void *ctx)
{
	seen = colour == GREEN && LINUX_KERNEL_VERSION > 0 && after_char == 2 && wide == 4 && points[1].y == 4 &&
	       unnamed.number == 10 && word[0] == 'h' && named.y == 6 && which == SECOND && few[2] == 9 &&
	       tight.l == 2 && table[0][0] == 1 && !callback && c1 + c2 + c3 == 9;
	hits += step;
	hidden += CONFIG_BPF;
	return 0;
}
