/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OBJECT_OBJECT_H
#define OBJECT_OBJECT_H

/* The verbs of the group `object`: what is in a BPF object file, without loading it; and what its overview shows. */
struct command; struct schema;
extern const struct command *const object_commands[];
extern const struct schema object_schema;

#endif
