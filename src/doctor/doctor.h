/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

/* `doctor`: the state of what the commands depend on, its effect, and the remedy. */
struct command;
struct schema;
extern const struct command command_doctor;
extern const struct schema doctor_schema;

#endif
