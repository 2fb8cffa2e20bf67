/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/kind.h"
#include "link/change.h"
#include "link/fields.h"
#include "link/link.h"
#include "pin/pin.h"

static const struct command *const link_commands[] = { &command_pin, &link_detach, &link_update, &command_unpin, NULL };

const struct kind kind_link = {
	.name = "link",
	.noun = "link",
	.help = "links: attachments of programs that processes and pins hold",
	.object = OBJECT_LINK,
	.selectors = SEL_ID | SEL_PINNED,
	.schema = &link_schema,
	.parts = link_parts,
	.read = link_read,
	.label = link_label,
	.commands = link_commands,
};
