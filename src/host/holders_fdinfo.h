/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_HOLDERS_FDINFO_H
#define HOST_HOLDERS_FDINFO_H

#include <stdbool.h>

struct str;
/*
 * Reads /proc/PID/fdinfo of all processes: appends struct holder_raw. *ret_whole: false if a link has a bpf_cookie that this
 * kernel does not write there. 0 or -errno, then @ret is as before.
 */
int holders_by_fdinfo(struct str *ret, bool *ret_whole);

#endif
