/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The verbs of the group `object`, which show what is in a BPF object file without loading it, and the schema of
 * `show`. */
#include "cli/command.h"

extern const struct command *const object_commands[];
extern const struct schema object_schema;
extern const struct command object_diff; /* which lies above: in diff/ */

/*
 * For completion: names of programs, iterator programs and maps, and of maps and variables as "NAME=", in the object
 * file that is the first word of @before. Nothing if it cannot be read.
 */
arg_offers object_offer_progs, object_offer_iters, object_offer_maps, object_offer_sizes, object_offer_values;
