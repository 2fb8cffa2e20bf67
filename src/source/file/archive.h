/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct source;
/*
 * A file made by `save`; "-" is standard input. Its table of contents is read at once, from the index at its end or by
 * a pass over the file (tar.h): at most ARCHIVE_MAX bytes unpacked, ARCHIVE_OLD_MAX before format 2, ARCHIVE_MEMBERS
 * members of ARCHIVE_ANSWER_MAX, regular files with plain relative names only; otherwise -EBADMSG with a sentence, and
 * -ENOEXEC for a file that is not an archive. An answer is read when it is asked for. If its checksum is wrong it is
 * -EBADMSG; so is a list of ids without a checksum that lacks an object whose info is there. The others can still be
 * read. Data that is too large for memory is kept in a temporary file of at most ARCHIVE_TEMP_MAX.
 */
#define ARCHIVE_MAX (4ull << 30)
#define ARCHIVE_OLD_MAX (256ull << 20) /* a gzip of 1 MB: all of it must be unpacked to find any answer */
#define ARCHIVE_ANSWER_MAX (1ull << 30)
#define ARCHIVE_TEMP_MAX (1ull << 30)
#define ARCHIVE_MEMBERS (1u << 22)
int source_archive(struct source **ret, const char *path, struct err *e);
/* An archive in memory; the bytes must outlive the source. For tests and fuzzers. */
int source_archive_mem(struct source **ret, const void *p, size_t n, struct err *e);
/*
 * True for a truncated archive, because its writer was killed or the file was cut: it has the first @answers. The
 * others are -ENODATA.
 */
bool source_archive_cut(const struct source *s, uint64_t *answers);
