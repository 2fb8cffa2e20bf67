/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_HOLDERS_FDINFO_H
#define HOST_HOLDERS_FDINFO_H

struct str;
/* Reads /proc/PID/fdinfo of all processes: appends struct holder_raw. 0 or -errno, then @ret is as before. */
int holders_by_fdinfo(struct str *ret);

#endif
