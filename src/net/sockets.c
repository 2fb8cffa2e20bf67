/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/place.h"

#include <linux/filter.h>

#include "cli/env.h"
#include "code/classic.h"
#include "kernel/hooks.h"
#include "net/net.h"
#include "record/field.h"
#include "source/source.h"

/* Instructions, ",CODE JT JF K" each. False: the text is damaged. */
static bool insns_parse(struct env *env, const char *p, struct attachment *a)
{
	const char **text = arena_array(env->keep, a->nclassic, sizeof(*text));

	a->classic = text;
	for (uint32_t i = 0; i < a->nclassic; i++) {
		struct sock_filter f;
		STR line = { 0 };
		int end = -1;

		if (sscanf(p, ",%hu %hhu %hhu %u%n", &f.code, &f.jt, &f.jf, &f.k, &end) != 4 || end < 0)
			return false;
		classic_print(&f, i, &line);
		text[i] = arena_str(env->keep, line.p, line.n);
		p += end;
	}
	a->has_classic = AVAIL_YES;
	return !*p;
}

/* "PID FD HOW PROG COMM INSNS[,CODE JT JF K]..." */
static bool socket_filter_parse(struct env *env, const char *line, struct attachment *a)
{
	char what[32], prog[16], comm[80];
	int end = -1;

	*a = (struct attachment){ 0 };
	if (sscanf(line, "%u %u %31s %15s %79s %u%n", &a->pid, &a->fd, what, prog, comm, &a->nclassic, &end) != 6 ||
	    end < 0 || a->nclassic > BPF_MAXINSNS || !hook_find(what, HOOK_BIT(HOOK_SOCKET)) ||
	    (*prog != '?' && num_parse_u32(prog, &a->prog_id)))
		return false;
	str_unescape(comm);
	a->comm = strcmp(comm, "-") != 0 ? arena_str(env->keep, comm, SIZE_MAX) : NULL;
	a->where = arena_fmt(env->keep, "pid:%u:fd:%u", a->pid, a->fd);
	a->what = hook_find(what, HOOK_BIT(HOOK_SOCKET))->word;
	a->has_classic = a->nclassic ? AVAIL_UNKNOWN : AVAIL_NO;
	if (a->nclassic)
		a->detail = arena_fmt(env->keep, "classic filter, %u instruction%s", a->nclassic, plural(a->nclassic));
	return !line[end] || insns_parse(env, line + end, a);
}

static void socket_line_read(struct env *env, const char *line, struct records *ret)
{
	struct err why = { 0 };
	struct attachment a;
	uint32_t pid;
	int code;

	if (sscanf(line, "? %u %d", &pid, &code) == 2) {
		note_unseen(env->machine, -code, Q_SOCKET_FILTERS);
		return;
	}
	if (!socket_filter_parse(env, line, &a)) {
		note_refused(env->machine, -EBADMSG, Q_SOCKET_FILTERS);
		return;
	}
	*attachment_add(ret, env) = a;
	if (a.prog_id || a.nclassic)
		return;
	err_set(&why, -ENODATA, "the program of the socket %s", a.where);
	report_unread(env->report, &why);
}

static int sockets_place_list(struct env *env, struct records *ret, struct err *e)
{
	struct blob b;
	char *text;
	int err = ask_silently(env->machine, env->keep, &b, Q_SOCKET_FILTERS);

	if (err == -ENODATA) /* an archive from before the question */
		return 0;
	if (err)
		return err_sys(e, note_refused(env->machine, err, Q_SOCKET_FILTERS),
			       "cannot list the filters of sockets");
	text = blob_text(env->keep, &b);
	for (char *line; (line = strsep(&text, "\n"));)
		if (*line)
			socket_line_read(env, line, ret);
	return 0;
}

const struct place place_socket = {
	.name = "socket",
	.help = "filters of sockets that processes hold, also classic ones",
	.list = sockets_place_list, /* no attach(): only the process that has the socket can */
};
