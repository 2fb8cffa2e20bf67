/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Read /proc/PID/fdinfo of all processes and append struct holder_raw. A process that could not be read is an entry of
 * the kind HOLDER_UNSEEN. *ret_whole: false if there is one, or a link with a bpf_cookie that this kernel does not
 * print there. 0, or -errno with @ret unchanged.
 */
int holders_by_fdinfo(struct str *ret, bool *ret_whole);
