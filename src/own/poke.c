/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/poke.h"

#include <linux/bpf.h>

#include "kernel/elem.h"
#include "own/own.h"

#include "own/bpf/poke.bpf.inc"
static const struct own_program program = OWN_PROGRAM(poke);

int own_poke(struct own *own)
{
	CLEAN_FD slots =
		own_map(own, &(const struct own_map_wish){ "bpflens.slots", BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 1, 0 });
	const uint32_t slot = 0;
	OWN_LOADED l = { 0 };
	int err = slots < 0 ? slots : own_load(own, &program, NULL, slots, &l);

	return err ? err : elem_update(slots, &slot, &l.prog, 0);
}
