/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "source/keys.h"
#include "source/source.h"
#include "source/tar.h"

#define ERRNO_MAX 4095

struct answer {
	struct blob blob;	/* in the file's bytes */
	int err;
};

struct archive {
	struct source source;
	struct arena *arena;
	struct keys keys;
	struct str file;		/* as read, if the bytes are ours */
	unsigned char *unpacked;	/* NULL: it was a plain tar */
	struct err *e;			/* while reading */
};

static int archive_get(struct source *s, const char *key, struct arena *a, struct blob *ret)
{
	const struct archive *ar = (const struct archive *)s;
	const struct answer *w = keys_get(&ar->keys, key);

	(void)a;
	if (!w)
		return -ENODATA;
	if (w->err)
		return w->err;
	*ret = w->blob;
	return 0;
}

static void archive_close(struct source *s)
{
	struct archive *ar = (struct archive *)s;

	arena_free(ar->arena);
	str_release(&ar->file);
	free(ar->unpacked);
	free(ar);
}

static const struct source_ops archive_ops = { .name = "archive", .get = archive_get, .close = archive_close };

static int parse_errno(const void *p, size_t n)
{
	char text[8];
	uint32_t v;

	if (n && ((const char *)p)[n - 1] == '\n')
		n--;
	if (!n || n >= sizeof(text))
		return 0;
	memcpy(text, p, n);
	text[n] = '\0';
	return num_parse_u32(text, &v) || v > ERRNO_MAX ? 0 : -(int)v;
}

/* The last member of a name wins, as when tar extracts; so does the later one of an answer and a refusal. */
static int add_member(void *ctx, const char *name, const void *p, size_t n)
{
	struct archive *ar = ctx;
	size_t len = strlen(name);
	bool refused = len > 6 && !strcmp(name + len - 6, ".errno");
	struct answer *w;
	STR key = { 0 };
	void **slot;

	if (tar_name_key(&key, name))
		return err_set(ar->e, -EBADMSG, "broken archive: member %.200s: wrong escape", name);
	if (refused)
		key.p[key.n -= 6] = '\0';
	if (key.n > SOURCE_KEY_MAX)
		return err_set(ar->e, -EBADMSG, "broken archive: a name of %zu bytes", key.n);
	slot = keys_put(&ar->keys, key.p);
	if (!slot)
		return err_set(ar->e, -EBADMSG, "broken archive: names made to collide");
	w = *slot ? *slot : arena_alloc(ar->arena, sizeof(*w));
	*w = (struct answer){ .blob = { p, n } };
	*slot = w;
	if (refused)
		w->err = parse_errno(p, n);
	if (refused && !w->err)
		return err_set(ar->e, -EBADMSG, "broken archive: member %.200s is no error number", name);
	return 0;
}

/* The word behind "NAME " on a line of meta; empty if there is none. */
static struct blob meta_word(struct blob meta, const char *name)
{
	size_t len = strlen(name);

	while (meta.n) {
		const unsigned char *eol = memchr(meta.p, '\n', meta.n);
		size_t n = eol ? (size_t)(eol - meta.p) : meta.n;

		if (n > len && !memcmp(meta.p, name, len) && meta.p[len] == ' ')
			return (struct blob){ meta.p + len + 1, n - len - 1 };
		n += eol != NULL;
		meta.p += n;
		meta.n -= n;
	}
	return (struct blob){ 0 };
}

static bool word_is(struct blob w, const char *text)
{
	return w.n == strlen(text) && !memcmp(w.p, text, w.n);
}

static int check_meta(const struct archive *ar, struct err *e)
{
	bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	const struct answer *meta = keys_get(&ar->keys, "meta");
	struct blob order;

	if (!meta || meta->err || !meta_word(meta->blob, "bpflens").n)
		return err_set(e, -ENOEXEC, "no archive made by bpflens (no member \"meta\")");
	order = meta_word(meta->blob, "endian");
	if (word_is(order, little ? "big" : "little"))
		return err_set(e, -ENOEXEC, "recorded on a %s-endian machine, which this one cannot read",
			       little ? "big" : "little");
	if (!word_is(order, little ? "little" : "big"))
		return err_set(e, -ENOEXEC, "recorded on a machine of unknown byte order");
	return 0;
}

static int archive_load(struct archive *ar, const void *p, size_t n, struct err *e)
{
	int err = tar_unpack(p, n, ARCHIVE_MAX, &ar->unpacked, &n, e);

	if (err)
		return err;
	if (ar->unpacked) {
		str_release(&ar->file);
		p = ar->unpacked;
	}
	ar->e = e;
	err = tar_read(p, n, add_member, ar, e);
	ar->e = NULL;
	return err ? err : check_meta(ar, e);
}

static struct archive *archive_new(void)
{
	struct archive *ar = calloc(1, sizeof(*ar));

	if (!ar)
		return NULL;
	ar->source.ops = &archive_ops;
	ar->arena = arena_new();
	keys_init(&ar->keys, ar->arena);
	return ar;
}

int source_archive_mem(struct source **ret, const void *p, size_t n, struct err *e)
{
	struct archive *ar = archive_new();
	int err;

	if (!ar)
		return err_sys(e, -ENOMEM, "cannot read an archive");
	err = archive_load(ar, p, n, e);
	if (err)
		archive_close(&ar->source);
	else
		*ret = &ar->source;
	return err;
}

static int read_file(struct str *ret, const char *path, struct err *e)
{
	CLEAN_FD fd = -1;
	int err;

	if (!strcmp(path, "-")) {
		err = str_read_fd(ret, STDIN_FILENO, ARCHIVE_MAX);
	} else {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		err = fd < 0 ? -errno : str_read_fd(ret, fd, ARCHIVE_MAX);
	}
	return err ? err_sys(e, err, "%s", path) : 0;
}

int source_archive(struct source **ret, const char *path, struct err *e)
{
	struct archive *ar = archive_new();
	int err;

	if (!ar)
		return err_sys(e, -ENOMEM, "%s", path);
	err = read_file(&ar->file, path, e);
	if (!err) {
		err = archive_load(ar, ar->file.p, ar->file.n, e);
		if (err)
			err_in(e, "%s", path);
	}
	if (err)
		archive_close(&ar->source);
	else
		*ret = &ar->source;
	return err;
}
