/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/utsname.h>

#include "host/caps.h"
#include "own/probe/probe.h"
#include "source/file/gzip.h"
#include "source/file/input.h"
#include "source/live/live.h"

#define KCONFIG_MAX (16u << 20)

static int unpack(const struct input *in, struct str *ret)
{
	struct gzip_reader *r;
	char buf[16 << 10];
	ssize_t n = gzip_reader_open(&r, in, 0);

	if (n)
		return (int)n;
	while ((n = gzip_read(r, buf, sizeof(buf))) > 0 && ret->n < KCONFIG_MAX)
		str_add(ret, buf, (size_t)n);
	gzip_reader_close(&r);
	return n > 0 ? -EFBIG : (int)n;
}

int live_kconfig(struct live *l)
{
	STR packed = { 0 };
	struct input in = INPUT_NONE;
	struct utsname u;
	char path[128];
	int err;

	if (uname(&u) < 0)
		return -errno;
	snprintf(path, sizeof(path), "/boot/config-%s", u.release);
	if (!str_read_file(&l->text, path, KCONFIG_MAX))
		return 0;
	str_reset(&l->text);
	/* Files in /proc have no size. */
	err = str_read_file(&packed, "/proc/config.gz", KCONFIG_MAX);
	if (err)
		return err;
	in.mem = (const unsigned char *)packed.p;
	in.size = packed.n;
	return unpack(&in, &l->text);
}

int live_features(struct live *l)
{
	const struct probe probe = {
		.full = l->asked->id & FEATURES_FULL,
		.kfuncs = l->asked->id & FEATURES_KFUNCS,
		.ifindex = (uint32_t)l->asked->index,
		.prepare = l->asked->id & FEATURES_UNPRIVILEGED ? caps_drop : NULL,
	};

	return probe_collect(&l->own, &probe, &l->text);
}
