/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "own/capture/calls.bpf.h"

struct arena;
struct blob;
struct machine;
struct str;
/*
 * Calls of bpf(2) on one map in a recording: sys/map_calls says which map, map_calls/0, 1, ... have a line for each
 * call, in the order of their ends. Attributes, keys and values are memory of the recorded machine.
 */
struct map_calls {
	uint32_t map;
	uint64_t lost; /* calls that had no room in the buffer */
};
void map_calls_put_head(struct str *ret, const struct map_calls *head);
/* Appends the line of a call; @r with the bytes of its element, as calls_next() returns it. */
void map_calls_put(struct str *ret, const struct calls_record *r);

/* @r, again with its bytes, lives until the function returns. */
typedef void map_calls_fn(void *ctx, const struct calls_record *r);
/* Passes on the calls of a piece: 0, or -EBADMSG: a line cannot be parsed, and those after it are left out. */
int map_calls_parse(const struct blob *b, struct arena *scratch, map_calls_fn *each, void *ctx);
/* 0; -ENODATA: not a recording, or it has no calls; another -errno, which the machine has noted. */
int map_calls_read_head(struct machine *m, struct arena *scratch, struct map_calls *ret);
/* All calls of the recording: 0, or -errno, which the machine has noted. */
int map_calls_read(struct machine *m, struct arena *scratch, map_calls_fn *each, void *ctx);
