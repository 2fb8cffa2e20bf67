/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* `events`: what happens to BPF objects, as it happens. */
struct command;
struct schema;
extern const struct command command_events;
extern const struct schema events_schema;
