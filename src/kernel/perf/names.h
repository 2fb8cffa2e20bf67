/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Types and configurations of perf events (include/uapi/linux/perf_event.h) by the names of perf(1): "software",
 * "cpu-clock".
 */
const char *perf_type_word(uint32_t type); /* NULL: a type without a name, such as that of a device */
/* NULL: the number has no name. The name of a cache event, made of its three parts, is allocated in the arena. */
const char *perf_config_word(struct arena *a, uint32_t type, uint64_t config);
/*
 * The kernel gives the software events cpu-clock and task-clock their own types, the first two without a name, and does
 * not show these anywhere. True: the event is one of them, and *type is set to that of software events.
 */
int perf_is_clock(uint32_t *type, uint64_t config);
/*
 * Parse "software:cpu-clock", "hardware:cpu-cycles", "hw-cache:L1-dcache-load-misses", "raw:0x1c2", "10:3", or the name
 * alone of a software or hardware event. -ENOENT without a message: another type, perhaps TYPE:NUMBER.
 */
int perf_event_parse(const char *text, uint32_t *ret_type, uint64_t *ret_config, struct err *e);
