/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/btf.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/str.h"
#include "btf/btf.h"

#define RAW_MAX (256u << 20)

/* 1, 0, or -errno. Object files with debug information are large: only their BTF is read. */
static int is_elf(const char *path)
{
	CLEAN_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char magic[SELFMAG];
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, magic, sizeof(magic));
	return n < 0 ? -errno : n == sizeof(magic) && !memcmp(magic, ELFMAG, sizeof(magic));
}

static int check_elf(const char *path, struct err *e)
{
	struct btf *b = btf__parse_elf(path, NULL);
	struct btf_types *types = NULL;
	const void *p;
	uint32_t n;
	int err;

	if (!b)
		return err_set(e, -EBADMSG, "no BTF in this object file");
	p = btf__raw_data(b, &n);
	err = p ? btf_parse(&types, p, n, NULL, e) : err_sys(e, -ENOMEM, "cannot read it");
	btf_release(&types);
	btf__free(b);
	return err;
}

static int check_raw(const char *path, struct err *e)
{
	struct btf_types *types = NULL;
	STR text = { 0 };
	int err = str_read_file(&text, path, RAW_MAX);

	if (err)
		return err_sys(e, err, "cannot be read");
	if (!text.n)
		return err_set(e, -EBADMSG, "the file is empty");
	err = btf_parse(&types, text.p, text.n, NULL, e);
	btf_release(&types);
	return err;
}

int btf_check_file(const char *path, struct err *e)
{
	int elf = is_elf(path), err;

	if (elf < 0)
		return err_sys(e, elf, "cannot read %s", path);
	err = elf ? check_elf(path, e) : check_raw(path, e);
	if (err)
		err_in(e, "%s", path);
	return err;
}
