/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GEN_LIGHT_H
#define GEN_LIGHT_H

struct gen_object; struct loader; struct arena; struct err;
/*
 * A skeleton that does without libbpf, for programs and kernel modules: an object is not loaded but a program that loads it, which
 * libbpf has made for it, by the types of the kernel that runs here. It is the object's; making it changes the order of programs.
 */
int light_make(struct loader *ret, struct gen_object *o, struct arena *a, struct err *e);

#endif
