/* SPDX-License-Identifier: BSD-2-Clause */
#include "struct_ops/change.h"

#include "base/arena.h"
#include "cli/env.h"
#include "record/field.h"
#include "render/render.h"

#define REC struct ops_change
#define NZ .flags = FIELD_NONZERO
static const struct field fields[] = {
	FIELD(REC, action, "action", "what was done, or would be", .plain = "%"),
	FIELD(REC, type, "kernel_struct_ops", "struct of the kernel", .plain = " %", NZ),
	FIELD(REC, name, "name", "name of the map", .plain = " %"),
	FIELD(REC, map_id, "map_id", "the map", .unit = FU_MAP, .flags = FIELD_NONZERO | FIELD_NOPLAIN),
	FIELD(REC, map, "map", "the map, as plain text shows it", .plain = " %", .flags = FIELD_PLAINONLY | FIELD_NONZERO),
	FIELD(REC, link_id, "link_id", "link that registers it", .plain = " link id %", .unit = FU_LINK, NZ),
	FIELD(REC, replaced, "replaced_map_id", "map that the link had before", .plain = " in place of map id %", .unit = FU_MAP, NZ),
	FIELD_LIST(REC, pins, npins, FT_STR, "pins", "pins of the link that were made or removed", .plain = " pin %", NZ),
	FIELD(REC, dry_run, "dry_run", "nothing was changed", .flags = FIELD_NOPLAIN),
};
const struct schema schema_ops_change = SCHEMA("struct_ops_change", REC, fields);

void ops_changes_print(struct env *env, const struct ops_change *c, size_t n)
{
	struct render r = { .ops = env_render(env), .out = env->report->out, .jw = env->report->jw, .arena = env->keep };

	env->report->streamed = env->report->streamed || r.ops == &render_ndjson;
	render_begin(&r);
	render_section(&r, &schema_ops_change, NULL);
	for (size_t i = 0; i < n; i++) {
		struct ops_change one = c[i];

		if (one.map_id)
			one.map = arena_fmt(env->keep, "%sid %u", one.link_id ? "map " : "", one.map_id);
		render_record(&r, &one);
	}
	render_end(&r);
}
