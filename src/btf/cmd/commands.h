/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"

extern const struct command btf_cmd_layout, btf_cmd_sizes, btf_cmd_find, btf_cmd_diff;
/* The fields of a struct layout in `layout` and `sizes`; the latter without members. */
extern const struct schema layout_schema, sizes_schema;

#define FROM_ARG(T, m) ARG("from", ARG_TYPES, T, m, "source of the types, by default the kernel")
