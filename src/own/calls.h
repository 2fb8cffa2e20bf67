/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_CALLS_H
#define OWN_CALLS_H

#include <stdint.h>

#include "own/calls.bpf.h"

struct own;
/*
 * Every bpf(2) of the machine that begins and ends from here on, in the order of their ends. Two BPF programs of ours
 * look at all system calls meanwhile. Nothing stays behind: they hang on descriptors.
 */
struct calls;
/* @commands: what to look at, by number. 0, or -errno as of own_load(). @own must outlive it. */
int calls_open(struct calls **ret, struct own *own, const struct calls_command commands[CALLS_COMMANDS]);
void calls_close(struct calls **c);
int calls_fd(const struct calls *c); /* can be read when there are some */
/* The next one, valid until the next call; NULL: none. */
const struct calls_record *calls_next(struct calls *c);
/* What was told makes room. 0 or -errno. */
int calls_consume(struct calls *c);
/* That there was no room for; up to now. */
uint64_t calls_lost(const struct calls *c);

#endif
