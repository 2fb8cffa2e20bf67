/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct doc;
struct heat;
struct hot;
struct insn_heat;
struct schema;
struct xlated;
struct xlated_style;
/*
 * As heat_write(), but with BPF instructions instead of machine code. An instruction shares its samples with those
 * after it, up to the next source line (struct insn_run).
 */
void heat_xlated_write(const struct heat *h, const struct insn_heat *runs, const struct xlated *x,
		       const struct xlated_style *style, struct doc *d);
void heat_xlated_hot(const struct heat *h, const struct insn_heat *runs, const struct xlated *x,
		     struct hot *ret); /* adds its lines */
extern const struct schema run_count_schema;
