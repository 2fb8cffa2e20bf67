/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "host/elf/usdt.h"

struct command;
/* The probes of a file by its path; @e has the sentence for a file that has none or cannot be read. */
int usdt_probes_read(struct usdt_file *ret, const char *path, struct arena *a, struct err *e);

extern const struct command object_usdt;
