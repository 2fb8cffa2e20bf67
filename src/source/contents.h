/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_CONTENTS_H
#define SOURCE_CONTENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/object.h"
#include "base/err.h"
#include "base/str.h"
#include "source/input.h"
#include "source/keys.h"

/* Which answers an archive has and where: names and places, not the answers themselves. */
struct answer {
	enum { IN_FILE, IN_GZIP, IN_TEMP } where;
	bool refused; /* its bytes are the error number */
	bool summed;  /* crc32 is known */
	uint32_t crc32;
	uint64_t start; /* IN_GZIP: where the gzip member starts in the file */
	uint64_t off;	/* of the first byte: in the file, in what the gzip member unpacks to, in temp */
	uint64_t size;
};

/* An answer that begins farther inside of a gzip member is copied to temp: unpacking as much for each question would
 * take too long. */
#define CONTENTS_INSIDE_MAX (8u << 20)

struct contents {
	struct arena *arena;
	struct keys keys; /* of struct answer */
	uint64_t n;	  /* answers, superseded ones too */
	struct input temp;
	struct str infos[OBJECT_KINDS]; /* uint32_t[]: objects whose info is there without a checksum */
	struct err cut;			/* code 0, or why and where the file ends too early */
};

/* contents_free() is due in any case. */
void contents_init(struct contents *c);
void contents_free(struct contents *c);

/* From the index at the end of the file. False if there is none that can be understood: then c is empty. */
bool contents_from_index(struct contents *c, const struct input *in);
/*
 * By one pass over the file. -ENOEXEC: not an archive; -EBADMSG: a broken one, or one without a whole gzip member;
 * -errno. If some are whole and the next is not, or the end is missing: 0 and c->cut.
 */
int contents_scan(struct contents *c, const struct input *in, struct err *e);

/* The error number (-errno) in the bytes of a refusal; 0: it is none. */
int contents_errno(const void *p, size_t n);

#endif
