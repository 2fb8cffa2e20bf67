/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct command;
struct schema;
extern const struct command command_record;
extern const struct schema recorded_schema; /* the summary at the end */
