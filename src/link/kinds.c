/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/kind.h"
#include "link/fields.h"
#include "link/link.h"

/* All types of links. The first that matches is used, so special kinds precede general ones. */
/* clang-format off */
#define LINK_KINDS(X) \
	X(link_raw_tracepoint) X(link_tracing) X(link_cgroup) X(link_iter) X(link_netns) X(link_xdp) \
	X(link_perf_uprobe) X(link_perf_kprobe) X(link_perf_tracepoint) X(link_perf_event) X(link_perf) \
	X(link_kprobe_multi) X(link_struct_ops) X(link_netfilter) X(link_tcx) X(link_uprobe_multi) X(link_netkit) \
	X(link_sockmap) X(link_tracing_multi)
/* clang-format on */

#define DECLARE(kind) extern const struct link_kind kind;
#define KIND(kind) &kind,
#define PART(kind) &kind.part,
LINK_KINDS(DECLARE)
const struct link_kind *const link_kinds[] = { LINK_KINDS(KIND) NULL };
const struct schema *const link_parts[] = { LINK_KINDS(PART) NULL };

const struct link_kind *link_kind_of(const struct abi_link_info *info)
{
	uint32_t sub = info->perf_event.type;

	for (const struct link_kind *const *k = link_kinds; *k; k++)
		if ((*k)->type == info->type && (!(*k)->subtypes || (sub < 32 && ((*k)->subtypes >> sub & 1))))
			return *k;
	return NULL;
}
