/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_NEWFILE_H
#define BASE_NEWFILE_H

#include <stdbool.h>
#include <stddef.h>

struct err;
/*
 * A file that is there when it is complete: until newfile_finish() what is written has no name, or, where the file
 * system does not know files without one, a temporary one beside @path. Mode 0600. A regular file of that name is
 * replaced, whole.
 */
#define NEWFILE_PARTIAL ".partial"
struct newfile {
	int fd; /* write here; above standard error */
	/* inside */
	char *path;
	char *temp;  /* the file's present name; NULL: it has none yet */
	bool stream; /* standard output: what is written is there at once */
};
/* 0, or -errno with a sentence that names the path. In any case newfile_release() is due, once. */
int newfile_open(struct newfile *f, const char *path, struct err *e);
/* The same for standard output, unless that is a terminal. */
int newfile_stdout(struct newfile *f, struct err *e);
/*
 * For a file that is worth something before it is complete: what was written, and is written from now on, is in
 * PATH.partial until the file is finished or released; who is killed leaves it. What somebody left so is replaced;
 * -EBUSY while its writer still runs.
 */
int newfile_show(struct newfile *f, struct err *e);
int newfile_finish(struct newfile *f, struct err *e);
/* Without newfile_finish() nothing remains. */
void newfile_release(struct newfile *f);

/* In place, for a path that may be a device or a pipe; mode 0600. Half a file is removed. 0, or -errno with a sentence.
 */
int file_overwrite(const char *path, const void *p, size_t n, struct err *e);

#endif
