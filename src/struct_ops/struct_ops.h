/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STRUCT_OPS_STRUCT_OPS_H
#define STRUCT_OPS_STRUCT_OPS_H

#include "cli/kind.h"
/*
 * The group `struct_ops`: maps that are one of the kernel's tables of operations (a congestion control, a scheduler)
 * with programs as its functions. Maps of other types are not objects of this kind. It is not in kinds[], because its
 * objects are maps.
 */
extern const struct kind kind_struct_ops;

#endif
