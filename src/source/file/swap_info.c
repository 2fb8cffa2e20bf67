/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/bytes.h"
#include "base/swap.h"
#include "kernel/abi.h"
#include "source/questions.h"

/* The structs of kernel/abi.h. */
static const char *const infos[OBJECT_KINDS] = {
	[OBJECT_PROG] = "2I8s2I3Q2IQ16s2I2Q2I2Q2IQ2I2Q4I4Q3I",
	[OBJECT_MAP] = "6I16s2I2Q4I2Q2I",
	[OBJECT_LINK] = "4I",
	[OBJECT_BTF] = "Q2IQ2I",
};
/* The members after that, by type of link. */
static const char *const links[ABI_LINK_TYPES] = {
	[ABI_LINK_RAW_TRACEPOINT] = "Q2IQ",
	[ABI_LINK_TRACING] = "4IQ",
	[ABI_LINK_CGROUP] = "QI",
	[ABI_LINK_ITER] = "Q2I",
	[ABI_LINK_NETNS] = "2I",
	[ABI_LINK_XDP] = "I",
	[ABI_LINK_PERF_EVENT] = "2IQ2I3Q", /* the members that all kinds of perf events share */
	[ABI_LINK_KPROBE_MULTI] = "Q2I2Q",
	[ABI_LINK_STRUCT_OPS] = "I",
	[ABI_LINK_NETFILTER] = "4I",
	[ABI_LINK_TCX] = "2I",
	[ABI_LINK_UPROBE_MULTI] = "4Q4I",
	[ABI_LINK_NETKIT] = "2I",
	[ABI_LINK_SOCKMAP] = "2I",
	[ABI_LINK_TRACING_MULTI] = "2I2Q",
};

static uint32_t info_u32_at(const unsigned char *p, size_t n, size_t off)
{
	return off + sizeof(uint32_t) <= n ? (uint32_t)load_uint(p + off, sizeof(uint32_t), BIG_HERE) : 0;
}

/* A cgroup iterator has an order, which is not 0; a task iterator has zeros there. */
static void swap_iter(unsigned char *p, size_t n, size_t at)
{
	const size_t order = offsetof(struct abi_link_info, iter.cgroup.order);

	if (at < n)
		swap_record(info_u32_at(p, n, order) ? "QI" : "2I", p + at, n - at);
}

static void swap_link(unsigned char *p, size_t n)
{
	const uint32_t type = info_u32_at(p, n, 0);
	size_t at = offsetof(struct abi_link_info, raw_tracepoint);

	if (type >= ABI_LINK_TYPES || !links[type] || n <= at)
		return;
	at += swap_record(links[type], p + at, n - at);
	if (type == ABI_LINK_ITER)
		swap_iter(p, n, at);
}

/* gpl_compatible is the first bit of a bit field: the highest bit if the most significant byte comes first.
 */
static void swap_gpl(unsigned char *p, size_t n)
{
	const size_t off = offsetof(struct abi_prog_info, flags);
	const uint32_t flags = info_u32_at(p, n, off), ends = 1u << 31 | 1;

	if (n >= off + sizeof(flags))
		store_uint(p + off, sizeof(flags), (flags & ~ends) | flags >> 31 | flags << 31, BIG_HERE);
}

void swap_info(struct source *s, struct arena *a, const struct asked *q, unsigned char *p, size_t n)
{
	const unsigned kind = q->q - Q_INFO;

	swap_record(infos[kind], p, n);
	if (kind == OBJECT_LINK)
		swap_link(p, n);
	if (kind == OBJECT_PROG)
		swap_gpl(p, n);
}
