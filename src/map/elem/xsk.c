/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/xsk.h"

#include <linux/bpf.h>

#include "cli/env.h"
#include "map/elem/note.h"
#include "map/elem/print.h"
#include "record/field.h"
#include "source/xsk.h"
#include "kernel/abi.h"

/* A socket, in readable form. */
struct xsk_rec {
	struct xsk_raw raw;
	const char *ifname;
};

#define XSK_FIELD(m, nm, help, ...) FIELD(xsk_rec, m, nm, help, .flags = FIELD_NONZERO, ##__VA_ARGS__)
static const struct field xsk_fields[] = {
	XSK_FIELD(ifname, "ifname", "device that it is bound to", .plain = "%", .col = 0),
	XSK_FIELD(raw.ifindex, "ifindex", "index of that device in its namespace", .unit = FU_IFINDEX,
		  .plain = "  ifindex %", .col = 1),
	FIELD(xsk_rec, raw.queue, "queue", "queue of that device", .plain = "  queue %", .col = 2),
	XSK_FIELD(raw.netns, "netns", "network namespace of that device", .unit = FU_NETNS, .plain = "  netns %",
		  .col = 3),
	XSK_FIELD(raw.inode, "inode", "inode number of the socket, as in /proc/PID/fd", .plain = "  inode %", .col = 4),
};
static const struct schema schema_xsk = SCHEMA("xsk", xsk_rec, xsk_fields);

struct xsk_slots {
	struct env *env;
	struct xsks all;
};

const struct xsk_slots *xsk_slots_find(struct env *env, const struct abi_map_info *info, int *ret_err)
{
	struct xsk_slots *ret;

	if (info->type != BPF_MAP_TYPE_XSKMAP || info->key_size != sizeof(uint32_t))
		return NULL;
	ret = arena_alloc(env->keep, sizeof(*ret));
	ret->env = env;
	*ret_err = xsks_get(env->machine, env->keep, info->id, &ret->all);
	return *ret_err ? NULL : ret;
}

static bool xsk_at(const struct xsk_slots *s, uint32_t slot, struct xsk_rec *ret)
{
	size_t at = ARRAY_LOWER(s->all.n, i, xsks_at(&s->all, i).slot < slot);
	if (at == s->all.n)
		return false;
	ret->raw = xsks_at(&s->all, at);
	ret->ifname = ret->raw.ifname;
	return ret->raw.slot == slot;
}

bool xsk_note(const struct elem_form *f, const unsigned char *key, struct elem_note *ret)
{
	struct xsk_rec *rec = arena_alloc(f->xsks->env->arena, sizeof(*rec));

	*ret = (struct elem_note){ "socket", &schema_xsk, rec };
	return xsk_at(f->xsks, elem_u32(f, key), rec);
}
