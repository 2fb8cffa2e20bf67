/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/session.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/message.h"
#include "base/newfile.h"
#include "host/proc.h"

#define NUMBER_MOST 999999999 /* a later one would not be found again */
#define TEMP_LETTERS 6

/* A file of FILE, FILE.1, FILE.2.partial, FILE.2.partial.1, FILE.3.new-a1B2c3, ... */
struct numbered {
	uint32_t number;
	bool temp; /* it never got its name */
	const char *path;
};
struct numbered_files {
	struct numbered *v;
	size_t n, cap;
};

/* "17" at the start of *p, not "017"; false: no number, or too large. */
static bool number_read(const char **p, uint32_t *ret)
{
	char *end;
	const unsigned long v = strtoul(*p, &end, 10);

	if (**p < '1' || **p > '9' || v > NUMBER_MOST)
		return false;
	*p = end;
	*ret = (uint32_t)v;
	return true;
}

/* What follows the name of the first file. */
static bool suffix_parse(const char *s, struct numbered *ret)
{
	const char *number = s + 1;
	uint32_t aside;

	if (*s == '.' && number_read(&number, &ret->number))
		s = number;
	ret->temp = str_starts(s, NEWFILE_TEMP) && strlen(s) == strlen(NEWFILE_TEMP) + TEMP_LETTERS;
	if (!*s || ret->temp)
		return true;
	if (!str_starts(s, NEWFILE_PARTIAL))
		return false;
	s += strlen(NEWFILE_PARTIAL);
	number = s + 1;
	return !*s || (*s == '.' && number_read(&number, &aside) && !*number);
}

static int by_number(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return NUM_CMP(x->number, y->number);
}

/* Those that exist, ascending, in the arena. 0 or -errno. */
static int numbered_find(const struct recording *r, struct arena *a, struct numbered_files *ret)
{
	const char *path = r->opts->file, *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *folder = slash ? arena_str(a, path, (size_t)(slash - path) + 1) : "";
	CLEAN_DIR *dir = opendir(*folder ? folder : ".");

	*ret = (struct numbered_files){ 0 };
	if (!dir)
		return -errno;
	for (const struct dirent *d; (d = readdir(dir));) {
		struct numbered one = { .path = arena_fmt(a, "%s%s", folder, d->d_name) };
		struct stat st;

		if (!str_starts(d->d_name, base) || !suffix_parse(d->d_name + strlen(base), &one) ||
		    lstat(one.path, &st) || !S_ISREG(st.st_mode))
			continue;
		ARENA_MORE(a, ret->v, ret->n, ret->cap);
		ret->v[ret->n++] = one;
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_number);
	return 0;
}

static bool is_being_written(const char *path)
{
	CLEAN_FD fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
}

static void file_remove(const char *path)
{
	if (unlink(path) && errno != ENOENT)
		message("bpflens: cannot remove %s: %s", path, err_text(-errno));
}

int session_continue(struct recording *r, struct err *e)
{
	ARENA a = arena_new();
	struct numbered_files all;
	int err = r->opts->max_files ? numbered_find(r, a, &all) : -ENOENT;

	/* Without the folder, the first file cannot be created either. */
	if (err == -ENOENT)
		return 0;
	if (err)
		return err_sys(e, err, "cannot list the files %s.N", r->opts->file);
	for (size_t i = 0; i < all.n; i++)
		if (is_being_written(all.v[i].path)) {
			err_sys(e, -EBUSY, "%s", all.v[i].path);
			return err_hint(e, "another process is writing it; wait, or use another file");
		}
	for (size_t i = 0; i < all.n; i++) {
		if (all.v[i].temp) {
			file_remove(all.v[i].path);
			continue;
		}
		if (all.v[i].number == NUMBER_MOST)
			return err_set(e, -EOVERFLOW, "%s: no number is left for the next file", all.v[i].path);
		r->file = r->first_file = all.v[i].number + 1;
	}
	return 0;
}

void session_prune(struct recording *r)
{
	ARENA a = arena_new();
	struct numbered_files all;
	uint32_t kept = 1, last = r->file;
	int err;

	if (!r->opts->max_files)
		return;
	err = numbered_find(r, a, &all);
	if (err) {
		message("bpflens: cannot remove the oldest of the files %s.N: %s", r->opts->file, err_text(err));
		return;
	}
	for (size_t i = all.n; i-- > 0;) {
		if (all.v[i].number >= r->file)
			continue;
		kept += all.v[i].number != last;
		last = all.v[i].number;
		if (kept <= r->opts->max_files)
			continue;
		file_remove(all.v[i].path);
		r->first_file = last >= r->first_file ? last + 1 : r->first_file;
	}
}
