/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in contents_index.c and contents_scan.c. */

#include "kernel/object.h"
#include "source/file/input.h"
#include "source/keys.h"

/* The table of contents of an archive: names and positions of answers, not the answers themselves. */
struct answer {
	enum { IN_FILE, IN_GZIP, IN_TEMP } where;
	bool refused; /* its bytes are the error number */
	bool summed;  /* crc32 is known */
	uint32_t crc32;
	uint64_t start; /* IN_GZIP: where the gzip member starts in the file */
	uint64_t off;	/* of the first byte: in the file, in the unpacked gzip member, or in temp */
	uint64_t size;
};

/*
 * An answer that begins deeper in a gzip member is copied to temp, because unpacking that much for each question would
 * take too long.
 */
#define CONTENTS_INSIDE_MAX (8u << 20)

struct contents {
	struct arena *arena;
	struct keys keys; /* of struct answer */
	uint64_t n;	  /* answers, including superseded ones */
	struct input temp;
	struct str infos[OBJECT_KINDS]; /* uint32_t[]: objects whose info has no checksum */
	struct err cut;			/* code 0, or why and where the file is truncated */
};

/* contents_free() is needed in any case. */
void contents_init(struct contents *c);
void contents_free(struct contents *c);

/* From the index at the end of the file. False: no index, or one that cannot be parsed; then c is empty. */
bool contents_from_index(struct contents *c, const struct input *in);
/*
 * By a pass over the file. -ENOEXEC: not an archive; -EBADMSG: damaged, or without a complete gzip member; -errno. If a
 * gzip member is damaged after complete ones, or the end is missing: 0 and c->cut.
 */
int contents_scan(struct contents *c, const struct input *in, struct err *e);

/* The error number (-errno) in the bytes of a refusal; 0: they are not one. */
int contents_errno(const void *p, size_t n);
