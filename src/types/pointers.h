/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct btf_types;
/*
 * Sets the size of pointers, which BTF does not contain: that of its base, or of a long; if no long is in it, 4 if
 * members of a struct would overlap or exceed it with 8, and would not with 4; else 8.
 */
void pointers_measure(struct btf_types *t);
