/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

bool caps_by_id(void); /* may objects be listed, and opened by id? */
/* Is CAP_SYS_ADMIN in effect, or CAP_BPF with CAP_PERFMON? */
bool caps_bpf(void);
/*
 * Set @buf to the names of those of CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_PERFMON and CAP_BPF that this kernel has and that
 * are not in effect; returns their number.
 */
unsigned caps_missing(char *buf, size_t size);
/* Is this another user namespace than the initial one, in which capabilities do not count for BPF? */
bool caps_in_user_namespace(void);
/* Drop these capabilities for this process. */
void caps_drop(void);
/*
 * For good, also in its children: keep only what reading all objects, places and holders takes, and with @loads what
 * loading our own programs takes; a program that is started later gets no more. 0 or -errno.
 */
int caps_keep_reading(bool loads);
#define CAPS_LOCKED_DOWN "the kernel is locked down (confidentiality): BPF programs may not read kernel memory"
/*
 * Why a BPF program that reads kernel memory could not be loaded: lockdown, for which the verifier has no error number
 * of its own, or @err (-errno) in words.
 */
const char *caps_load_failure(int err);
bool caps_locked_down(int err); /* is lockdown the reason? */
/* If @e is EPERM or EACCES, set a hint that names the missing capability or setting. Keeps an existing hint. */
void caps_explain(struct err *e);
bool proc_missing(void); /* is /proc not mounted? */
/* For a failure to read something from /proc: set a hint if /proc is not mounted. Returns e->code. */
int proc_explain(struct err *e);
/* As caps_explain(), but if nothing is missing it returns false and does not change @e. */
bool caps_explain_missing(struct err *e);
