/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "map/elem/print.h"
#include "types/value/format.h"

struct env;
/*
 * Elements whose key names something that is gone: a process, cgroup, network namespace or device. What a member names
 * is said by its format, or by the names of the member and of its type.
 */
#define DEAD_ARG(T, m, ...) \
	ARG("--dead", ARG_FLAG, T, m, \
	    "only elements whose key names a process, cgroup, network namespace or device that is gone", __VA_ARGS__)
#define DEAD_MEMBERS 8u
struct dead {
	struct env *env;
	struct dead_member {
		enum format format; /* PID, TGID, CGROUP, NETNS or IFINDEX */
		bool of_value;
		uint64_t off, size;
	} member[DEAD_MEMBERS];
	unsigned n;
	bool big;
	uint32_t key_size;
	struct hash netns, devices; /* inodes of the namespaces, indexes of the devices in any of them */
};
/*
 * @form: with the plans in which members are looked for; @chosen: it has formats that the user gave, and members of the
 * value count too. -EINVAL with a hint: nothing is known to name something; -ENODATA, -EPERM: what there is cannot be
 * read here. Lives in env->keep.
 */
int dead_init(struct dead *ret, struct env *env, const struct abi_map_info *info, const struct elem_form *form,
	      bool chosen, struct err *e);
/* Is something gone that this element names? 0 names nothing. @err: there is no value. */
bool dead_is(const struct dead *d, const unsigned char *key, int err);
/* What a member of that name, or a type of that name without its _t, names by convention; FORMAT_NONE: nothing. */
enum format dead_format(const char *name, size_t n);
