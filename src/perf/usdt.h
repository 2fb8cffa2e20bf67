/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "host/elf/usdt.h"

struct env;
struct attach_request;
/*
 * Inside the folder: where a program finds the arguments of a USDT probe. libbpf's <bpf/usdt.bpf.h> reads them by an
 * element of the program's map __bpf_usdt_specs, whose index is the cookie of the attachment. That map outlives the
 * loader, so a program that is loaded already can be attached as well.
 */
struct usdt_spec {
	struct usdt_spec_arg {
		uint64_t value; /* a constant, or the offset from what the register has */
		uint32_t kind;	/* 0: constant; 1: register; 2: in user memory */
		int16_t reg;	/* offset in struct pt_regs */
		uint8_t is_signed;
		int8_t shift; /* bits of 64 that the argument does not have */
	} args[12];
	uint64_t cookie;
	int16_t nargs;
};
/*
 * @machine: EM_ of the file. -EOPNOTSUPP with a sentence: the program is for another machine than this one, or an
 * argument is where no program can find it.
 */
int usdt_spec_make(struct usdt_spec *ret, const struct usdt_probe *probe, uint32_t machine, uint64_t cookie,
		   struct arena *a, struct err *e);
/* The program's map; fd -1: it has none, so it reads no arguments. */
struct usdt_specs {
	int fd;
	uint32_t entries;
};
int usdt_specs_open(struct env *env, const struct attach_request *q, struct usdt_specs *ret, struct err *e);
/*
 * Stores it from the end of the map, as libbpf does from the beginning: an equal element is used again. *ret: its
 * index. -ENOSPC: the map is full.
 */
int usdt_specs_put(const struct usdt_specs *s, const struct usdt_spec *spec, uint32_t *ret, struct err *e);
