/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct source;
/*
 * A recording with the samples that `perf record` took at the same time in place of its own: answers to Q_SAMPLING,
 * Q_SAMPLES and Q_SAMPLED_TASKS are made from the perf file @path, all others are those of @inner.
 *
 * Times are by the recording's clock, that of boot. If perf used another one, the unloads of programs that both saw
 * give the difference; without any, the monotonic clock counts as that of boot, and for any other clock the loads of
 * programs give the difference, up to the duration of a verification. Takes @inner on success. -errno with a sentence:
 * the file cannot be read (kernel/perf/data.h), @inner is not a recording, the two were not made at the same time, or
 * their times cannot be compared. The path must outlive the source.
 */
int source_perf(struct source **ret, struct source *inner, const char *path, struct err *e);

/*
 * The symbol of a program that perf saw there and that is still loaded when the recording ends, but was not recorded:
 * one of our own. NULL: none. @ret_off: offset from its start.
 */
const char *source_perf_symbol(const struct source *s, uint64_t addr, uint64_t *ret_off);
/* Did perf see code of a BPF program at this address, at any time? False for another source. */
bool source_perf_is_code(const struct source *s, uint64_t addr);
/* True: the file is truncated; with a sentence. */
bool source_perf_cut(const struct source *s, struct err *ret);
