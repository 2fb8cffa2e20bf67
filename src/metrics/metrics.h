/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct command;
struct schema;
extern const struct command command_metrics;
extern const struct schema metrics_schema;
