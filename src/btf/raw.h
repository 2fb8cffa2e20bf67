/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_RAW_H
#define BTF_RAW_H

#include <stdint.h>

struct btf_types; struct out; struct jsonw;
/*
 * One type as `btf dump` shows it: an entry of lines, or an object. What a kind has to say is described once, for both.
 * Id 0 and ids that do not exist are UNKNOWN. Names are escaped as the writer does it.
 */
void raw_plain(const struct btf_types *t, uint32_t id, struct out *o);
void raw_json(const struct btf_types *t, uint32_t id, struct jsonw *w);

#endif
