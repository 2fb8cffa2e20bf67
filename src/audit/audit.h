/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef AUDIT_AUDIT_H
#define AUDIT_AUDIT_H

/* `audit`: do all lists of objects agree, and is every program that runs permitted? */
struct command;
struct schema;
extern const struct command command_audit;
extern const struct schema audit_schema;

#endif
