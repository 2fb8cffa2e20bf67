/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_SIGN_H
#define HOST_SIGN_H

#include <stdbool.h>
#include "kernel/loader.h"

struct arena;
struct err;
/*
 * Signatures as the kernel takes them for programs and modules: PKCS#7, detached, over SHA-256, with neither
 * certificates nor attributes. By libcrypto, which is loaded when it is needed, if its headers were there when this was
 * built.
 */
extern const bool sign_built;

/*
 * Sign what @l has of instructions with the private key of one file (PEM) and for the certificate of another (PEM or
 * DER). Bytes live in the arena. -ENOTSUP without libcrypto, -EKEYREJECTED for files that are no key or certificate, or
 * belong not together.
 */
int sign_loader(struct loader_signature *ret, const struct loader *l, const char *key, const char *cert,
		struct arena *a, struct err *e);

#endif
