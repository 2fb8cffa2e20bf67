/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "kernel/loader.h"

/*
 * Signatures as the kernel requires them for programs and modules: PKCS#7, detached, over SHA-256, without certificates
 * and attributes. Made by libcrypto, which is loaded at run time, if its headers were present at build time.
 */
extern const bool sign_built;

/*
 * Sign the instructions of @l with a private key (PEM file) that matches a certificate (PEM or DER file). The bytes are
 * in the arena. -ENOTSUP without libcrypto; -EKEYREJECTED if a file is not a key or certificate, or they do not match.
 */
int sign_loader(struct loader_signature *ret, const struct loader *l, const char *key, const char *cert,
		struct arena *a, struct err *e);
