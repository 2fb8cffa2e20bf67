/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Private to this folder: the verbs that change links. */
struct command;
extern const struct command link_detach, link_update;
