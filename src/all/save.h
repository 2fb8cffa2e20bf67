/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"
#include "source/file/recorder.h"

struct save_what {
	bool map_data;	/* also the contents of maps */
	bool uncounted; /* without the number of elements, which takes time */
	bool listed;	/* a recording: the lists in it also have what has gone, and stay */
};
/*
 * Ask every question that reading commands ask, to a machine whose source records (source_record()). A refusal is an
 * answer too. @counts: number of objects of each kind.
 */
void save_machine(struct env *env, struct save_what what, size_t counts[OBJECT_KINDS]);
