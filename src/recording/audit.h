/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct catalog;
struct code_log;
struct poke_log;
struct sideband;
struct audit_note;
/*
 * What the kernel announces: loads, to check the copies against, and unloads. Announcements are kept until the copies
 * made before them are in the catalog, because addresses are reused. Zeroed: closed, and receives nothing.
 */
struct audit {
	struct sideband *ring;
	struct code_log *code;	/* receives all announcements */
	struct poke_log *pokes; /* learns where code is; NULL: none */
	struct audit_note *note;
	size_t n, passed, cap;
	uint64_t until; /* not 0: what was loaded after this time (ns since boot) is ignored */
};
/* 0; or -errno, and it stays closed. @code and @pokes, which may be NULL, must outlive it. */
int audit_open(struct audit *a, struct code_log *code, struct poke_log *pokes);
void audit_close(struct audit *a);
void audit_listen(struct audit *a); /* take the announcements received so far */
/* Pass the announcements taken, up to @time (ns since boot), to the catalog. */
void audit_pass(struct audit *a, struct catalog *cat, uint64_t time);
/* Pass on all that are about programs in the file, which ends here. The catalog of the next file gets them, too. */
void audit_pass_known(struct audit *a, struct catalog *cat);
uint64_t audit_lost(const struct audit *a); /* announcements that did not arrive */
