/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/kind.h"
/*
 * The group `struct_ops`: maps that are one of the kernel's tables of operations (a congestion control, a scheduler)
 * with programs as its functions. Maps of other types are not objects of this kind. It is not in kinds[], because its
 * objects are maps.
 */
extern const struct kind kind_struct_ops;
