/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/command.h"
#include "iter/attach.h"
#include "iter/iter.h"

const struct command *const iter_commands[] = { &iter_list, &iter_pin, &iter_run_command, NULL };
