/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * BPF tokens (Linux 6.9): in a user namespace, bpf(2) allows with a token what the bpffs that it was made from
 * delegates.
 *
 * Append the path of the bpffs that this process makes a token from: as LIBBPF_BPF_TOKEN_PATH says, or, outside of the
 * initial user namespace, the first mounted one from which it can. False: none.
 */
bool delegation_find(struct str *ret);
/* A token; -ENOENT: there is no such bpffs, or -errno. */
int delegation_token(void);
/* Set the hint of a request that the kernel refused to a process in a user namespace. */
void delegation_explain(struct err *e);
