/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include "host/holders.h"
#include "host/holders_fdinfo.h"
#include "host/proc.h"

/* The number after "WORD:" at the start of a line. */
static bool fdinfo_number(const char *text, const char *word, uint64_t *ret)
{
	size_t n = strlen(word);

	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, word, n) || p[n] != ':')
			continue;
		for (p += n + 1; *p == '\t' || *p == ' ';)
			p++;
		if (!isdigit((unsigned char)*p))
			return false;
		*ret = strtoull(p, NULL, 10);
		return true;
	}
	return false;
}

/* "anon_inode:bpf-prog", "anon_inode:bpf-map", "anon_inode:bpf_link", "anon_inode:btf"; some kernels use brackets */
static int fdinfo_kind(const char *target)
{
	static const char *const words[OBJECT_KINDS] = { "prog", "map", "link", "btf" };

	if (!str_starts(target, "anon_inode:"))
		return -1;
	target += strlen("anon_inode:");
	target += *target == '[';
	if (!strncmp(target, "btf", 3))
		return OBJECT_BTF;
	if (strncmp(target, "bpf", 3) || (target[3] != '-' && target[3] != '_'))
		return -1;
	for (int k = 0; k < OBJECT_BTF; k++)
		if (!strncmp(target + 4, words[k], strlen(words[k])))
			return k;
	return -1;
}

/* 1: a BPF object; 0: another file; -errno: it could not be read, or is gone. */
static int fd_read(int proc, int fds, const char *fd, struct holder_raw *ret, bool *ret_whole)
{
	static const char *const words[OBJECT_KINDS] = { "prog_id", "map_id", "link_id", "btf_id" };
	char target[64], path[64], text[4096];
	ssize_t n = readlinkat(fds, fd, target, sizeof(target) - 1);
	uint64_t id;
	int kind, err;

	if (n < 0)
		return -errno;
	target[n] = 0;
	kind = fdinfo_kind(target);
	if (kind < 0)
		return 0;
	snprintf(path, sizeof(path), "fdinfo/%.16s", fd);
	err = proc_small(proc, path, text, sizeof(text));
	if (err)
		return err;
	if (!fdinfo_number(text, words[kind], &id))
		return 0;
	ret->kind = (uint32_t)kind;
	ret->id = (uint32_t)id;
	ret->cookie = 0;
	if (kind == OBJECT_LINK && strstr(text, "link_type:\tperf_event\n") &&
	    !fdinfo_number(text, "cookie", &ret->cookie))
		*ret_whole = false;
	return 1;
}

/* 0, or the first reason why a part of the process could not be read. */
static int process_read(int proc_root, const char *pid, struct str *ret, bool *ret_whole)
{
	CLEAN_FD proc = openat(proc_root, pid, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CLEAN_DIR *fds = proc < 0 ? NULL : proc_dir(proc, "fd");
	struct holder_raw h = { .pid = (uint32_t)strtoul(pid, NULL, 10) };
	int err = 0, is_object;
	struct dirent *d;

	if (!fds)
		return -errno;
	while (errno = 0, (d = readdir(fds))) {
		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		is_object = fd_read(proc, dirfd(fds), d->d_name, &h, ret_whole);
		if (is_object > 0 && !h.comm[0])
			err = err && !proc_is_gone(err) ? err : proc_comm(proc, "comm", h.comm);
		if (is_object > 0)
			str_add(ret, &h, sizeof(h));
		else if (is_object && (!err || proc_is_gone(err)))
			err = is_object;
	}
	return err || !errno ? err : -errno;
}

int holders_by_fdinfo(struct str *ret, bool *ret_whole)
{
	CLEAN_DIR *proc = opendir("/proc");
	const size_t before = ret->n;
	struct dirent *d;
	char self[32];
	ssize_t n;

	if (!proc)
		return -errno;
	n = readlinkat(dirfd(proc), "self", self, sizeof(self) - 1);
	if (n < 0)
		return -errno;
	self[n] = 0;
	*ret_whole = true;
	while (errno = 0, (d = readdir(proc))) {
		int err = 0;

		if (isdigit((unsigned char)d->d_name[0]) && strcmp(d->d_name, self))
			err = process_read(dirfd(proc), d->d_name, ret, ret_whole);
		if (err && !proc_is_gone(err)) {
			struct holder_raw unseen = { .kind = HOLDER_UNSEEN,
						     .id = (uint32_t)-err,
						     .pid = (uint32_t)strtoul(d->d_name, NULL, 10) };

			str_add(ret, &unseen, sizeof(unseen));
			*ret_whole = false;
		}
	}
	if (errno)
		ret->n = before;
	return -errno;
}
