/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/command.h"
#include "pin/pin.h"
#include "prog/prog.h"

static const struct command *const commands[] = { &prog_dump,	  &command_pin,	     &prog_load,    &prog_loadall,
						  &prog_verify,	  &prog_attach,	     &prog_detach,  &prog_stats,
						  &prog_tracelog, &prog_run_command, &prog_profile, &prog_annotate,
						  &prog_coverage, &command_unpin,    NULL };
static const struct kind_question asks[] = {
	{ Q_INFO + OBJECT_PROG, 0 },
	{ Q_PROG_MAP_IDS, NEED_USED | NEED_MAPS },
	{ Q_FDINFO + OBJECT_PROG, NEED_FDINFO },
	{ QUESTIONS, 0 },
};

const struct kind kind_prog = {
	.name = "prog",
	.noun = "program",
	.help = "programs loaded into the kernel",
	.object = OBJECT_PROG,
	.selectors = SEL_ID | SEL_NAME | SEL_TAG | SEL_PINNED,
	.schema = &schema_prog,
	.read = prog_read,
	.asks = asks,
	.label = prog_label,
	.commands = commands,
};
