/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/classifiers.h"

#include <linux/pkt_cls.h>

#define TCINDEX_ACT 7 /* TCA_TCINDEX_ACT, which newer headers lack; older kernels have the classifier */
static const struct {
	const char *kind;
	uint16_t act;
} classifiers[] = {
	{ "bpf", TCA_BPF_ACT },		  { "u32", TCA_U32_ACT },     { "flower", TCA_FLOWER_ACT },
	{ "matchall", TCA_MATCHALL_ACT }, { "basic", TCA_BASIC_ACT }, { "cgroup", TCA_CGROUP_ACT },
	{ "flow", TCA_FLOW_ACT },	  { "fw", TCA_FW_ACT },	      { "route", TCA_ROUTE4_ACT },
	{ "tcindex", TCINDEX_ACT },
};

uint16_t tc_filter_actions(const char *kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(classifiers); i++)
		if (!strcmp(classifiers[i].kind, kind))
			return classifiers[i].act;
	return 0;
}
