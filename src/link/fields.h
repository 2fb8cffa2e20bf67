/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Private to this folder: the schemas of struct link_rec. */
struct schema;
extern const struct schema link_schema;
extern const struct schema *const link_parts[]; /* one for each kind, NULL-terminated */
