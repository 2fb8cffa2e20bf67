/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* Where a filter of that kind ("bpf", "flower") keeps its actions: the number of an attribute in its TCA_OPTIONS, less
 * than TC_OPTIONS_MAX. 0: it has none, or is not known. */
#define TC_OPTIONS_MAX 16
uint16_t tc_filter_actions(const char *kind);
