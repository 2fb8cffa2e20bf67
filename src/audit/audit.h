/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* `audit`: do all lists of objects agree, and is every program that runs permitted? */
struct command;
struct schema;
extern const struct command command_audit;
extern const struct schema audit_schema;
