/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "load/load.h"
#include "object/object.h"

/* How an object file is set up before it is loaded: options that `load` and `verify` share. */
struct load_setup {
	const char *type, *maps_dir, *kernel_btf, *only;
	struct arg_reuses reuse;
	struct arg_list set, resize;
	bool coverage;
};
arg_offers load_offer_types;

/* Rows of the command's table of arguments; @T has the struct load_setup as member @m. */
#define LOAD_TYPE_ARGS(T, m) \
	ARG("type", ARG_STR, T, m.type, "type of all programs, as a section name: xdp, kprobe, cgroup/skb", \
	    .metavar = "TYPE", .offers = load_offer_types), \
		ARG("map", ARG_REUSE, T, m.reuse, "an existing map, instead of the file's own", .kind = &kind_map, \
		    .flags = ARG_REPEAT, .offers = object_offer_maps), \
		ARG("maps", ARG_PATH, T, m.maps_dir, \
		    "directory in a bpffs: each map that is pinned there by the name of one of the file's, instead of that", \
		    .metavar = "DIR")
#define LOAD_SETUP_ARGS(T, m) \
	ARG("kernel_btf", ARG_PATH, T, m.kernel_btf, \
	    "file with the types of the kernel, instead of the running kernel's"), \
		ARG("set", ARG_STR, T, m.set, "initial value of a variable: debug=1 limits.max=10", \
		    .metavar = "NAME=VALUE", .flags = ARG_REPEAT | ARG_ASSIGN, .offers = object_offer_values), \
		ARG("resize", ARG_STR, T, m.resize, "max_entries of a map: flows=64K", .metavar = "MAP=ENTRIES", \
		    .flags = ARG_REPEAT | ARG_ASSIGN, .offers = object_offer_sizes), \
		ARG("only", ARG_STR, T, m.only, "load only this program", .metavar = "NAME", \
		    .offers = object_offer_progs), \
		ARG("--coverage", ARG_FLAG, T, m.coverage, \
		    "with a counter in each basic block, as `gen object --coverage` adds them")

/* Set the members of a request that the options decide about. */
void load_setup_apply(const struct load_setup *s, const struct env *env, struct load_request *q);
