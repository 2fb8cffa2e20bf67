/* SPDX-License-Identifier: BSD-2-Clause */
/* Nothing but the CO-RE relocations of object.bpf.c, in a program that libbpf begins to load: it tells what it finds.
 */
#define ONLY_CORE
#include "object.bpf.c"
