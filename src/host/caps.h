/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_CAPS_H
#define HOST_CAPS_H

#include <stdbool.h>
#include <stddef.h>

struct err;
/* Is CAP_SYS_ADMIN in effect, or CAP_BPF with CAP_PERFMON? */
bool caps_bpf(void);
/* Those of CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_PERFMON and CAP_BPF that this kernel has and that are not in effect: how
 * many, and their names. */
unsigned caps_missing(char *buf, size_t size);
/* Give these up, for this process. */
void caps_drop(void);
/* If @e is a refusal (EPERM, EACCES), say which capability or setting is missing. Leaves an existing hint alone. */
void caps_explain(struct err *e);
bool proc_missing(void); /* /proc is not mounted here */
/* Of a failure to read what /proc knows, live: is it that which is missing? Returns e->code. */
int proc_explain(struct err *e);
/* As caps_explain(), unless everything is there: false, and @e is as before. */
bool caps_explain_missing(struct err *e);

#endif
