/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_PERF_NAMES_H
#define KERNEL_PERF_NAMES_H

#include <stdint.h>

struct arena;
struct err;
/* Types and numbers of perf events (include/uapi/linux/perf_event.h) in the words of perf(1): "software", "cpu-clock".
 */
const char *perf_type_word(uint32_t type); /* NULL: a type without a name, as of a device */
/* NULL: a number is all there is to say. Of a cache event, the words of its three parts: in the arena. */
const char *perf_config_word(struct arena *a, uint32_t type, uint64_t config);
/*
 * The kernel gives the software events cpu-clock and task-clock types of their own, the first two that have no name,
 * and shows them nowhere. True: it is one of them; *type is then that of software events.
 */
int perf_is_clock(uint32_t *type, uint64_t config);
/*
 * "software:cpu-clock", "hardware:cpu-cycles", "hw-cache:L1-dcache-load-misses", "raw:0x1c2", "10:3", and without the
 * type what is the name of a software or hardware event. -ENOENT without a sentence: of another type, TYPE:NUMBER
 * perhaps.
 */
int perf_event_parse(const char *text, uint32_t *ret_type, uint64_t *ret_config, struct err *e);

#endif
