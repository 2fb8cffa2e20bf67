/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* `doctor`: the state of what the commands depend on, its effect, and the remedy. */
struct command;
struct schema;
extern const struct command command_doctor;
extern const struct schema doctor_schema;
