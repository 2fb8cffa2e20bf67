/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* The commands of bpf(2), by number, and the members of union bpf_attr that each reads. */
enum attr_shape {
	ATTR_NUMBER,
	ATTR_FLAGS,
	ATTR_FD,
	ATTR_MAP_ID,
	ATTR_COUNT, /* of elements; after the call, those that were done */
	ATTR_NAME,  /* characters in place */
	ATTR_MAP_TYPE,
	ATTR_PROG_TYPE,
	ATTR_ATTACH_TYPE,
	/* Pointers; a command has at most one of each but the first. */
	ATTR_POINTER,
	ATTR_TEXT,  /* a string */
	ATTR_KEY,   /* of an element */
	ATTR_VALUE, /* the same, which the kernel reads */
	ATTR_ANSWER,
	ATTR_NEXT_KEY, /* which it writes if the call succeeds */
};
struct attr_member {
	const char *name;
	uint8_t at;    /* bytes in union bpf_attr */
	uint8_t shape; /* enum attr_shape */
	uint8_t bytes; /* 0: 8 of a pointer, 4 of others */
};
#define ATTR_MEMBERS 36 /* of a command, at most */
static inline unsigned attr_size(const struct attr_member *m)
{
	return m->bytes ? m->bytes : m->shape >= ATTR_POINTER ? 8 : 4;
}
struct attr_command {
	const char *word;  /* name of the command; first, because names_bpf_cmd reads it */
	const char *event; /* event that a successful call is; NULL: it changes no object */
	uint8_t kind; /* if event is set, enum object_kind of the new object, or of the descriptor that the event is of
		       */
	bool makes;   /* it returns a descriptor */
	uint8_t always;			  /* so many of the first members are shown even if they are zero */
	const struct attr_member *member; /* ends with name NULL */
};
extern const struct attr_command attr_commands[];
extern const unsigned attr_ncommands;
extern const struct name_table names_bpf_cmd;
