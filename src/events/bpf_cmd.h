/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* The commands of bpf(2), by number, and the members of union bpf_attr that each reads. */
enum attr_shape {
	ATTR_NUMBER,
	ATTR_FLAGS,
	ATTR_POINTER,
	ATTR_FD,
	ATTR_NAME, /* characters in place */
	ATTR_TEXT, /* pointer to a string; a command has at most one */
	ATTR_MAP_TYPE,
	ATTR_PROG_TYPE,
	ATTR_ATTACH_TYPE,
};
struct attr_member {
	const char *name;
	uint8_t at, size; /* bytes in union bpf_attr; size: 4 or 8, except for ATTR_NAME */
	uint8_t shape;	  /* enum attr_shape */
};
#define ATTR_MEMBERS 36
struct attr_command {
	const char *word;  /* name of the command; first, because names_bpf_cmd reads it */
	const char *event; /* event that a successful call is; NULL: it changes no object */
	uint8_t kind; /* if event is set, enum object_kind of the new object, or of the descriptor that the event is of
		       */
	bool makes;   /* it returns a descriptor */
	uint8_t always; /* so many of the first members are shown even if they are zero */
	struct attr_member member[ATTR_MEMBERS];
};
extern const struct attr_command attr_commands[];
extern const unsigned attr_ncommands;
extern const struct name_table names_bpf_cmd;
