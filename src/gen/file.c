/* SPDX-License-Identifier: BSD-2-Clause */
#include "gen/file.h"

#include "base/newfile.h"

int gen_file_write(const char *path, const void *p, size_t n, struct err *e)
{
	struct newfile file;
	struct out out;
	int err = newfile_open(&file, path, e);

	if (!err) {
		out_init(&out, file.fd);
		out_bytes(&out, p, n);
		err = out_close(&out, e);
		err = err ? err_in(e, "%s", path) : newfile_publish(&file, e);
	}
	newfile_release(&file);
	return err;
}
