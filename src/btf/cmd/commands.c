/* SPDX-License-Identifier: BSD-2-Clause */
#include "btf/cmd/commands.h"
#include "btf/btf.h"
#include "cli/kind.h"

static const struct command *const btf_commands[] = {
	&btf_cmd_dump, &btf_cmd_layout, &btf_cmd_sizes, &btf_cmd_find, &btf_cmd_diff, NULL,
};
const struct kind kind_btf = {
	.name = "btf",
	.noun = "BTF object",
	.help = "type information of programs, maps and the kernel",
	.object = OBJECT_BTF,
	.selectors = SEL_ID | SEL_NAME,
	.schema = &btf_schema,
	.read = btf_rec_read,
	.label = btf_rec_label,
	.commands = btf_commands,
};
