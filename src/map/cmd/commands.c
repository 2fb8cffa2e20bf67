/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/command.h"
#include "map/map.h"
#include "map/types.h"
#include "pin/pin.h"

/* Running programs are not content: the value of a struct_ops map has the ids of its programs. */
static const struct command *const commands[] = {
	&map_dump,	     &map_update, &map_lookup, &map_getnext,   &map_delete, &command_pin, &map_event_pipe,
	&map_create_command, &map_peek,	  &map_push,   &map_enqueue,   &map_pop,    &map_dequeue, &map_freeze_command,
	&command_unpin,	     &map_export, &map_import, &map_histogram, &map_watch,  &map_tap,	  &map_stacks,
	&map_storage,	     NULL,
};

static const struct kind_question asks[] = {
	{ Q_INFO + OBJECT_MAP, 0 },
	{ Q_FDINFO + OBJECT_MAP, NEED_FDINFO },
	{ QUESTIONS, 0 },
};

const struct kind kind_map = {
	.name = "map",
	.noun = "map",
	.help = "maps: memory that programs share with user space",
	.object = OBJECT_MAP,
	.selectors = SEL_ID | SEL_NAME | SEL_PINNED,
	.schema = &schema_map,
	.read = map_read,
	.asks = asks,
	.label = map_label,
	.types = map_types_row,
	.commands = commands,
};
