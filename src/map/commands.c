/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/command.h"
#include "map/map.h"
#include "pin/pin.h"

static const struct command *const commands[] = { &map_dump, &command_pin, &command_unpin, NULL };

const struct kind kind_map = {
	.name = "map",
	.noun = "map",
	.help = "maps: where programs keep data and share it with user space",
	.object = OBJECT_MAP,
	.selectors = SEL_ID | SEL_NAME | SEL_PINNED,
	.schema = &schema_map,
	.read = map_read,
	.label = map_label,
	.commands = commands,
};
