/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "types/btf.h"
#include "kernel/abi.h"

/*
 * Input: the number of value bytes (1 byte) and of 4-byte words of the type section (2 bytes), the value, the types,
 * the strings without their first NUL. The header is made here, so that most inputs pass its checks.
 */
struct input {
	const uint8_t *value, *rest;
	size_t value_n, types_n, strs_n;
};

static inline int input_parse(const uint8_t *p, size_t n, struct input *ret)
{
	size_t left;

	if (n < 3 || n - 3 < p[0])
		return -1;
	left = n - 3 - p[0];
	ret->value = p + 3;
	ret->value_n = p[0];
	ret->rest = p + 3 + p[0];
	ret->types_n = (size_t)(p[1] | p[2] << 8) * 4;
	if (ret->types_n > left)
		ret->types_n = left & ~(size_t)3;
	ret->strs_n = left - ret->types_n;
	return 0;
}

static inline size_t btf_make(const struct input *in, uint8_t *ret)
{
	struct abi_btf_header h = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(h),
		.type_len = (uint32_t)in->types_n,
		.str_off = (uint32_t)in->types_n,
		.str_len = (uint32_t)in->strs_n + 2,
	};
	uint8_t *strs = ret + sizeof(h) + in->types_n;

	memcpy(ret, &h, sizeof(h));
	memcpy(ret + sizeof(h), in->rest, in->types_n);
	strs[0] = 0;
	memcpy(strs + 1, in->rest + in->types_n, in->strs_n);
	strs[1 + in->strs_n] = 0;
	return sizeof(h) + in->types_n + in->strs_n + 2;
}
