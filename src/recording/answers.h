/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "kernel/object.h"
#include "recording/catalog.h"

/* Write answers about programs to the file of a recording. */

/* What is needed to read programs: the kernel's name, symbols and types, its settings, the time of boot. */
void answers_basics(struct catalog *cat);
/*
 * What the kernel can do. It is tried once, with a thousand loads: the answer is kept in @known, in the arena, for the
 * files that follow.
 */
void answers_features(struct catalog *cat, struct arena *keep, struct blob *known);
/* Get the info of a loaded program, which is not written. 0, or -errno with an empty one. */
int answers_info(struct catalog *cat, uint32_t id, struct abi_prog_info *ret);
/* Ask the running kernel about a map, and for its types, unless they are in the file. */
void answers_ask_map(struct catalog *cat, uint32_t id);
void answers_ask_map_types(struct catalog *cat, uint32_t id); /* only for its types */
/* Ask the running kernel about a program. 0, or -errno: some answers are missing. */
int answers_ask(struct catalog *cat, uint32_t id);
/* Write a copy, with its types and maps. False: its types are not in the file. */
bool answers_copy(struct catalog *cat, struct catalog_prog *p, const struct captured *c);
/*
 * A map was bound to the program: write the map's info, and the ids of the program's maps from its copy, or else from
 * the kernel.
 */
void answers_add_map(struct catalog *cat, struct catalog_prog *p, uint32_t map);
/* Renew info and fdinfo of an object in the file. False: it is gone. */
bool answers_renew(struct catalog *cat, enum object_kind kind, uint32_t id);
