/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_CODE_H
#define OWN_CODE_H

#include <linux/bpf.h>
#include <stdint.h>

struct str;
/*
 * Iterator programs written instruction by instruction: offsets and functions are those of the running kernel, so that no
 * loader has to look at the types of all of it.
 */
#define CODE_INSNS 128		/* no more are added: the caller knows how many it writes */
#define CODE_PROBE_READ_KERNEL 113
#define CODE_SEQ_WRITE 127
struct code {
	struct bpf_insn insn[CODE_INSNS];
	unsigned n;
};

/* One more instruction; which one it is. */
unsigned code_add(struct code *c, uint8_t code, uint8_t dst, uint8_t src, int off, int32_t imm);
/* That jump goes to the next instruction. */
void code_lands(struct code *c, unsigned jump);
/*
 * @size bytes from register @from + @off to the stack at @to, by bpf_probe_read_kernel: where the verifier knows no types. What
 * is not there reads as zeros. Takes r0 to r5.
 */
void code_probe(struct code *c, uint8_t from, unsigned off, int to, unsigned size);
/* @to = *(void **)(@from + @off), NULL where nothing is; @at: 8 bytes of the stack. Takes r0 to r5. */
void code_follow(struct code *c, uint8_t to, uint8_t from, unsigned off, int at);
/* The iterator writes @size bytes from the stack at @at; r6 is its context. Takes r0 to r5. */
void code_write(struct code *c, int at, unsigned size);
/* "return 0" */
void code_return(struct code *c);
/* All that the program writes in a walk of the iterator whose function has that number in the kernel's BTF, appended. 0 or -errno. */
int code_run(const struct code *c, uint32_t iter, const char *name, struct str *ret);

#endif
