/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"
#include "source/file/recorder.h"

/*
 * Ask every question that reading commands ask, to a machine whose source records (source_record()). A refusal is an
 * answer too. @counts: number of objects of each kind.
 */
void save_machine(struct env *env, bool map_data, size_t counts[OBJECT_KINDS]);
