/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct own;
/*
 * The answer to sys/socket_filters: a line for each socket of a process that runs a filter. Live: append them. An
 * iterator program finds them (own/sockets.h); without it, each socket is asked, and ids of programs and filters
 * of SO_REUSEPORT groups remain unknown. The instructions of classic filters are read with SO_GET_FILTER from a
 * duplicate of the descriptor.
 */
int socket_filters_collect(struct own *own, struct str *ret);
