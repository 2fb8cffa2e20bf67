/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "own/bpf/program.bpf.h"

/* For the *.bpf.c files that look at open files: anonymous files are distinguished by their name. */
OFFSET(file, f_inode);
OFFSET(file, f_path);
OFFSET(inode, i_sb);
OFFSET(super_block, s_magic);
OFFSET(path, dentry);
OFFSET(dentry, d_name);
OFFSET(qstr, name);

#define ANON_INODE_FS 0x09041934

/* The kind of its file system. */
static __always_inline unsigned long inode_magic(const char *inode)
{
	const char *p = 0;
	unsigned long magic = 0;

	PROBE(p, inode, inode, i_sb);
	PROBE(magic, p, super_block, s_magic);
	return magic;
}

static __always_inline int is_nameless(const char *file)
{
	const char *inode = 0;

	PROBE(inode, file, file, f_inode);
	return inode_magic(inode) == ANON_INODE_FS;
}

/* The first bytes of its name: "bpf-prog", "bpf-map", "bpf_link", "btf". */
static __always_inline void file_word(const char *file, char word[8])
{
	const char *p = 0;

	__builtin_memset(word, 0, 8);
	PROBE(p, FIELD(file, file, f_path), path, dentry);
	PROBE(p, FIELD(p, dentry, d_name), qstr, name);
	bpf_probe_read_kernel(word, 8, p);
}
