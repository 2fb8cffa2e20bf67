/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/commands.h"
#include "net/net.h"

const struct command *const net_commands[] = { &net_show, &net_list, &net_attach, &net_detach, NULL };
