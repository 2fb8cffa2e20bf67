/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_PAGE_LANES_H
#define PROG_PAGE_LANES_H

struct env;
struct out;
/*
 * A section of a page: when the programs of a recording lived, a lane for each. Of more than LANES_MAX those that lived
 * longest are shown, and how many are not is said. Nothing where there is no recording that says when it ended.
 */
#define LANES_MAX 300
void page_lanes_write(struct env *env, struct out *o);

#endif
