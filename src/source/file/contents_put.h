/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in contents.c. */

#include "base/base.h"

struct contents;
struct answer;
/* For the files that fill a struct contents. */

/* Append the key of a member's name to @key; @refused: it has the ending of a refusal. */
int contents_name(struct str *key, const char *name, bool *refused, struct err *e);
/* The last answer to a question wins, even if it is a refusal, as in extraction by tar. */
int contents_put(struct contents *c, const char *key, const struct answer *w, struct err *e);
