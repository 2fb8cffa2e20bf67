/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Addresses in BPF programs as traces print them: a number, or bpf_prog_TAG_NAME+0xOFF/0xSIZE [bpf], as
 * kernel/bpf/core.c names programs and printk prints %pS. TAG is 16 hexadecimal digits; NAME, that of the program or
 * function, may contain underscores or be missing.
 */
#define TRACE_NAME_MAX 512 /* KSYM_NAME_LEN; longer names are ignored */

/*
 * The role of an address in a stack trace. A return address is the address after the call, so the instruction that
 * called, which users look for, is the one that ends there. TRACE_MAYBE ("? func+0x1/0x2") was only found on the stack
 * and may be an old return address.
 */
enum trace_how { TRACE_PC, TRACE_RETURN, TRACE_MAYBE };

struct trace_frame {
	bool symbol; /* tag, name, off and size are set; else addr */
	uint64_t addr;
	unsigned char tag[8];
	char name[TRACE_NAME_MAX]; /* "": none */
	bool has_off;
	uint64_t off, size; /* bytes; size 0: not given */
	enum trace_how how;
};

/*
 * Parses a word that is exactly one frame: hexadecimal digits with or without 0x or [<…>], or a symbol. @how is
 * TRACE_PC. False: it is not a frame.
 */
bool trace_frame_parse(const char *word, struct trace_frame *ret);
bool trace_frame_same(const struct trace_frame *a,
		      const struct trace_frame *b); /* the same address or symbol, whatever its role */

#define TRACE_TEXT_MAX (TRACE_NAME_MAX + 80)
void trace_frame_text(const struct trace_frame *f, char *buf, size_t size); /* as a user would type it; like snprintf */

/*
 * Finds the frames in any text: oopses, warnings and stack traces of the kernel on each architecture, /proc/PID/stack,
 * ftrace, perf script, bpftrace, crash, gdb, and these in JSON. Initialize with zeros. All hexadecimal numbers of 8 to
 * 16 digits are addresses; the caller must check whether they are in a program.
 */
struct trace {
	enum trace_how how;    /* role of the next frame, according to its line so far */
	bool marked;	       /* the line has a word, number or form that gives that role */
	bool stack, in_stack;  /* this line and the one before belong to a stack that begins with the address itself */
	struct trace_frame pc; /* the last address that a line like "RIP:" had */
};
/* Begins a line, with its first bytes: at least its first two words, less only if the line is shorter. */
void trace_line(struct trace *t, const char *p, size_t n);
/*
 * The next frame in the text from *p to @end; *p is moved to its end. False: no more. The text of a line may be passed
 * in parts.
 */
bool trace_next(struct trace *t, const char **p, const char *end, struct trace_frame *ret);
/* Where to split text: number of bytes from its start, not within a word. 0: nowhere. */
size_t trace_part(const char *p, size_t n);
