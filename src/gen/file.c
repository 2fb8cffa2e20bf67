/* SPDX-License-Identifier: BSD-2-Clause */
#include "gen/file.h"

#include <sys/stat.h>

#include "base/base.h"
#include "base/newfile.h"

int gen_file_finish(struct newfile *f, struct err *e)
{
	mode_t mask = umask(0);

	umask(mask);
	if (fchmod(f->fd, 0666 & ~mask) < 0)
		return err_sys(e, -errno, "cannot create %s", f->path);
	return newfile_finish(f, e);
}

int gen_file_write(const char *path, const void *p, size_t n, struct err *e)
{
	struct newfile file;
	struct out out;
	int err = newfile_open(&file, path, e);

	if (!err) {
		out_init(&out, file.fd);
		out_bytes(&out, p, n);
		err = out_close(&out, e);
		err = err ? err_in(e, "%s", path) : gen_file_finish(&file, e);
	}
	newfile_release(&file);
	return err;
}
