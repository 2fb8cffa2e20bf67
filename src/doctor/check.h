/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct env;
struct records;
/* The checks of a machine. */
struct doctor {
	struct env *env;
	struct records *checks;
	const char *access; /* answer to Q_ACCESS; NULL: refused, which was noted */
};
/* Inside the folder: one thing that commands depend on. */
enum check_state { CHECK_OK, CHECK_LIMITED, CHECK_MISSING, CHECK_UNKNOWN, CHECK_STATES };
struct check_rec {
	const char *check;	 /* what was checked: [a-z_]+ */
	uint8_t state;		 /* enum check_state */
	const char *fact;	 /* the value; never NULL */
	const char *consequence; /* effect for the user; NULL: none */
	const char *remedy;	 /* a command or a setting; NULL: none, or none is needed */
};

/*
 * Each adds its checks to the records, in the order in which they are shown. A check without an answer is
 * CHECK_UNKNOWN; the refusal was noted (source/machine.h).
 */
void checks_settings(struct doctor *d); /* settings.c: sysctls */
void checks_places(struct doctor *d);	/* places.c: file systems and type information */
void checks_rights(struct doctor *d);	/* rights.c: capabilities, lockdown, LSM, memlock */
void checks_kernel(struct doctor *d);	/* kernel.c: features of the kernel */
void checks_maps(struct doctor *d);	/* maps.c: pinned maps and buffers of events that do not connect */

/* @rec is copied. */
void check_add(struct doctor *d, struct check_rec rec);
/* The value of a name in Q_ACCESS, in env->keep; NULL: unknown, or "-". */
const char *check_access(const struct doctor *d, const char *name);
/* Is the kernel locked down, "integrity" or "confidentiality"? */
bool check_locked_down(const struct doctor *d, const char *level);
