/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/pages.h"

#include <linux/bpf.h>

#include "own/kbtf.h"
#include "own/kmem.h"

#define ARENA_MAX (1ull << 32) /* bytes */

/* Bytes before an arena: half of the range of an instruction's offset, rounded up to two pages. */
static uint64_t guard(uint64_t page_size)
{
	const uint64_t reach = 1ull << (8 * sizeof(((struct bpf_insn *)0)->off)), two = 2 * page_size;

	return (reach + two - 1) / two * two / 2;
}

int pages_find(const struct kmem *k, struct pages_place *ret)
{
	const uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t start, end, vm, addr;
	int at_start, at_end, at_vm, at_addr;
	const struct kbtf_want want[] = {
		{ "bpf_arena", "user_vm_start", false, &at_start },
		{ "bpf_arena", "user_vm_end", false, &at_end },
		{ "bpf_arena", "kern_vm", false, &at_vm },
		{ "vm_struct", "addr", false, &at_addr },
	};
	int err = kbtf_ask(want, ARRAY_SIZE(want));

	if (err)
		return err;
	if (kmem_read(k, k->map + (unsigned)at_start, &start, sizeof(start)) ||
	    kmem_read(k, k->map + (unsigned)at_end, &end, sizeof(end)) ||
	    kmem_read(k, k->map + (unsigned)at_vm, &vm, sizeof(vm)) ||
	    kmem_read(k, vm + (unsigned)at_addr, &addr, sizeof(addr)))
		return -EBADMSG;
	if (end < start || end - start > ARENA_MAX || (end - start) % page_size)
		return -EBADMSG;
	*ret = (struct pages_place){
		.user = start,
		.kernel = addr + guard(page_size),
		.page_size = (uint32_t)page_size,
		.pages = (uint32_t)((end - start) / page_size),
	};
	return 0;
}
