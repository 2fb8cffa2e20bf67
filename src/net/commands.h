/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"

extern const struct command net_show, net_list, net_attach, net_detach;
