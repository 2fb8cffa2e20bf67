/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct command;
struct schema;
extern const struct command command_top; /* cmd_top.c */
extern const struct schema top_schema;	 /* rows.c */
