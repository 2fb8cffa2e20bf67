/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/elem.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <net/if.h>

#include "kernel/abi.h"

int elem_lookup(int fd, const void *key, void *value, uint64_t flags)
{
	return bpf_map_lookup_elem_flags(fd, key, value, flags);
}

int elem_update(int fd, const void *key, const void *value, uint64_t flags)
{
	return bpf_map_update_elem(fd, key, value, flags);
}

int elem_update_batch(int fd, const void *keys, const void *values, uint32_t *count)
{
	return bpf_map_update_batch(fd, keys, values, count, NULL);
}

int elem_delete(int fd, const void *key)
{
	return bpf_map_delete_elem(fd, key);
}

int elem_next(int fd, const void *key, void *next)
{
	return bpf_map_get_next_key(fd, key, next);
}

int elem_pop(int fd, void *key, void *value)
{
	return bpf_map_lookup_and_delete_elem(fd, key, value);
}

int map_freeze(int fd)
{
	return bpf_map_freeze(fd);
}

int map_create(const struct map_attr *attr)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = attr->flags, .map_ifindex = attr->ifindex,
		    .map_extra = attr->extra, .inner_map_fd = attr->inner_fd < 0 ? 0 : (uint32_t)attr->inner_fd,
		    .btf_key_type_id = attr->key_type, .btf_value_type_id = attr->value_type);
	LIBBPF_OPTS(bpf_btf_load_opts, btf_opts);
	CLEAN_FD btf = -1;

#if LIBBPF_MAJOR_VERSION > 1 || LIBBPF_MINOR_VERSION >= 4
	if (attr->token > 0) {
		opts.token_fd = btf_opts.token_fd = attr->token;
		opts.map_flags |= ABI_TOKEN_FD;
		btf_opts.btf_flags = ABI_TOKEN_FD;
	}
#endif
	if (attr->btf) {
		btf = bpf_btf_load(attr->btf, attr->btf_size, &btf_opts);
		if (btf < 0)
			return btf;
		opts.btf_fd = (uint32_t)btf;
	}
	return bpf_map_create(attr->type, attr->name, attr->key_size, attr->value_size, attr->max_entries, &opts);
}

uint32_t device_index(const char *name)
{
	return if_nametoindex(name);
}
