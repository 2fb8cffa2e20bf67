/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/files.h"

#include <sys/stat.h>

#include "base/base.h"
#include "own/own.h"

#include "own/bpf/files.bpf.inc"
static const struct own_program program = OWN_PROGRAM(files);

struct own_files {
	struct str found[OWN_FILES];
	unsigned waits; /* 1 << enum own_file */
};

static int files_sort(struct own_files *f, const struct str *raw)
{
	struct own_file_head h;

	for (size_t at = 0; own_record(raw, &at, &h, sizeof(h)); at += h.size) {
		if (h.what >= OWN_FILES || h.size > raw->n - at)
			return -EBADMSG;
		str_add(&f->found[h.what], raw->p + at, h.size);
	}
	f->waits = (1u << OWN_FILES) - 1;
	return 0;
}

static int files_walk(struct own *own)
{
	STR raw = { 0 };
	struct stat st;
	int err = stat("/proc/self/ns/net", &st) ? -errno : 0;

	if (!err)
		err = own_iter(own, &program, (struct own_const[]){ { "but", (uint32_t)st.st_ino }, { NULL, 0 } }, -1,
			       NULL, &raw);
	own_files_drop(own);
	if (err)
		return err;
	own->files = array_resize(NULL, 1, sizeof(*own->files));
	*own->files = (struct own_files){ 0 };
	return files_sort(own->files, &raw);
}

bool own_files_waits(const struct own *own, enum own_file what)
{
	return own->files && own->files->waits >> what & 1;
}

int own_files(struct own *own, enum own_file what, struct str *ret)
{
	int err = own_files_waits(own, what) ? 0 : files_walk(own);
	struct str *found;

	if (err)
		return err;
	found = &own->files->found[what];
	str_add(ret, found->p, found->n);
	str_release(found);
	own->files->waits &= ~(1u << what);
	return 0;
}

void own_files_drop(struct own *own)
{
	for (size_t i = 0; own->files && i < OWN_FILES; i++)
		str_release(&own->files->found[i]);
	free(own->files);
	own->files = NULL;
}
