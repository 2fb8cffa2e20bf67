/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORDING_ANSWERS_H
#define RECORDING_ANSWERS_H

#include "kernel/object.h"
#include "recording/catalog.h"

/* Answers about programs into the file of a recording. */

/* What programs are read with: the kernel's name, symbols and types, its settings, the time of boot. */
void answers_basics(struct catalog *cat);
/* Those that the running kernel gives now. 0, or -errno: not all of them. */
int answers_ask(struct catalog *cat, uint32_t id);
/* The same of its types; once. */
int answers_ask_types(struct catalog *cat, uint32_t btf_id);
/* A copy, with its types and maps. False: its types are not in the file. */
bool answers_copy(struct catalog *cat, struct catalog_prog *p, const struct captured *c);
/* A map was bound to it: its info, and which maps it has, as far as a copy has told, else as the kernel says now. */
void answers_bound(struct catalog *cat, struct catalog_prog *p, uint32_t map);
/* Info and fdinfo of what is in the file, as they are now. False: it is gone. */
bool answers_renew(struct catalog *cat, enum object_kind kind, uint32_t id);

#endif
