/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_TRACE_H
#define PROG_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Places in BPF programs as they are written: the address of machine code, or bpf_prog_TAG_NAME+0xOFF/0xSIZE [bpf], as
 * kernel/bpf/core.c names programs and printk's %pS prints a place. TAG is 16 hex digits; NAME, the program's or the
 * function's, may have underscores or be missing.
 */
#define TRACE_NAME_MAX 512 /* KSYM_NAME_LEN; no longer name is looked at */

/*
 * What the place is to a stack trace. A return address lies behind the call: the instruction that called, the one that
 * people look for, is the one that ends there. TRACE_MAYBE ("? func+0x1/0x2") merely lay on the stack; it may be an old
 * return address.
 */
enum trace_how { TRACE_PC, TRACE_RETURN, TRACE_MAYBE };

struct trace_frame {
	bool symbol; /* tag, name and what follows; else addr */
	uint64_t addr;
	unsigned char tag[8];
	char name[TRACE_NAME_MAX]; /* "": none */
	bool has_off;
	uint64_t off, size; /* bytes; size 0: not given */
	enum trace_how how;
};

/*
 * A word that is a place and nothing else: hex digits with or without 0x or [<…>], or a symbol. @how is TRACE_PC.
 * False: it is none.
 */
bool trace_frame_parse(const char *word, struct trace_frame *ret);
bool trace_frame_same(const struct trace_frame *a,
		      const struct trace_frame *b); /* the same place, whatever it is to the trace */

#define TRACE_TEXT_MAX (TRACE_NAME_MAX + 80)
void trace_frame_text(const struct trace_frame *f, char *buf, size_t size); /* as one would type it; like snprintf */

/*
 * The frames in any text: the kernel's oopses, warnings and stack traces of each architecture, /proc/PID/stack, ftrace,
 * perf script, bpftrace, crash, gdb, the same within JSON. Zero it to begin with. Addresses are all hex numbers of 8 to
 * 16 digits: whether one lies in a program is for the caller to find out.
 */
struct trace {
	enum trace_how how; /* of the next frame, as its line has told so far */
	bool told;
	bool stack, in_stack;  /* this line and the one before are of a stack that begins with the place itself */
	struct trace_frame pc; /* the last place that a line like "RIP:" gave */
};
/* Each line begins with its first bytes, at least as much as its first two words; less only if that is all of it. */
void trace_line(struct trace *t, const char *p, size_t n);
/* The next frame in the text from *p to @end; *p moves behind it. False: no more. Text of a line may come in parts. */
bool trace_next(struct trace *t, const char **p, const char *end, struct trace_frame *ret);
/* Where to part text: bytes from its start that end outside of any word. 0: there is no such place. */
size_t trace_part(const char *p, size_t n);

#endif
