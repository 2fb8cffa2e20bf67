/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORDING_AUDIT_H
#define RECORDING_AUDIT_H

#include <stddef.h>
#include <stdint.h>

struct catalog;
struct code_log;
struct sideband;
struct audit_note;
/*
 * What the kernel announces: loads, to hold what was copied against it, and ends. It is kept until the copies that were
 * made before it are in the catalogue: addresses are used again. Zeroed is closed, and hears nothing.
 */
struct audit {
	struct sideband *ring;
	struct code_log *code; /* hears everything */
	struct audit_note *note;
	size_t n, told, cap;
};
int audit_open(struct audit *a, struct code_log *code); /* 0 or -errno, then it is closed; @code must outlive it */
void audit_close(struct audit *a);
void audit_listen(struct audit *a); /* take what there is */
/* Tell the catalogue what happened up to @time, in ns since boot, and was taken. */
void audit_tell(struct audit *a, struct catalog *cat, uint64_t time);
/* All that is about programs in the file; the rest is for the catalogue of the next. */
void audit_tell_known(struct audit *a, struct catalog *cat);
uint64_t audit_lost(const struct audit *a); /* announcements that did not arrive */

#endif
