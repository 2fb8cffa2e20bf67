/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct code_index;
struct env;
struct perf_data;
struct perf_writer;
/*
 * Write the sections of perf.data with the programs of a recording, their code and source lines, and their BTF
 * (HEADER_BPF_PROG_INFO, struct perf_bpil; HEADER_BPF_BTF). Programs without machine code, or with its addresses
 * hidden, are left out. Then those of another file, @more, that are not in the recording; NULL: none. Its damaged
 * sections count as unread.
 */
void perf_progs_write(struct env *env, const struct code_index *index, const struct perf_data *more,
		      struct perf_writer *w);
