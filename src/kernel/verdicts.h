/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Names of the values that programs return, by type (uapi/linux/bpf.h, pkt_cls.h, netfilter.h): "XDP_PASS". NULL: a
 * number without a name.
 */
const char *verdict_name(uint32_t prog_type, uint32_t value);
/*
 * The reverse, also without the prefix that all names of the type share, in upper or lower case: "pass". False: no such
 * name.
 */
bool verdict_parse(uint32_t prog_type, const char *name, uint32_t *ret);
/* Append all names of the type, "XDP_ABORTED, XDP_DROP, ..."; nothing if it has none. */
void verdict_list(uint32_t prog_type, struct str *ret);
