/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "map/elem/print.h"

/* The elements of inner maps, printed like those of the outer map. */
struct inner_maps {
	struct env *env;
	struct jsonw *w; /* NULL: ELEM_HEX */
	enum elem_look look;
	bool raw;
};
/* For struct elem_form; @ctx: struct inner_maps. Prints null if the map has gone or cannot be read. */
void inner_print(void *ctx, uint32_t id);
