/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "own/capture/calls.bpf.h"

struct own;
/*
 * Each bpf(2) on this machine that begins and ends after calls_open(), in the order of their ends. Two of our own BPF
 * programs see all system calls until calls_close(). Their attachments end with our descriptors, so nothing is left.
 */
struct calls;
/*
 * @commands: which members to read and which calls to skip, by command number. @map: only the calls on this map, with
 * the element; NULL: all. 0, or -errno as own_load(). @own must outlive *ret.
 */
int calls_open(struct calls **ret, struct own *own, const struct calls_command commands[CALLS_COMMANDS],
	       const struct calls_map *map);
void calls_choose(struct calls *c, const struct calls_command commands[CALLS_COMMANDS]); /* others from now on */
void calls_close(struct calls **c);
int calls_fd(const struct calls *c); /* readable when calls are waiting */
/* The next call, valid until calls_next() is called again; NULL: none. The sizes in it are right. */
const struct calls_record *calls_next(struct calls *c);
/* A copy with the bytes of its element, which the caller frees. */
struct calls_record *calls_copy(const struct calls_record *r);
/* Free the room of the calls that were returned. 0 or -errno. */
int calls_consume(struct calls *c);
/* Calls lost so far because there was no room. */
uint64_t calls_lost(const struct calls *c);
