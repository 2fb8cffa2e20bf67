/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_CAPS_H
#define HOST_CAPS_H

#include <stdbool.h>

struct err;
/* Is CAP_SYS_ADMIN in effect, or CAP_BPF with CAP_PERFMON? */
bool caps_bpf(void);
/* If @e is a refusal (EPERM, EACCES), say which capability or setting is missing. Leaves an existing hint alone. */
void caps_explain(struct err *e);

#endif
