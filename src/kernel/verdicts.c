/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/verdicts.h"

#include <strings.h>

#include "kernel/abi.h"

#define TYPE(t) (1ull << ABI_PROG_##t)
#define XDP TYPE(XDP)
#define TC (TYPE(SCHED_CLS) | TYPE(SCHED_ACT))
#define SK (TYPE(SK_LOOKUP) | TYPE(SK_SKB) | TYPE(SK_MSG) | TYPE(SK_REUSEPORT))
#define LWT (TYPE(LWT_IN) | TYPE(LWT_OUT) | TYPE(LWT_XMIT))
/* clang-format off */
static const struct verdict {
	uint64_t types;
	uint32_t value;
	const char *name;
	uint8_t prefix;			/* length of the prefix that the names of this type share */
} verdicts[] = {
	{ XDP, 0, "XDP_ABORTED", 4 }, { XDP, 1, "XDP_DROP", 4 }, { XDP, 2, "XDP_PASS", 4 }, { XDP, 3, "XDP_TX", 4 }, { XDP, 4, "XDP_REDIRECT", 4 },
	{ TC, UINT32_MAX, "TC_ACT_UNSPEC", 7 }, { TC, 0, "TC_ACT_OK", 7 }, { TC, 1, "TC_ACT_RECLASSIFY", 7 }, { TC, 2, "TC_ACT_SHOT", 7 },
	{ TC, 3, "TC_ACT_PIPE", 7 }, { TC, 4, "TC_ACT_STOLEN", 7 }, { TC, 5, "TC_ACT_QUEUED", 7 }, { TC, 6, "TC_ACT_REPEAT", 7 },
	{ TC, 7, "TC_ACT_REDIRECT", 7 }, { TC, 8, "TC_ACT_TRAP", 7 },
	{ LWT, 0, "BPF_OK", 4 }, { LWT, 2, "BPF_DROP", 4 }, { LWT, 7, "BPF_REDIRECT", 4 }, { LWT, 128, "BPF_LWT_REROUTE", 4 },
	{ TYPE(FLOW_DISSECTOR), 0, "BPF_OK", 4 }, { TYPE(FLOW_DISSECTOR), 2, "BPF_DROP", 4 },
	{ TYPE(FLOW_DISSECTOR), 129, "BPF_FLOW_DISSECTOR_CONTINUE", 4 },
	{ SK, 0, "SK_DROP", 3 },
	{ SK, 1, "SK_PASS", 3 },
	{ TYPE(NETFILTER), 0, "NF_DROP", 3 }, { TYPE(NETFILTER), 1, "NF_ACCEPT", 3 },
};
/* clang-format on */

static bool is_of(const struct verdict *v, uint32_t prog_type)
{
	return prog_type < 64 && v->types >> prog_type & 1;
}

const char *verdict_name(uint32_t prog_type, uint32_t value)
{
	for (size_t i = 0; i < ARRAY_SIZE(verdicts); i++)
		if (is_of(&verdicts[i], prog_type) && verdicts[i].value == value)
			return verdicts[i].name;
	return NULL;
}

void verdict_list(uint32_t prog_type, struct str *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(verdicts); i++)
		if (is_of(&verdicts[i], prog_type))
			str_fmt(ret, "%s%s", ret->n ? ", " : "", verdicts[i].name);
}

bool verdict_parse(uint32_t prog_type, const char *name, uint32_t *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(verdicts); i++) {
		const struct verdict *v = &verdicts[i];

		if (!is_of(v, prog_type) || (strcasecmp(name, v->name) && strcasecmp(name, v->name + v->prefix)))
			continue;
		*ret = v->value;
		return true;
	}
	return false;
}
