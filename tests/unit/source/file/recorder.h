/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "../../../tools/fake_source.h"
#include "source/source.h"
#include "source/file/recorder.h"

/* A machine with answers of every form, and a recorder of it. */
static const struct fake_answer fake[] = {
	{ "prog/ids", 0, "\1\0\0\0\2\0\0\0", 8 },
	{ "prog/1/info", 0, "binary\0bytes", 12 },
	{ "prog/2/info", -EPERM, NULL, 0 },
	{ "map/1/elems/start", -524, NULL, 0 },
	{ "map/2/info", -ENOENT, NULL, 0 },
	{ "prog/1/xlated", 0, "", 0 },
	{ "pin//sys/fs/bpf/a b/../\xc3\xa4.errno", 0, "prog 1\n", 7 },
	{ "link/12/buf/16.24.0+32.24.8", 0, "x", 1 },
	{ "meta", 0, "not ours", 8 },
	{ "sys/ksym/__bpf_call_base", 0, "0x1", 3 },
	{ 0 },
};

struct dir {
	char path[64], file[96];
};

static inline void dir_make(struct dir *d)
{
	strcpy(d->path, "/tmp/bpflens-record-XXXXXX");
	assert_non_null(mkdtemp(d->path));
	snprintf(d->file, sizeof(d->file), "%s/save", d->path);
}

static inline void dir_drop(struct dir *d)
{
	unlink(d->file);
	assert_int_equal(rmdir(d->path), 0);
}

static inline struct source *recorder(const struct dir *d, const char *note)
{
	struct source *inner = NULL, *s = NULL;
	struct err e = { 0 };

	assert_int_equal(source_fake(&inner, fake), 0);
	assert_int_equal(source_record(&s, inner, d->file, note, &e), 0);
	return s;
}
