/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/near.h"
#include "cgroup/read.h"
#include "cli/env.h"
#include "source/facts.h"
#include "host/caps.h"
#include "source/source.h"

/* "NUMBER PATH". False: the text ends; *ret_path NULL: another line, which is noted. */
static bool path_line(struct env *env, enum question q, char **text, uint64_t *ret, char **ret_path)
{
	char *line = strsep(text, "\n"), *blank = line ? strchr(line, ' ') : NULL;

	*ret_path = NULL;
	if (!line || (!*line && !*text))
		return false;
	if (blank)
		*blank = '\0';
	if (blank && blank[1] == '/' && !num_parse_u64(line, ret) && *ret) {
		*ret_path = blank + 1;
		return true;
	}
	if (blank)
		*blank = ' ';
	note_refused(env->machine, facts_unread(line), q);
	return true;
}

/* Paths of mounts by the number of their root; the first of several. */
static void mounts_read(struct env *env, struct hash *ret)
{
	char *text, *path;
	uint64_t id;
	void **slot;

	hash_init(ret, env->keep);
	if (ask_lines(env->machine, env->keep, &text, Q_CGROUP_MOUNTS))
		return;
	while (path_line(env, Q_CGROUP_MOUNTS, &text, &id, &path)) {
		if (!path)
			continue;
		str_unescape(path);
		slot = hash_put(ret, id);
		if (!*slot)
			*slot = path;
	}
}

int cgroup_all(struct env *env, const struct cgroup_dir **ret, size_t *ret_n, struct err *e)
{
	const char *mount = "";
	struct cgroup_dir *all;
	struct hash mounts;
	char *text, *path;
	size_t n = 0;
	uint64_t id;
	int err = ask_lines(env->machine, env->keep, &text, Q_CGROUPS);

	if (err) {
		err_sys(e, err, "cannot list cgroups");
		return env->machine->src->ops->saved ? err : proc_explain(e);
	}
	mounts_read(env, &mounts);
	all = arena_array(env->keep, str_lines(text) + 1, sizeof(*all));
	while (path_line(env, Q_CGROUPS, &text, &id, &path)) {
		if (!path)
			continue;
		all[n] = (struct cgroup_dir){ .id = id, .path = path, .root = !path[1] };
		if (all[n].root)
			mount = hash_get(&mounts, id);
		/* A mount at "/" adds no prefix. */
		if (mount && strcmp(mount, "/") != 0)
			all[n].path = all[n].root ? mount : arena_fmt(env->keep, "%s%s", mount, path);
		n++;
	}
	if (!n) {
		err_set(e, -ENOENT, "cgroup v2 is not mounted");
		return err_hint(e, "mount -t cgroup2 none /sys/fs/cgroup");
	}
	*ret = all;
	*ret_n = n;
	return 0;
}

size_t cgroup_below(const struct cgroup_dir *all, size_t n, uint64_t root, const struct cgroup_dir **ret)
{
	size_t i = 0, len, last;

	while (i < n && all[i].id != root)
		i++;
	if (i == n)
		return 0;
	len = strlen(all[i].path);
	if (len == 1) /* "/" */
		len = 0;
	last = i + 1;
	while (last < n && !all[last].root && !strncmp(all[last].path, all[i].path, len) && all[last].path[len] == '/')
		last++;
	*ret = &all[i];
	return last - i;
}

static const char *trimmed(struct env *env, const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return arena_str(env->keep, path, n);
}

/* The number of a cgroup, from the answer about its path, or else from the list of all cgroups. */
static int find_path(struct env *env, const char *path, uint64_t *ret)
{
	const struct cgroup_dir *all;
	struct err why = { 0 };
	struct blob b;
	char *text;
	size_t n;
	int err = ask_silently(env->machine, env->keep, &b, Q_CGROUP_AT, .text = path);

	if (!err) {
		text = blob_text(env->keep, &b);
		text[strcspn(text, "\n")] = '\0';
		return num_parse_u64(text, ret) ? -EBADMSG : 0;
	}
	if (err != -ENODATA || cgroup_all(env, &all, &n, &why))
		return err;
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(all[i].path, path)) {
			*ret = all[i].id;
			return 0;
		}
	}
	return -ENOENT;
}

