/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpus.h"

#include "base/cpu_list.h"

#define POSSIBLE "/sys/devices/system/cpu/possible"
#define TEXT_MAX (1u << 20)

int cpus_possible(uint32_t **ret)
{
	STR text = { 0 };
	size_t n;
	int err = str_read_file(&text, POSSIBLE, TEXT_MAX);

	if (err)
		return err;
	n = text.n ? cpu_list_read(text.p, ret) : 0;
	return n ? (int)n : -EBADMSG;
}
