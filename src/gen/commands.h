/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The verbs, each in its own file. */
struct command;
extern const struct command gen_link, gen_min_core_btf;
