/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LINK_CHANGE_H
#define LINK_CHANGE_H

/* Private to this folder: the verbs that change links. */
struct command;
extern const struct command link_detach, link_update;

#endif
