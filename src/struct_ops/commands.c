/* SPDX-License-Identifier: BSD-2-Clause */
#include "struct_ops/struct_ops.h"

#include "cli/command.h"
#include "struct_ops/register.h"
#include "struct_ops/ops.h"

static const struct command *const commands[] = { &ops_register_command, &ops_unregister, &ops_dump, &ops_attach,
						  NULL };

const struct kind kind_struct_ops = {
	.name = "map",
	.noun = "struct_ops map",
	.help = "the kernel's tables of operations that programs implement",
	.object = OBJECT_MAP,
	.selectors = SEL_ID | SEL_NAME | SEL_PINNED,
	.list = true,
	.schema = &schema_struct_ops,
	.read = ops_read,
	.label = ops_label,
	.commands = commands,
};
