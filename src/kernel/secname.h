/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct hook;
/*
 * What a section's name determines about its programs, by the rules of libbpf (its document "Program Types and ELF
 * Sections"). Their type is hook->progs[0].
 */
struct secname_guess {
	const struct hook *hook; /* NULL: no rule matches */
	const char *target;	 /* after the slash, inside the name; NULL: none */
	bool manual;		 /* begins with "?": not loaded by default */
	bool sleepable;
	uint32_t attach_type; /* that they are loaded with; 0: also for none */
	uint32_t flags;	      /* ABI_PROG_* that they are loaded with */
};
struct secname_guess secname_guess(const char *section);
/* The kernel's name of the attach type that its programs are loaded with; NULL: none. */
const char *secname_attach_type(const struct hook *h);
