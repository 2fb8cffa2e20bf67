/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct schema;
struct symbols;
/* A function of a stack. */
struct stack_frame {
	uint64_t address;     /* 0: only a build id is known */
	const char *symbol;   /* of an address in the kernel; NULL: unknown */
	const char *module;   /* of the symbol; NULL: the kernel itself */
	const char *build_id; /* of the file, in hex; NULL: unknown */
	uint64_t offset;      /* from the symbol, or in that file */
	uint8_t has_offset;   /* enum avail */
};
/* A stack of a map of stack traces, or the one or two stacks of an element of a map of counts. */
struct stack_rec {
	uint32_t id;
	uint64_t count;			  /* 1 if there are no counts */
	const struct stack_frame *frames; /* the innermost function first */
	uint32_t nframes;
	const char *folded; /* for flame graphs, the outermost function first: "main;read;schedule" */
};
extern const struct schema schema_stack;

/*
 * Appends the frames of a value to rec->frames, in the arena. The value is an array of addresses or, with @build_ids
 * (BPF_F_STACK_BUILD_ID), of struct bpf_stack_build_id; zeros follow the last. @big: the most significant byte comes
 * first. Names are those of @symbols.
 */
void stack_add(struct stack_rec *rec, const unsigned char *value, size_t n, bool build_ids, bool big,
	       const struct symbols *symbols, struct arena *a);
/* Sets rec->folded. */
void stack_fold(struct stack_rec *rec, struct arena *a);
