/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/env.h"
#include "record/field.h"

struct command;
/* Rows about any file, and the machine that it is of. */
#define INFO_FIELD_FILE(T, ...) FIELD(T, file, "file", "the file", .plain = "%", ##__VA_ARGS__)
#define INFO_FIELD_BYTES(T, ...) \
	FIELD(T, bytes, "bytes", "size (of the file)", .unit = FU_SIZE, .plain = "  %B", .col = 1, \
	      .flags = FIELD_SHORT, ##__VA_ARGS__)
#define INFO_FIELD_RELEASE(T, ...) \
	FIELD(T, release, "release", "release of the kernel", .plain = "  Linux %", .col = 1, ##__VA_ARGS__)
#define INFO_FIELD_MACHINE(T, ...) \
	FIELD(T, machine, "machine", "hardware name from uname(2)", .plain = "  %", .col = 2, ##__VA_ARGS__)
#define INFO_FIELD_TOOL(T, ...) \
	FIELD(T, tool, "written_by", "program that wrote the file", .plain = "written by %", ##__VA_ARGS__)

/*
 * What the machine is, a file, which @path names, or the running kernel, for which @path is not used: host, kernel,
 * times, objects, and what it lacks, which is also the report's note. The record is in env->keep.
 */
extern const struct schema info_schema;
const void *info_read(struct env *env, const char *path);

extern const struct command command_info;
