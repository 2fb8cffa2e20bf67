/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_CAPS_H
#define HOST_CAPS_H

#include <stdbool.h>

struct err;
/* Do we have CAP_SYS_ADMIN, or CAP_BPF and (for programs) CAP_PERFMON, in effect? */
bool caps_admin(void);
bool caps_bpf(void);
/* If @e is a refusal (EPERM, EACCES), say which capability or setting is missing. Leaves an existing hint alone. */
void caps_explain(struct err *e);

#endif
