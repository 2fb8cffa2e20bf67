/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/delegation.h"

#include <fcntl.h>

#include "host/caps.h"
#include "host/mountinfo.h"
#include "kernel/bpf.h"
#include "kernel/log.h"

static int token_of(const char *path)
{
	CLEAN_FD dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return dir < 0 ? -errno : sys_token_create(dir);
}

/* The path of each bpffs that delegates something, in the order of the mounts. False: the end. */
static bool next_mount(char **text, const char **ret)
{
	struct mountinfo m;

	for (char *line; (line = strsep(text, "\n"));)
		if (mountinfo_parse(line, &m) && !strcmp(m.type, "bpf") && strstr(m.options, "delegate_")) {
			*ret = m.path;
			return true;
		}
	return false;
}

/* A token, and where it was made; -ENOENT: nowhere. */
static int token_find(struct str *ret)
{
	const char *path = getenv("LIBBPF_BPF_TOKEN_PATH");
	STR text = { 0 };
	char *p;
	int err = -ENOENT;

	if (path && *path) {
		str_puts(ret, path);
		return token_of(path);
	}
	if (path || !caps_in_user_namespace() || str_read_file(&text, "/proc/self/mountinfo", MOUNTINFO_MAX))
		return -ENOENT;
	for (p = text.p; err < 0 && next_mount(&p, &path);) {
		err = token_of(path);
		if (err >= 0)
			str_puts(ret, path);
	}
	return err;
}

bool delegation_find(struct str *ret)
{
	const size_t n = ret->n;
	CLEAN_FD token = token_find(ret);

	return token >= 0 || ret->n > n;
}

int delegation_token(void)
{
	STR path = { 0 };

	return token_find(&path);
}

void delegation_explain(struct err *e)
{
	STR path = { 0 };

	if (!delegation_find(&path))
		err_hint(
			e,
			"capabilities in a user namespace have no effect on BPF: run it in the initial one, give a pin that "
			"may be read, or mount bpffs with delegate_* options, from which a token is made");
	else if (!log_library_has(4))
		err_hint(e,
			 "a token of %s may allow it, but this bpflens is linked with libbpf %s, which has no tokens: "
			 "build with 1.4 or newer",
			 path.p, log_library());
	else
		err_hint(e, "the token of %s does not allow it: `bpflens token show` lists what is delegated", path.p);
}
