/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYSTEM_HOLDERS_WAYS_H
#define SYSTEM_HOLDERS_WAYS_H

struct str;
/* The two ways of holders_collect(). Both append struct holder_raw to @ret; 0 or -errno, then @ret is as before. */
int holders_by_iterator(struct str *ret);
int holders_by_fdinfo(struct str *ret);

#endif
