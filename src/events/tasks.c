/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/tasks.h"

#include <fcntl.h>

#include "host/proc.h"
#include "kernel/perf/sideband.h"

void tasks_init(struct tasks *t)
{
	t->slot = array_resize(NULL, TASKS_SLOTS, sizeof(*t->slot));
	memset(t->slot, 0, TASKS_SLOTS * sizeof(*t->slot));
}

void tasks_release(struct tasks *t)
{
	free(t->slot);
	t->slot = NULL;
}

static struct task_name *slot(struct tasks *t, uint32_t pid)
{
	return &t->slot[pid & (TASKS_SLOTS - 1)];
}

static void name(struct tasks *t, uint32_t pid, const char *comm)
{
	struct task_name *s = slot(t, pid);

	s->pid = pid;
	memset(s->comm, 0, sizeof(s->comm));
	memcpy(s->comm, comm, strnlen(comm, sizeof(s->comm) - 1));
}

const char *tasks_comm(struct tasks *t, uint32_t pid)
{
	struct task_name *s = slot(t, pid);
	char path[32], comm[TASKS_COMM + 1] = "";

	if (!pid || pid == UINT32_MAX)
		return NULL;
	if (s->pid == pid)
		return s->comm;
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	if (proc_comm(AT_FDCWD, path, comm))
		return NULL;
	name(t, pid, comm);
	return s->comm;
}

/* A process has the name of its first thread, which at first has the name of its parent. */
void tasks_note(struct tasks *t, const struct sideband_record *r)
{
	const char *parent;
	char copy[TASKS_COMM];

	if (r->kind == SIDEBAND_COMM && r->comm.pid == r->comm.tid) {
		name(t, r->comm.pid, r->comm.name);
	} else if (r->kind == SIDEBAND_FORK && r->task.pid == r->task.tid) {
		slot(t, r->task.pid)->pid = 0;
		parent = tasks_comm(t, r->task.parent_pid);
		if (!parent)
			return;
		memcpy(copy, parent, sizeof(copy));
		name(t, r->task.pid, copy);
	}
}