/* "user.slice": below the first mount that has it. */
static const char *find_below(struct env *env, const struct cgroup_dir *all, size_t n, const char *name, uint64_t *ret)
{
	for (size_t i = 0; i < n; i++) {
		const char *path;

		if (!all[i].root)
			continue;
		path = trimmed(env, arena_fmt(env->keep, "%s/%s", strcmp(all[i].path, "/") ? all[i].path : "", name));
		if (!find_path(env, path, ret))
			return path;
	}
	return NULL;
}

static int find_number(const struct cgroup_dir *all, size_t n, uint64_t id, const char **ret_path)
{
	for (size_t i = 0; i < n; i++) {
		if (all[i].id == id) {
			*ret_path = all[i].path;
			return 0;
		}
	}
	return -ENOENT;
}

/* "web.service": the last part of exactly one path. -ENOENT; -ENOTUNIQ with a message. */
static int find_unit(const struct cgroup_dir *all, size_t n, const char *word, uint64_t *ret, const char **ret_path,
		     struct err *e)
{
	STR list = { 0 };
	size_t found = 0;

	for (size_t i = 0; i < n && !strchr(word, '/'); i++) {
		const char *last = strrchr(all[i].path, '/');

		if (all[i].root || !last || strcmp(last + 1, word) != 0)
			continue;
		str_fmt(&list, "%s%s", found++ ? ", " : "", all[i].path);
		*ret = all[i].id;
		*ret_path = all[i].path;
	}
	if (found < 2)
		return found ? 0 : -ENOENT;
	err_set(e, -ENOTUNIQ, "%zu cgroups are named %s", found, word);
	err_hint(e, "name one of: %.900s", list.p);
	return -ENOTUNIQ;
}

/* Adds a hint with similar names, of the last parts of paths. */
static int near_units(const struct cgroup_dir *all, size_t n, const char *word, struct err *e)
{
	const char *slash = strrchr(word, '/');
	struct near near = { 0 };

	for (size_t i = 0; i < n; i++)
		if (!all[i].root && strrchr(all[i].path, '/'))
			near_offer(&near, slash ? slash + 1 : word, strrchr(all[i].path, '/') + 1);
	return near_hint(&near, e);
}

static int cgroup_not_found(const char *word, int err, struct err *e)
{
	if (err == -EBADF) {
		err_set(e, err, "%s is not a cgroup: it is not on a cgroup2 file system", word);
		return err_hint(e, "bpflens cgroup tree shows where cgroup v2 is mounted");
	}
	if (err == -ENOENT)
		return err_set(e, err, "no such cgroup: %s", word);
	return err_sys(e, err, "cannot open cgroup %s", word);
}

int cgroup_find(struct env *env, const char *word, uint64_t *ret_id, const char **ret_path, struct err *e)
{
	const struct cgroup_dir *all = NULL;
	const char *path;
	uint64_t id;
	size_t n = 0;
	int err = word && *word ? -ENOENT : 0;
	bool number;

	if (word && str_starts(word, CGROUP_NUMBER))
		word += strlen(CGROUP_NUMBER);
	number = word && *word && !word[strspn(word, "0123456789")];
	if (word && *word && !number) {
		path = trimmed(env, word);
		err = find_path(env, path, &id);
		if (!err || *word == '/' || *word == '.')
			goto out;
	}
	if (cgroup_all(env, &all, &n, e))
		return e->code;
	if (!word || !*word) {
		id = all[0].id;
		path = all[0].path;
	} else if (number) {
		err = num_parse_u64(word, &id) ? -ENOENT : find_number(all, n, id, &path);
	} else {
		path = find_below(env, all, n, word, &id);
		err = path ? 0 : find_unit(all, n, word, &id, &path, e);
	}
out:
	if (err) {
		struct err why = { 0 };

		cgroup_not_found(word, err, e);
		/* A path was looked up without the list. */
		if (err == -ENOENT && !n && cgroup_all(env, &all, &n, &why))
			n = 0;
		return n ? near_units(all, n, word, e) : e->code;
	}
	*ret_id = id;
	*ret_path = path;
	return 0;
}
