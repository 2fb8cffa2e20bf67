/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/stdfds.h"

#include <fcntl.h>

#include "base/base.h"

int stdfds_fill(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* Not /dev/null: writing must fail where output would be lost, and a container may have no /dev. */
		if (open("/", O_PATH) < 0)
			return -errno;
	}
	return 0;
}
