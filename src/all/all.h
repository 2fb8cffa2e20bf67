/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Commands that belong to no kind of object, or to every kind; kinds.c lists them. (show, list, help: cli/command.h) */
struct command;
extern const struct command command_batch, command_version, command_save, command_ls, command_keys, command_attach,
	command_attach_list, command_detach;
