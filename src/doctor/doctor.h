/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

/* `doctor`: what the commands depend on, in which state it is on a machine, what follows from it, and the remedy. */
struct command;
struct schema;
extern const struct command command_doctor;
extern const struct schema doctor_schema;

#endif
