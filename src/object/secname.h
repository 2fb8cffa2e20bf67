/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OBJECT_SECNAME_H
#define OBJECT_SECNAME_H

#include <stdbool.h>
#include <stddef.h>

/* What a section's name says about the programs in it, by the rules of libbpf (its document "Program Types and ELF Sections"). */
struct secname {
	const char *prefix;		/* "kprobe+": alone or before a slash; without the plus: alone */
	const char *type, *attach_type;	/* the kernel's words; attach_type NULL: none */
	bool sleepable;
};
extern const struct secname secnames[];		/* prefix NULL ends it */

struct secname_guess {
	const struct secname *rule;	/* NULL: no rule fits */
	const char *target;		/* behind the slash, inside the name; NULL: nothing */
	bool manual;			/* begins with "?": loaded only if asked for */
};
struct secname_guess secname_guess(const char *section);

#endif
