/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORDING_RECORDING_H
#define RECORDING_RECORDING_H

struct command;
struct schema;
extern const struct command command_record;
extern const struct schema recorded_schema; /* the summary at the end */

#endif
