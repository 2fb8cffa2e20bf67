/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * A file that appears when it is complete: until newfile_finish() it has no name or, where the file system does not
 * support that, a temporary name beside @path, which a killed writer leaves. Mode 0600. An existing regular file is
 * replaced as a whole, a link to one itself. The name of an open descriptor, such as /dev/stdout, is a stream that is
 * written at once.
 */
#define NEWFILE_PARTIAL ".partial"
#define NEWFILE_TEMP ".new-" /* and six letters or digits: the temporary name, locked by its writer */
struct newfile {
	int fd;	    /* write here; above 2 */
	char *left; /* new name of what a killed writer left; NULL: nothing, or it has its name; see newfile_show() */
	/* private */
	char *path;
	char *temp;  /* the file's current name; NULL: it has none */
	bool stream; /* data is written to it at once */
	bool stays;  /* newfile_keep() */
};
/* 0, or -errno with a message that names the path. In both cases newfile_release() must be called once. */
int newfile_open(struct newfile *f, const char *path, struct err *e);
/* The same for standard output, unless it is a terminal. */
int newfile_stdout(struct newfile *f, struct err *e);
/*
 * For a file that is useful before it is complete: all data is in PATH.partial until the file is finished or released.
 * It stays if the process is killed. A PATH.partial left that way may be the only copy of what it has: it is renamed to
 * PATH.partial.1, or the next free number, which is in f->left. -EBUSY while its writer still runs.
 */
int newfile_show(struct newfile *f, struct err *e);
/* After newfile_show(): from now on PATH.partial also stays if it is released without newfile_finish(). */
void newfile_keep(struct newfile *f);
int newfile_finish(struct newfile *f, struct err *e);
/* The same for a file that others may read: it gets the mode that the umask allows. A stream's is not changed. */
int newfile_publish(struct newfile *f, struct err *e);
/* Without newfile_finish() or newfile_keep() nothing is left. */
void newfile_release(struct newfile *f);

/*
 * Write a file at once, as above. @path may also be a device or a FIFO, which is written in place. 0, or -errno with a
 * message.
 */
int newfile_write(const char *path, const void *p, size_t n, struct err *e);
