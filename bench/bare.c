/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/* Read map ID in batches of about 512 KiB and do nothing with it: what no dump can be faster than. */
int main(int argc, char **argv)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info), count, room, batch[64] = { 0 };
	int fd = bpf_map_get_fd_by_id(argc > 1 ? (uint32_t)atoi(argv[1]) : 0), err;
	size_t value_size;
	void *keys, *values, *in = NULL;

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len) || info.key_size > sizeof(batch))
		return 1;
	value_size = info.value_size;
	if (info.type == BPF_MAP_TYPE_PERCPU_HASH)
		value_size = (value_size + 7) / 8 * 8 * (size_t)libbpf_num_possible_cpus();
	room = (uint32_t)((512u << 10) / (info.key_size + value_size)) + 1;
	keys = malloc((size_t)room * info.key_size);
	values = malloc(room * value_size);
	do {
		count = room;
		err = bpf_map_lookup_batch(fd, in, batch, keys, values, &count, NULL);
		in = batch;
	} while (!err);
	free(keys);
	free(values);
	return err != -ENOENT;
}
