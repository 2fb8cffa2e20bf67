/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/* Open all programs or maps, and get their infos: the least that a list must do. */
static int list(int (*next)(uint32_t, uint32_t *), int (*open)(uint32_t))
{
	union {
		struct bpf_prog_info prog;
		struct bpf_map_info map;
	} info;
	uint32_t id = 0, len;
	int fd;

	while (!next(id, &id)) {
		fd = open(id);
		if (fd < 0)
			continue;
		memset(&info, 0, sizeof(info));
		len = sizeof(info);
		if (bpf_obj_get_info_by_fd(fd, &info, &len))
			return 1;
		close(fd);
	}
	return 0;
}

/* Read a map in batches of about 512 KiB and do nothing with the elements: the least that a dump must do. */
static int dump(uint32_t id)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info), count, room, batch[64] = { 0 };
	int fd = bpf_map_get_fd_by_id(id), err;
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

/* usage: bare prog | map | ID of a map */
int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "prog"))
		return list(bpf_prog_get_next_id, bpf_prog_get_fd_by_id);
	if (!strcmp(what, "map"))
		return list(bpf_map_get_next_id, bpf_map_get_fd_by_id);
	return dump((uint32_t)atoi(what));
}
