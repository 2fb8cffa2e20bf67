/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <fcntl.h>

#include "host/proc.h"
#include "kernel/bpf.h"
#include "own/ids.h"
#include "source/counted.h"
#include "source/live/live.h"

static const char *counted_word(unsigned kind)
{
	return kind < OBJECT_KINDS ? object_kind_names[kind] : counted_process;
}

static void kind_count(struct live *l, const char *way, unsigned kind, uint32_t id)
{
	str_fmt(&l->text, "%s %s %u\n", way, counted_word(kind), id);
}

static void put_refused(struct live *l, const char *way, unsigned kind, int err)
{
	str_fmt(&l->text, "? %s %s %d\n", way, counted_word(kind), -err);
}

/* The objects that we create for the walks are younger than all earlier ones, because the kernel assigns ids in order.
 */
static void put_before(struct live *l)
{
	uint32_t last[OBJECT_KINDS] = { 0 };

	for (size_t i = 0; i < l->own.n; i++)
		if (l->own.all[i].id > last[l->own.all[i].kind])
			last[l->own.all[i].kind] = l->own.all[i].id;
	for (unsigned kind = 0; kind < OBJECT_KINDS; kind++)
		if (last[kind])
			kind_count(l, "before", kind, last[kind]);
}

static void kind_list(struct live *l, enum object_kind kind)
{
	uint32_t id = 0, next;
	int err;

	while (!(err = sys_object_next_id(kind, id, &next)) && next > id) {
		if (!own_has(&l->own, kind, next))
			kind_count(l, "listed", kind, next);
		id = next;
	}
	if (err && err != -ENOENT)
		put_refused(l, "listed", kind, err);
}

/* Is /proc that of our pid namespace? The pids of another one mean other processes. */
static int proc_is_ours(void)
{
	char target[16] = "", self[16];
	ssize_t n = readlink("/proc/self", target, sizeof(target) - 1);

	snprintf(self, sizeof(self), "%d", getpid());
	return n < 0 ? -errno : strcmp(target, self) ? -EXDEV : 0;
}

static void list_processes(struct live *l)
{
	CLEAN_DIR *proc = proc_dir(AT_FDCWD, "/proc");
	int err = proc ? proc_is_ours() : -errno;
	struct dirent *d;
	uint32_t pid;

	if (err) {
		put_refused(l, "listed", IDS_PROCESS, err);
		return;
	}
	while ((d = readdir(proc)))
		if (d->d_name[0] >= '1' && d->d_name[0] <= '9' && !num_parse_u32(d->d_name, &pid))
			kind_count(l, "listed", IDS_PROCESS, pid);
}

static void ids_count(struct live *l, int link, unsigned kind)
{
	STR ids = { 0 };
	uint32_t id;
	int err = ids_run(link, &l->own, kind, &ids);

	if (err)
		put_refused(l, "walked", kind, err);
	for (size_t at = 0; own_record(&ids, &at, &id, sizeof(id));)
		kind_count(l, "walked", kind, id);
}

/* The walks come after the lists: an object that they find and the lists lack is hidden, or younger. */
int live_counted(struct live *l)
{
	int link[IDS_KINDS];

	for (unsigned kind = 0; kind < IDS_KINDS; kind++) {
		link[kind] = ids_open(&l->own, kind);
		if (link[kind] < 0)
			put_refused(l, "walked", kind, link[kind]);
	}
	put_before(l);
	for (unsigned kind = 0; kind < OBJECT_KINDS; kind++)
		kind_list(l, (enum object_kind)kind);
	list_processes(l);
	for (unsigned kind = 0; kind < IDS_KINDS; kind++) {
		if (link[kind] >= 0)
			ids_count(l, link[kind], kind);
		clean_fd(&link[kind]);
	}
	return 0;
}
