/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/change.h"
#include "cli/command.h"
#include "cli/kind.h"
#include "iter/attach.h"
#include "kernel/bpf.h"
#include "object/object.h"

struct pin_opts {
	const char *file, *path, *name;
	struct iter_opts walk;
};
static const struct arg pin_args[] = {
	OPERAND("OBJ", ARG_PATH, struct pin_opts, file, "object file with an iterator program"),
	OPERAND("PATH", ARG_PATH, struct pin_opts, path, "a new name in a bpffs"),
	ITER_ARGS(struct pin_opts, walk),
	ARG("name", ARG_STR, struct pin_opts, name, "name of the program, if the file has several iterators",
	    .metavar = "NAME", .offers = object_offer_iters),
};

static int pin_run(struct env *env, const void *opts, struct err *e)
{
	const struct pin_opts *o = opts;
	LOAD(l);
	CLEAN_FD link = -1;
	uint32_t id = 0;
	int err = iter_load(&l, env, o->file, o->name, o->path, e);

	if (err)
		return err;
	link = iter_attach_loaded(&l, &o->walk, e);
	if (link < 0)
		return link;
	err = load_pin_fd(&l, link, o->path, e);
	if (err)
		return err;
	load_keep(&l);
	sys_object_id(link, &id);
	change_report(env, &(struct change_rec){
				   .sentence = SENTENCE_UNPIN,
				   .action = "pinned",
				   .kind = kind_link.name,
				   .id = id,
				   .path = o->path,
			   });
	return 0;
}

const struct command iter_pin = {
	.name = "pin",
	.summary = "load an iterator and pin its link as a file to read",
	.help = "Each `cat PATH` walks once. The pin holds the link and the program; `link unpin PATH` ends both. Only "
		"the chosen program of the object file is loaded.",
	.example = "iter pin dump_task.bpf.o /sys/fs/bpf/tasks",
	ARGS(pin_args, struct pin_opts),
	.schema = &change_schema,
	.flags = CMD_WRITE,
	.run = pin_run,
};
