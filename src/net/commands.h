/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NET_COMMANDS_H
#define NET_COMMANDS_H

#include "cli/command.h"

extern const struct command net_show, net_list, net_attach, net_detach;

#endif
