/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EVENTS_BPF_CMD_H
#define EVENTS_BPF_CMD_H

#include <stdbool.h>
#include <stdint.h>

/* One description of each command of bpf(2), by its number. */
enum attr_shape {
	ATTR_NUMBER,
	ATTR_FLAGS,
	ATTR_POINTER,
	ATTR_FD,
	ATTR_NAME, /* characters in place */
	ATTR_TEXT, /* pointer to a text; at most one of a command */
	ATTR_MAP_TYPE,
	ATTR_PROG_TYPE,
	ATTR_ATTACH_TYPE,
};
struct attr_member {
	const char *name;
	uint8_t at, size; /* bytes in union bpf_attr; 4 or 8, but for ATTR_NAME */
	uint8_t shape;	  /* enum attr_shape */
};
#define ATTR_MEMBERS 36
struct attr_command {
	const char *word;  /* first: names_bpf_cmd reads it */
	const char *event; /* what it does to an object, for a stream of events; NULL: nothing that lasts */
	uint8_t kind;	/* enum object_kind, if there is an event: of what is made, or of the first such descriptor */
	bool makes;	/* it returns a descriptor */
	uint8_t always; /* the first members, which are shown also when they are zero */
	struct attr_member member[ATTR_MEMBERS];
};
extern const struct attr_command attr_commands[];
extern const unsigned attr_ncommands;
extern const struct name_table names_bpf_cmd;

#endif
