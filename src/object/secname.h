/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OBJECT_SECNAME_H
#define OBJECT_SECNAME_H

#include <stdbool.h>

struct hook;
/*
 * What a section's name says about the programs in it, by the rules of libbpf (its document "Program Types and ELF
 * Sections"). Their type is hook->progs[0].
 */
struct secname_guess {
	const struct hook *hook; /* NULL: no rule fits */
	const char *target;	 /* behind the slash, inside the name; NULL: nothing */
	bool manual;		 /* begins with "?": loaded only if asked for */
	bool sleepable;
};
struct secname_guess secname_guess(const char *section);
/* The kernel's word for the attach type that its programs are loaded with; NULL: without one. */
const char *secname_attach_type(const struct hook *h);

#endif
