/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "cli/common.h"
#include "cli/env.h"
#include "source/facts.h"

static const struct field holder_fields[] = {
	FIELD(struct holder, pid, "pid", "process that holds it", .unit = FU_PID),
	FIELD_AS(struct holder, comm, FT_STR, "comm", "command name of the process", .flags = FIELD_INLINE),
};

static size_t holder_text(const void *row, char *buf, size_t size)
{
	const struct holder *h = row;

	return (size_t)snprintf(buf, size, "%s(%u)", h->comm, h->pid);
}

const struct schema schema_holder = SCHEMA("holder", struct holder, holder_fields, .text = holder_text);

void object_common_read(struct env *env, enum object_kind kind, uint32_t id, unsigned need, struct object_common *ret)
{
	*ret = (struct object_common){ .has_pins = AVAIL_NO, .has_holders = AVAIL_NO };
	if ((need & NEED_PINS) && facts_any_pins(env->facts, kind)) {
		ret->pins = facts_pins(env->facts, kind, id, &ret->npins);
		ret->has_pins = AVAIL_YES;
	}
	if (need & NEED_HOLDERS) {
		ret->holders = facts_holders(env->facts, kind, id, &ret->nholders);
		ret->has_holders = facts_holders_error(env->facts) ? AVAIL_UNKNOWN : AVAIL_YES;
	}
}
