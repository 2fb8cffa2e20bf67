/* SPDX-License-Identifier: BSD-2-Clause */
/* Only the CO-RE relocations of object.bpf.c, in a program that libbpf starts to load: it prints the matches.
 */
#define ONLY_CORE
#include "object.bpf.c"
