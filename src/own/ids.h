/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "kernel/object.h"
#include "own/own.h"

/* The ids of all objects of a kind, or of all processes, as the kernel's iterator of that kind visits them. */
enum { IDS_PROCESS = OBJECT_KINDS, IDS_KINDS }; /* in addition to enum object_kind */
/* The descriptor of an iterator's link, or -errno; -ENOENT: this kernel has no such iterator (5.8 for maps and
 * processes, 5.9 for programs, 5.19 for links, none for BTF objects). */
int ids_open(struct own *own, unsigned kind);
/* Append the current ids as uint32_t, without those of our own objects. 0, or -errno with @ret unchanged. */
int ids_run(int link, const struct own *own, unsigned kind, struct str *ret);
