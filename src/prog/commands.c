/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/command.h"
#include "pin/pin.h"
#include "prog/prog.h"

static const struct command *const commands[] = { &prog_dump, &command_pin, &prog_load, &prog_loadall, &prog_attach, &prog_detach, &prog_stats, &prog_tracelog, &prog_run_command, &command_unpin, NULL };
const struct kind kind_prog = {
	.name = "prog",
	.noun = "program",
	.help = "programs that are loaded into the kernel",
	.object = OBJECT_PROG,
	.selectors = SEL_ID | SEL_NAME | SEL_TAG | SEL_PINNED,
	.schema = &schema_prog,
	.read = prog_read,
	.label = prog_label,
	.commands = commands,
};
