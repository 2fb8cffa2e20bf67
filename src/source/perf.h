/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_PERF_H
#define SOURCE_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source;
struct err;
struct machine;
/*
 * A recording with the samples that `perf record` took beside it, in place of its own: answers to Q_SAMPLING, Q_SAMPLES
 * and Q_SAMPLED_TASKS are made of perf's file @path, all others are @inner's.
 *
 * Times: the clock of boot is the recording's. Where perf's is another one, ends of programs that both saw tell how far
 * they are apart; where there are none, the clock without sleep counts as that of boot, and of any other the loads of
 * programs tell it, a verification less exactly. Takes @inner on success. -errno with a sentence: the file cannot be
 * read (kernel/perf_data.h), @inner is no recording, or the two were not made at the same time, or their times cannot
 * be compared. The path must outlive the source.
 */
int source_perf(struct source **ret, struct source *inner, const char *path, struct err *e);

/*
 * A program that perf saw there and that is still loaded when the recording ends, by its symbols, but is none of those
 * that were recorded: bpflens's own. NULL: none. @ret_off: bytes from where it begins.
 */
const char *source_perf_symbol(const struct source *s, uint64_t addr, uint64_t *ret_off);
/* Did perf see a BPF program's code at this address, at any time? False of another source. */
bool source_perf_is_code(const struct source *s, uint64_t addr);
/* Where the file ended early: the sentence. */
bool source_perf_cut(const struct source *s, struct err *ret);

#endif
