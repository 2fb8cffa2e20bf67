/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in read.c. */

#include "cli/owner.h"
#include "record/field.h"
#include "kernel/abi.h"

struct command;
struct object_label;
/* A BTF object of the kernel, as `btf show` prints it. Its types are in types/btf.h. */
struct btf_rec {
	struct abi_btf_info info;
	uint32_t info_len;
	const char *name; /* NULL: it has none, or this kernel does not report it */
	bool kernel;
	const uint32_t *progs, *maps; /* users, ascending */
	uint32_t nprogs, nmaps;
	uint8_t has_name, has_progs, has_maps; /* enum avail */
	struct object_owners owners;
};
extern const struct schema btf_schema;
extern const struct command btf_cmd_dump;

int btf_rec_read(struct env *env, struct arena *a, uint32_t id, unsigned need, void *rec, struct err *e);
int btf_rec_label(struct env *env, struct arena *a, uint32_t id, struct object_label *ret, struct err *e);
