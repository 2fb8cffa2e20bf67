/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OBJECT_OBJECT_H
#define OBJECT_OBJECT_H

/* The verbs of the group `object`: what is in a BPF object file, without loading it; and what its overview shows. */
#include "cli/command.h"

struct schema;
extern const struct command *const object_commands[];
extern const struct schema object_schema;

/*
 * For completion: names in the object file that is the first of the words before: programs, those that are iterators,
 * maps; and variables and maps as "NAME=". Nothing if it cannot be read.
 */
arg_offers object_offer_progs, object_offer_iters, object_offer_maps, object_offer_sizes, object_offer_values;

#endif
