/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/storage.bpf.h"

OFFSET(cgroup, kn);
OFFSET(kernfs_node, id);
GIVEN_MAP(storage);

struct iter_cgroup { /* struct bpf_iter__cgroup */
	struct iter_meta *meta;
	const char *cgroup;
};

SEC("iter/cgroup") int storage_cgroup(struct iter_cgroup *ctx)
{
	const char *cgroup = ctx->cgroup, *kn;
	struct storage_owner o = { 0 };
	void *value;

	if (!cgroup)
		return 0;
	value = bpf_cgrp_storage_get(&storage, (void *)cgroup, 0, 0);
	if (!value)
		return 0;
	kn = READ(kn, cgroup, cgroup, kn);
	PROBE(o.cgroup_id, kn, kernfs_node, id);
	return storage_tell(ctx->meta, &o, value);
}
