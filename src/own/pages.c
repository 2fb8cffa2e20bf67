/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/pages.h"

#include <errno.h>
#include <linux/bpf.h>
#include <unistd.h>

#include "base/clean.h"
#include "own/kbtf.h"
#include "own/kmem.h"

#define ARENA_MAX (1ull << 32)		/* bytes */

struct offsets {
	unsigned start, end, kern_vm, addr;
};

static int offsets_find(struct offsets *o)
{
	const struct kbtf_want want[] = {
		{ "bpf_arena", false, { { "user_vm_start", &o->start }, { "user_vm_end", &o->end }, { "kern_vm", &o->kern_vm } } },
		{ "vm_struct", false, { { "addr", &o->addr } } },
	};
	KBTF btf = { 0 };
	int err = kbtf_open(&btf);

	return err ? err : kbtf_find(btf.p, btf.n, want, ARRAY_SIZE(want), NULL, NULL, NULL);
}

/* In front of an arena is half of the room that an instruction's offset can reach, rounded up to two pages. */
static uint64_t guard(uint64_t page_size)
{
	const uint64_t reach = 1ull << (8 * sizeof(((struct bpf_insn *)0)->off)), two = 2 * page_size;

	return (reach + two - 1) / two * two / 2;
}

int pages_find(const struct kmem *k, struct pages_place *ret)
{
	const uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t start, end, vm, addr;
	struct offsets o;
	int err = offsets_find(&o);

	if (err)
		return err;
	if (kmem_read(k, k->map + o.start, &start, sizeof(start)) || kmem_read(k, k->map + o.end, &end, sizeof(end)) ||
	    kmem_read(k, k->map + o.kern_vm, &vm, sizeof(vm)) || kmem_read(k, vm + o.addr, &addr, sizeof(addr)))
		return -EBADMSG;
	if (end < start || end - start > ARENA_MAX || (end - start) % page_size)
		return -EBADMSG;
	*ret = (struct pages_place){
		.user = start, .kernel = addr + guard(page_size), .page_size = (uint32_t)page_size,
		.pages = (uint32_t)((end - start) / page_size),
	};
	return 0;
}
